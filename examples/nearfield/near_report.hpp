// SPDX-License-Identifier: BSD-3-Clause
// The near-field driver tells its user a report or a table, and writes a JSON record.
#pragma once

#include "examples/nearfield/near_driver.hpp"

#include <string>
#include <vector>

namespace starfmm {

/// One line of the table: the same problem by each implementation and by the runtime's choice.
struct NearRow {
    NearReport bpb;
    NearReport improved;
    NearReport automatic;
};

void print_near_report(const NearReport& report);

/// Prints the head of the table.
/// \param has_gpu whether the columns of implementations mean anything
void print_near_table_head(const NearOptions& options, bool has_gpu);
void print_near_row(const NearRow& row);

/// Writes the record of design "Command line", or an array of records if there are several.
/// \throws OutputError naming the file
void write_near_json(const std::string& path, const std::vector<NearReport>& reports);

} // namespace starfmm
