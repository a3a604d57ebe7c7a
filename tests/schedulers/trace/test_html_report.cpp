// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/html_report.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace {

std::string report(const starfmm::Trace& trace) {
    return starfmm::html_report(trace, starfmm::analyse(trace));
}

/// Returns the data that the page's script reads.
Json data_of(const std::string& page) {
    const std::string mark = "id=\"data\">";
    const std::size_t begin = page.find(mark) + mark.size();
    return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

} // namespace

TEST_CASE("html_report: the page is one file that needs no network") {
    const std::string page = report(diamond_trace());
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(page.ends_with("</html>\n"));
    for (const std::string word : {"http:", "https:", "src=", "@import", "url(", "@report_"}) {
        CHECK(page.find(word) == std::string::npos);
    }
}

TEST_CASE("html_report: its data are those of the trace and of its analysis") {
    const Json data = data_of(report(diamond_trace()));
    CHECK(data.at("makespan_us") == 5e6);
    CHECK(data.at("bound_us") == 5e6);
    CHECK(data.at("area_us") == 4e6);
    CHECK(data.at("path") == Json({2, 3}));
    CHECK(data.at("workers").at(1).at("name") == "CPU 1");
    CHECK(data.at("workers").at(0).at("busy_us") == 4e6);
    CHECK(data.at("tasks").at("start") == Json({0.0, 2e6, 0.0, 4e6}));
    CHECK(data.at("tasks").at("after_first") == Json({0, 0, 1, 1, 3}));
    CHECK(data.at("tasks").at("after") == Json({0, 1, 2}));
    CHECK(data.at("operators").at(0).at("color") == "#1e88e5");
    CHECK(data.at("gaps").at("task") == Json({3}));
    CHECK(
        data.at("gaps").at("cause") == Json({static_cast<int>(starfmm::IdleCause::dependencies)})
    );
}

TEST_CASE("html_report: no name ends the script that it stands in") {
    starfmm::Trace trace = made_up_trace({"CPU 0"}, {"</script><b>"});
    add_task(trace, 0, 0, 0, 1).parts = {{"</x", 2, 0x43a047, 0.25, 0.75, true}};
    const std::string page = report(trace);
    CHECK(page.find("</script><b>") == std::string::npos);
    const Json data = data_of(page);
    CHECK(data.at("operators").at(0).at("name") == "</script><b>");
    CHECK(data.at("parts").at("0") == Json::array({{"</x", 2.0, 250e3, 750e3, "#43a047", 1}}));
}

TEST_CASE("html_report: links, transfers and memory have numbers of their own") {
    starfmm::Trace trace = diamond_trace();
    CHECK_FALSE(data_of(report(trace)).at("has_transfers").get<bool>());
    trace.has_transfers = true;
    trace.links = {"NUMA 0 -> CUDA 0"};
    trace.transfers = {{0, 1000, 1, 1.5}, {0, 2000, 2, 3}};
    trace.memories = {"CUDA 0"};
    trace.memory_uses = {{0, 0, 500}};
    const Json data = data_of(report(trace));
    CHECK(data.at("has_transfers").get<bool>());
    CHECK(data.at("links").at(0).at("name") == "NUMA 0 -> CUDA 0");
    CHECK(data.at("links").at(0).at("transfers") == 2);
    CHECK(data.at("links").at(0).at("bytes") == 3000);
    CHECK(data.at("links").at(0).at("time_us") == 1.5e6);
    CHECK(data.at("transfers").at("start") == Json({1e6, 2e6}));
    CHECK(data.at("memories").at(0).at("uses") == Json::array({{0.0, 500}}));
}

TEST_CASE("html_report: a run without tasks has a page, too") {
    const Json data = data_of(report(made_up_trace({"CPU 0"}, {})));
    CHECK(data.at("makespan_us") == 0);
    CHECK(data.at("tasks").at("op").empty());
}
