// SPDX-License-Identifier: BSD-3-Clause
// A view of the caller's as tables of rows and columns, and the copies of their columns.
#pragma once

#include "starfmm/array_view.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace starfmm::detail {

/// What an array has to be like.
struct TableShape {
    std::string name; ///< in messages
    std::optional<std::size_t> rows;
    std::size_t columns;
};

/// Tables of one shape, one after the other: strengths or values of several right-hand sides.
template <class Void>
struct Tables {
    Void* data = nullptr;
    Number number = Number::float64;
    std::size_t n = 0; ///< tables
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::ptrdiff_t to_table = 0; ///< strides; unit: numbers
    std::ptrdiff_t to_row = 0;
    std::ptrdiff_t to_column = 0;
    std::optional<int> gpu{}; ///< CUDA's number of the GPU that they lie on
    /// Columns that are arrays of their own, table by table; none: those at the strides.
    std::span<Void* const> arrays{};

    /// Number of the first row's number of a column, from `data` on.
    [[nodiscard]] std::ptrdiff_t first_of(std::size_t table, std::size_t column) const {
        return static_cast<std::ptrdiff_t>(table) * to_table +
               static_cast<std::ptrdiff_t>(column) * to_column;
    }

    /// The first number of a column in host memory.
    template <class T>
    [[nodiscard]] auto* first(std::size_t table, std::size_t column) const {
        using Real = std::conditional_t<std::is_const_v<Void>, const T, T>;
        return arrays.empty() ? static_cast<Real*>(data) + first_of(table, column)
                              : static_cast<Real*>(arrays[table * columns + column]);
    }

    /// A column that is an array of doubles.
    [[nodiscard]] auto array(std::size_t table, std::size_t column) const {
        return std::span(first<double>(table, column), rows);
    }

    /// Whether each column is an array of doubles.
    [[nodiscard]] bool has_arrays() const {
        return number == Number::float64 && (to_row == 1 || rows <= 1);
    }
};

/// Reads a view as one table (n, columns), or as several (k, n, columns). A flat array is the rows
/// of one table; an extent of one column may be left out. The view must outlive the tables.
/// \throws InputError naming the array, its extents and those that are taken
template <class Void>
[[nodiscard]] Tables<Void> tables_of(const BasicArrayView<Void>& view, const TableShape& shape);

extern template Tables<void> tables_of(const ArrayView& view, const TableShape& shape);
extern template Tables<const void> tables_of(const ConstArrayView& view, const TableShape& shape);

/// Copies one column of a table in host memory, by several cores if it is long.
/// \param into as many as there are rows
void read_column(
    const Tables<const void>& tables, std::size_t table, std::size_t column, std::span<double> into
);

/// Writes one column of a table in host memory.
/// \param values as many as there are rows
void write_column(
    std::span<const double> values,
    const Tables<void>& tables,
    std::size_t table,
    std::size_t column
);

} // namespace starfmm::detail
