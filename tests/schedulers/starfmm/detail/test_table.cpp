// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/detail/table.hpp"

#include <doctest/doctest.h>

#include <array>
#include <numeric>
#include <span>
#include <string>
#include <vector>

using starfmm::ArrayView;
using starfmm::ConstArrayView;
using starfmm::InputError;
using starfmm::detail::read_column;
using starfmm::detail::Tables;
using starfmm::detail::tables_of;
using starfmm::detail::TableShape;
using starfmm::detail::write_column;

namespace {

/// 0, 1, 2, ...
template <class T>
std::vector<T> counted(std::size_t n) {
    std::vector<T> values(n);
    std::iota(values.begin(), values.end(), T(0));
    return values;
}

std::vector<double>
column_of(const Tables<const void>& tables, std::size_t table, std::size_t column) {
    std::vector<double> values(tables.rows);
    read_column(tables, table, column, values);
    return values;
}

std::vector<double> column(const ConstArrayView& view, const TableShape& shape, std::size_t c) {
    return column_of(tables_of(view, shape), 0, c);
}

std::string refusal(const ConstArrayView& view, const TableShape& shape) {
    try {
        static_cast<void>(tables_of(view, shape));
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

} // namespace

TEST_CASE("table: rows lie flat, in arrays, with strides, and in Fortran's order") {
    const TableShape rows{"points", std::nullopt, 3};
    const std::vector<double> flat = counted<double>(12);
    const std::vector<double> second{1, 4, 7, 10};
    CHECK(column(flat, rows, 1) == second);
    CHECK(column(std::span(flat), rows, 1) == second);
    CHECK(column(ConstArrayView(flat.data(), {4, 3}), rows, 1) == second);
    const std::vector<std::array<double, 3>> arrays{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}};
    CHECK(column(arrays, rows, 1) == second);
    // x y z w in float
    const auto padded = counted<float>(16);
    const ConstArrayView xyz(padded.data(), {4, 3}, {4, 1});
    CHECK(column(xyz, rows, 1) == std::vector<double>{1, 5, 9, 13});
    // column by column
    const ConstArrayView fortran(flat.data(), {4, 3}, {1, 4});
    CHECK(column(fortran, rows, 1) == std::vector<double>{4, 5, 6, 7});
    // backwards
    const ConstArrayView back(flat.data() + 9, {4, 3}, {-3, 1});
    CHECK(column(back, rows, 1) == std::vector<double>{10, 7, 4, 1});
}

TEST_CASE("table: right-hand sides come first") {
    const std::vector<double> flat = counted<double>(12);
    const auto several = tables_of(ConstArrayView(flat.data(), {2, 3, 2}), {"strengths", 3, 2});
    CHECK(several.n == 2);
    CHECK(column_of(several, 1, 1) == std::vector<double>{7, 9, 11});
    // of one component, whose extent may be left out
    const auto numbers = tables_of(ConstArrayView(flat.data(), {2, 6}), {"strengths", 6, 1});
    CHECK(numbers.n == 2);
    CHECK(column_of(numbers, 1, 0) == std::vector<double>{6, 7, 8, 9, 10, 11});
    const auto one = tables_of(ConstArrayView(flat.data(), {12, 1}), {"strengths", 12, 1});
    CHECK(one.n == 1);
}

TEST_CASE("table: values go where the view says") {
    std::vector<float> values(8, -1);
    const ArrayView every_other(values.data(), {4, 1}, {2, 1});
    write_column(std::vector<double>{1, 2, 3, 4}, tables_of(every_other, {"values", 4, 1}), 0, 0);
    CHECK(values == std::vector<float>{1, -1, 2, -1, 3, -1, 4, -1});
}

TEST_CASE("table: long columns are copied whole") {
    const auto values = counted<double>(700'001);
    std::vector<double> copy(values.size());
    const TableShape shape{"values", values.size(), 1};
    const auto column = column_of(tables_of(ConstArrayView(values), shape), 0, 0);
    CHECK(column == values);
    write_column(column, tables_of(ArrayView(copy), shape), 0, 0);
    CHECK(copy == values);
}

TEST_CASE("table: other shapes are refused, and named") {
    const std::vector<double> flat = counted<double>(12);
    CHECK(
        refusal(ConstArrayView(flat.data(), {3, 4}), {"sources", std::nullopt, 3}) ==
        "sources: has the extents (3, 4), where (n, 3) is taken"
    );
    CHECK(
        refusal(flat, {"strengths", 11, 1}) == "strengths: has the extents (12), where (11, 1), "
                                               "(11), or with more right-hand sides (k, 11, "
                                               "1) is taken"
    );
    CHECK(refusal(flat, {"points", std::nullopt, 5}).starts_with("points: has the extents (12)"));
    CHECK_THROWS_AS(ConstArrayView(flat.data(), {1, 2, 3, 2}), InputError);
    CHECK_THROWS_AS(ConstArrayView(flat.data(), {4, 3}, {1}), InputError);
}
