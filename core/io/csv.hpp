// SPDX-License-Identifier: BSD-3-Clause
// Comma-separated values under a header line.
#pragma once

#include "core/io/columns.hpp"

#include <span>
#include <string>

namespace starfmm {

/// Reads finite numbers in the columns that the header line names. Blank lines, spaces around
/// fields, CRLF line ends, a byte-order mark and a `#` before the header are accepted.
/// \param schemas the allowed header lines, by column names
/// \throws InputError `FILE:LINE: what is wrong, what is expected`
Columns read_csv(const std::string& path, const Schemas& schemas);

/// Writes columns of the same length under their names, with 17 significant digits.
/// \throws OutputError
void write_csv(const std::string& path, std::span<const NamedColumn> columns);

} // namespace starfmm
