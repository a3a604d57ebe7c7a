// SPDX-License-Identifier: BSD-3-Clause
// A trace as one HTML file that needs no network.
#pragma once

#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/model.hpp"

#include <string>
#include <string_view>

namespace starfmm {

/// The page around its data.
struct ReportPage {
    std::string_view begin;
    std::string_view end;
};

extern const ReportPage report_page;

/// A chart of the tasks to zoom into, the tables of text_report(), and its advice.
/// O(tasks + dependencies).
[[nodiscard]] std::string html_report(const Trace& trace, const TraceAnalysis& analysis);

} // namespace starfmm
