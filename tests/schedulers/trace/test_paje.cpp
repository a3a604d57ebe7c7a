// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/paje.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace {

/// Returns the lines of events, each as its words, without definitions.
std::vector<std::vector<std::string>> events_of(const starfmm::Trace& trace) {
    const TemporaryFolder folder;
    starfmm::write_paje(folder.file("a.paje"), trace);
    std::istringstream text(folder.bytes("a.paje"));
    std::vector<std::vector<std::string>> events;
    for (std::string line; std::getline(text, line);) {
        std::istringstream words(line);
        std::vector<std::string> event;
        for (std::string word; words >> word;) {
            event.push_back(word);
        }
        if (line.front() != '%' && std::stoi(event[0]) > 5) {
            events.push_back(event);
        }
    }
    return events;
}

} // namespace

TEST_CASE("paje: workers change their state when tasks begin and end, in the order of time") {
    const auto events = events_of(diamond_trace());
    std::vector<std::string> first_worker;
    double last = 0;
    for (const auto& event : events) {
        CHECK(std::stod(event[1]) >= last);
        last = std::stod(event[1]);
        if (event[0] == "8" && event[3] == "w0") {
            first_worker.push_back(event[1] + " " + event[4]);
        }
    }
    CHECK(
        first_worker ==
        std::vector<std::string>{
            "0 idle",
            "0.000000000 o0",
            "2.000000000 idle",
            "2.000000000 o1",
            "3.000000000 idle",
            "4.000000000 o3",
            "5.000000000 idle"}
    );
}

TEST_CASE("paje: each dependency has an arrow with two ends") {
    std::map<std::string, int> ends;
    for (const auto& event : events_of(diamond_trace())) {
        if (event[0] == "10" || event[0] == "11") {
            ++ends[event.back()];
        }
    }
    CHECK(ends.size() == 3);
    CHECK(std::ranges::all_of(ends, [](const auto& end) { return end.second == 2; }));
}

TEST_CASE("paje: parts of a fused task are states of their own, on either stream") {
    starfmm::Trace trace = made_up_trace({"CUDA 0"}, {"downward"});
    add_task(trace, 0, 0, 0, 4).parts = {
        {"m2l", 1, 0, 0, 1, false}, {"p2p", 1, 0, 0.5, 4, true}, {"l2p", 1, 0, 1, 3, false}};
    std::map<std::string, std::vector<std::string>> states; // by kind
    for (const auto& event : events_of(trace)) {
        if (event[0] == "8" && event[3] == "w0" && event[2] != "state") {
            states[event[2]].push_back(event[1].substr(0, 3) + " " + event[4]);
        }
    }
    CHECK(
        states["part"] ==
        std::vector<std::string>{"0.0 part_m2l", "1.0 part_none", "1.0 part_l2p", "3.0 part_none"}
    );
    CHECK(states["aside"] == std::vector<std::string>{"0.5 aside_p2p", "4.0 aside_none"});
}

TEST_CASE("paje: a trace without tasks has its workers") {
    const auto events = events_of(made_up_trace({"CPU 0"}, {}));
    CHECK(events.size() == 5); // two containers, created and destroyed, and a state
}
