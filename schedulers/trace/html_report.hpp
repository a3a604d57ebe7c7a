// SPDX-License-Identifier: BSD-3-Clause
// The HTML report shows a trace in one file that needs no network.
#pragma once

#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/model.hpp"

#include <string>
#include <string_view>

namespace starfmm {

/// The page around the report's data.
struct ReportPage {
    std::string_view begin;
    std::string_view end;
};

extern const ReportPage report_page;

/// Makes a page with a chart of the tasks to zoom into, the tables of text_report(), and its
/// advice. O(tasks + dependencies).
[[nodiscard]] std::string html_report(const Trace& trace, const TraceAnalysis& analysis);

} // namespace starfmm
