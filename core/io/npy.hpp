// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npy format, versions 1.0, 2.0 and 3.0, little endian.
#pragma once

#include "core/io/columns.hpp"

#include <span>
#include <string>

namespace starfmm {

/// Reads a two-dimensional array of float64 or float32, in C or Fortran order.
/// \param schemas the allowed numbers of columns
/// \throws InputError naming the file, what is wrong with it and what is expected; in particular
/// unless the size of the file is exactly that of the declared shape, before memory is taken.
Columns read_npy(const std::string& path, const Schemas& schemas);

/// What columns are written as, side by side.
enum class NpyValues {
    real,   ///< float64 of shape (M, number of columns), or (M,) of one
    complex ///< real and imaginary parts in turn: complex128 of shape (M, half as many), or (M,)
};

/// Writes columns of the same length M.
/// \throws OutputError
void write_npy(
    const std::string& path,
    std::span<const NamedColumn> columns,
    NpyValues values = NpyValues::real
);

} // namespace starfmm
