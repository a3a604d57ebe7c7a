// SPDX-License-Identifier: BSD-3-Clause
// What the readers of all formats have in common: named columns of numbers.
#pragma once

#include <string>
#include <vector>

namespace starfmm {

/// Values by column: `columns[c][row]`, all of the same length.
using Columns = std::vector<std::vector<double>>;

/// The column names that a file may have, one vector for each allowed shape. Formats without names
/// go by the number of columns.
using Schemas = std::vector<std::vector<std::string>>;

/// A column of a file to be written; the values are the caller's.
struct NamedColumn {
    std::string name;
    const std::vector<double>* values;
};

} // namespace starfmm
