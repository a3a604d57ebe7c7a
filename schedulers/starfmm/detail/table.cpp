// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/detail/table.hpp"

#include "core/parallel_copy.hpp"

#include <sstream>

namespace starfmm::detail {

namespace {

template <class Void>
std::string extents_of(const BasicArrayView<Void>& view) {
    std::ostringstream text;
    text << '(';
    for (std::size_t i = 0; i < view.rank(); ++i) {
        text << (i > 0 ? ", " : "") << view.extent(i);
    }
    text << ')';
    return text.str();
}

template <class Void>
[[noreturn]] void throw_misshapen(const BasicArrayView<Void>& view, const TableShape& shape) {
    std::ostringstream message;
    const auto rows = [&] { return shape.rows ? std::to_string(*shape.rows) : std::string("n"); }();
    message << shape.name << ": has the extents " << extents_of(view) << ", where (" << rows << ", "
            << shape.columns << ")";
    if (shape.columns == 1) {
        message << ", (" << rows << ")";
    }
    if (shape.rows) {
        message << ", or with more right-hand sides (k, " << rows << ", " << shape.columns << ")";
    }
    message << " is taken";
    throw InputError(message.str());
}

bool is_one_of(std::size_t rows, const TableShape& shape) {
    return !shape.rows || *shape.rows == rows;
}

/// Where the rows begin in the view's extents: of a table alone, and of several.
template <class Void>
struct Reading {
    const BasicArrayView<Void>& view;
    const TableShape& shape;

    /// Rows one after the other.
    [[nodiscard]] std::optional<Tables<Void>> flat() const {
        const std::size_t rows = view.extent(0) / shape.columns;
        if (view.rank() != 1 || view.extent(0) % shape.columns != 0 || !is_one_of(rows, shape)) {
            return std::nullopt;
        }
        const std::ptrdiff_t step = view.stride(0);
        const auto n_columns = static_cast<std::ptrdiff_t>(shape.columns);
        return Tables<Void>{
            view.data(), view.number(), 1, rows, shape.columns, 0, n_columns * step, step};
    }

    [[nodiscard]] std::optional<Tables<Void>> one() const {
        if (view.rank() != 2 || view.extent(1) != shape.columns ||
            !is_one_of(view.extent(0), shape)) {
            return std::nullopt;
        }
        return Tables<Void>{
            view.data(),
            view.number(),
            1,
            view.extent(0),
            shape.columns,
            0,
            view.stride(0),
            view.stride(1)};
    }

    /// Tables of one column, whose extent is left out.
    [[nodiscard]] std::optional<Tables<Void>> several_columns() const {
        if (view.rank() != 2 || shape.columns != 1 || !shape.rows ||
            view.extent(1) != *shape.rows || !view.columns().empty()) {
            return std::nullopt;
        }
        return Tables<Void>{
            view.data(),
            view.number(),
            view.extent(0),
            view.extent(1),
            1,
            view.stride(0),
            view.stride(1),
            0};
    }

    [[nodiscard]] std::optional<Tables<Void>> several() const {
        if (view.rank() != 3 || view.extent(2) != shape.columns || !shape.rows ||
            view.extent(1) != *shape.rows) {
            return std::nullopt;
        }
        return Tables<Void>{
            view.data(),
            view.number(),
            view.extent(0),
            view.extent(1),
            shape.columns,
            view.stride(0),
            view.stride(1),
            view.stride(2)};
    }
};

template <class T>
void read(
    const Tables<const void>& tables, std::size_t table, std::size_t column, std::span<double> into
) {
    const T* const first = tables.template first<T>(table, column);
    const auto n = static_cast<std::ptrdiff_t>(tables.rows);
    const std::ptrdiff_t step = tables.to_row;
#pragma omp parallel for num_threads(copy_threads(n)) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        into[i] = static_cast<double>(first[i * step]);
    }
}

template <class T>
void write(
    std::span<const double> values,
    const Tables<void>& tables,
    std::size_t table,
    std::size_t column
) {
    T* const first = tables.template first<T>(table, column);
    const auto n = static_cast<std::ptrdiff_t>(tables.rows);
    const std::ptrdiff_t step = tables.to_row;
#pragma omp parallel for num_threads(copy_threads(n)) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        first[i * step] = static_cast<T>(values[i]);
    }
}

} // namespace

template <class Void>
Tables<Void> tables_of(const BasicArrayView<Void>& view, const TableShape& shape) {
    const Reading<Void> reading{view, shape};
    for (const auto& found :
         {reading.flat(), reading.one(), reading.several_columns(), reading.several()}) {
        if (found) {
            Tables<Void> tables = *found;
            tables.gpu = view.gpu();
            tables.arrays = view.columns();
            return tables;
        }
    }
    throw_misshapen(view, shape);
}

template Tables<void> tables_of(const ArrayView& view, const TableShape& shape);
template Tables<const void> tables_of(const ConstArrayView& view, const TableShape& shape);

void read_column(
    const Tables<const void>& tables, std::size_t table, std::size_t column, std::span<double> into
) {
    tables.number == Number::float32 ? read<float>(tables, table, column, into)
                                     : read<double>(tables, table, column, into);
}

void write_column(
    std::span<const double> values,
    const Tables<void>& tables,
    std::size_t table,
    std::size_t column
) {
    tables.number == Number::float32 ? write<float>(values, tables, table, column)
                                     : write<double>(values, tables, table, column);
}

} // namespace starfmm::detail
