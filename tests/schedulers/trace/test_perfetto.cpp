// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/trace/perfetto.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

using doctest::Approx;
using starfmm::InputError;
using starfmm::read_trace;
using starfmm::Trace;
using Json = nlohmann::json;

namespace {

/// Has something of everything.
Trace full_trace() {
    Trace trace = diamond_trace();
    trace.transferred_bytes = 12345;
    starfmm::TraceTask& task = trace.tasks[3];
    task.submit_s = -0.25;
    task.ready_s = 3.5;
    task.fetch_s = 3.6;
    task.fetched_s = 3.9;
    task.predicted_s = 0.75;
    task.group = 11;
    task.level = 2;
    task.implementation = 1;
    task.parts = {{"l2p", 5, 0x43a047, 4, 4.25, false}, {"gather", 6, 0x9e9e9e, 4.125, 5, true}};
    trace.has_transfers = true;
    trace.links = {"NUMA 0 -> CUDA 0", "CUDA 0 -> NUMA 0"};
    trace.transfers = {{0, 12000, 0.5, 1}, {1, 345, 4.5, 5}};
    trace.memories = {"CUDA 0"};
    trace.memory_uses = {{0, 0, 100}, {0, 1.5, 12100}};
    return trace;
}

std::string written(const Trace& trace) {
    const TemporaryFolder folder;
    starfmm::write_perfetto(folder.file("a.json"), trace, starfmm::analyse(trace));
    return folder.bytes("a.json");
}

void check_unreadable(const std::string& bytes, const std::string& why) {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json", bytes);
    const std::string message = path + ": " + why;
    CHECK_THROWS_WITH_AS((void)read_trace(path), message.c_str(), InputError);
}

} // namespace

TEST_CASE("perfetto: what was written is read back") {
    const TemporaryFolder folder;
    const Trace trace = full_trace();
    starfmm::write_perfetto(folder.file("a.json"), trace, starfmm::analyse(trace));
    const Trace read = read_trace(folder.file("a.json"));
    CHECK(read.scheduler == trace.scheduler);
    CHECK(read.transferred_bytes == trace.transferred_bytes);
    REQUIRE(read.workers.size() == 2);
    CHECK(read.workers[1].name == "CPU 1");
    CHECK_FALSE(read.workers[1].is_cuda);
    REQUIRE(read.tasks.size() == trace.tasks.size());
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        const starfmm::TraceTask& a = trace.tasks[i];
        const starfmm::TraceTask& b = read.tasks[i];
        CHECK(read.operators.at(b.op).name == trace.operators[a.op].name);
        CHECK(read.operators.at(b.op).color == trace.operators[a.op].color);
        CHECK(b.worker == a.worker);
        CHECK(b.start_s == Approx(a.start_s));
        CHECK(b.end_s == Approx(a.end_s));
        CHECK(b.submit_s == Approx(a.submit_s));
        CHECK(b.ready_s == Approx(a.ready_s));
        CHECK(b.fetch_s == Approx(a.fetch_s));
        CHECK(b.fetched_s == Approx(a.fetched_s));
        CHECK(b.predicted_s == Approx(a.predicted_s));
        CHECK(b.work == a.work);
        CHECK(b.after == a.after);
    }
    CHECK(read.tasks[3].group == 11);
    CHECK(read.tasks[3].level == 2);
    CHECK(read.tasks[3].implementation == 1);
    REQUIRE(read.tasks[3].parts.size() == 2);
    CHECK(read.tasks[3].parts[1].name == "gather");
    CHECK(read.tasks[3].parts[1].work == 6);
    CHECK(read.tasks[3].parts[1].color == 0x9e9e9e);
    CHECK(read.tasks[3].parts[1].start_s == Approx(4.125));
    CHECK(read.tasks[3].parts[1].end_s == Approx(5));
    CHECK(read.tasks[3].parts[1].is_aside);
    CHECK_FALSE(read.tasks[3].parts[0].is_aside);
}

TEST_CASE("perfetto: links, transfers and memory are read back") {
    const TemporaryFolder folder;
    const Trace trace = full_trace();
    starfmm::write_perfetto(folder.file("a.json"), trace, starfmm::analyse(trace));
    const Trace read = read_trace(folder.file("a.json"));
    CHECK(read.has_transfers);
    CHECK(read.links == trace.links);
    REQUIRE(read.transfers.size() == 2);
    CHECK(read.transfers[1].link == 1);
    CHECK(read.transfers[1].n_bytes == 345);
    CHECK(read.transfers[1].start_s == Approx(4.5));
    CHECK(read.transfers[1].end_s == Approx(5));
    CHECK(read.memories == trace.memories);
    REQUIRE(read.memory_uses.size() == 2);
    CHECK(read.memory_uses[1].time_s == Approx(1.5));
    CHECK(read.memory_uses[1].n_bytes == 12100);
}

TEST_CASE("perfetto: a trace that tells no transfers is told from one without any") {
    const TemporaryFolder folder;
    Trace trace = diamond_trace();
    for (const bool has_transfers : {false, true}) {
        trace.has_transfers = has_transfers;
        starfmm::write_perfetto(folder.file("a.json"), trace, starfmm::analyse(trace));
        CHECK(read_trace(folder.file("a.json")).has_transfers == has_transfers);
    }
}

TEST_CASE("perfetto: a trace without tasks is read back, too") {
    const TemporaryFolder folder;
    const Trace trace = made_up_trace({"CUDA 0"}, {});
    starfmm::write_perfetto(folder.file("a.json"), trace, starfmm::analyse(trace));
    const Trace read = read_trace(folder.file("a.json"));
    CHECK(read.tasks.empty());
    CHECK(read.workers.at(0).is_cuda);
}

TEST_CASE("perfetto: bars, arrows and counters of the viewer") {
    const Json events = Json::parse(written(full_trace())).at("traceEvents");
    std::map<std::string, int> n;
    std::map<int, std::pair<double, double>> arrows; // by number: where they begin and end
    int ready = 0;
    int critical = 0;
    std::size_t memory = 0;
    std::size_t n_bytes = 0;
    std::set<int> part_lanes;
    for (const Json& event : events) {
        const std::string kind = event.at("ph").get<std::string>();
        ++n[kind];
        if (kind == "s") {
            arrows[event.at("id")].first = event.at("ts");
        } else if (kind == "f") {
            CHECK(event.at("bp") == "e");
            arrows[event.at("id")].second = event.at("ts");
        } else if (kind == "C" && event.at("name") == "ready tasks") {
            ready = event.at("args").at("tasks");
            CHECK(ready >= 0);
        } else if (kind == "C") {
            CHECK(event.at("name") == "memory of CUDA 0");
            memory = event.at("args").at("bytes");
        } else if (kind == "X" && event.at("cat") == "transfer") {
            n_bytes += event.at("args").at("bytes").get<std::size_t>();
        } else if (kind == "X" && event.at("cat") == "part") {
            part_lanes.insert(event.at("tid").get<int>());
        } else if (kind == "X" && event.at("cat") == "task") {
            critical += event.at("args").at("critical").get<bool>() ? 1 : 0;
        }
    }
    CHECK(n["M"] == 4 * 3); // workers, waits, links and streams with parts: each with two lanes
    CHECK(n["X"] == 4 + 1 + 2 + 2); // tasks, one that waits for its data, parts, transfers
    CHECK(n["s"] == 3);
    CHECK(n["f"] == 3);
    CHECK(n["C"] == 2 + 2); // of ready tasks, and of a memory
    CHECK(memory == 12100);
    CHECK(n_bytes == 12345);
    CHECK(part_lanes == std::set<int>{0, 1}); // parts that run beside each other
    CHECK(ready == 0);
    CHECK(critical == 2);
    CHECK(arrows.size() == 3);
    for (const auto& [id, ends] : arrows) {
        CHECK(ends.first < ends.second);
    }
}

TEST_CASE("perfetto: files that are no traces are told apart") {
    const std::string whole = written(full_trace());
    check_unreadable("", "is empty");
    check_unreadable("[1, 2]", "is no trace of starfmm's; --trace FILE.json writes one");
    check_unreadable(
        R"({"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2}]})",
        "is no trace of starfmm's; --trace FILE.json writes one"
    );
    check_unreadable("\x89PNG...", "is damaged, or no trace: byte 1 is not JSON");
    check_unreadable(whole.substr(0, 40), "is cut off after 0 tasks: write it again");
    check_unreadable(whole.substr(0, whole.size() - 4), "is cut off after 4 tasks: write it again");
    std::string newer = whole;
    newer.replace(newer.find(R"("version":1)"), 11, R"("version":9)");
    check_unreadable(newer, "version 9 of the format, this program reads version 1");
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        (void)read_trace(folder.file("missing.json")),
        (folder.file("missing.json") + ": cannot be read: No such file or directory").c_str(),
        InputError
    );
    CHECK_THROWS_WITH_AS((void)read_trace("/"), "/: cannot be read: is a folder", InputError);
}

TEST_CASE("perfetto: what contradicts itself is damaged") {
    const std::string whole = written(full_trace());
    const auto with = [&](const std::string& old, const std::string& other) {
        std::string bytes = whole;
        REQUIRE(bytes.find(old) != std::string::npos);
        return bytes.replace(bytes.find(old), old.size(), other);
    };
    const std::string why = "is damaged: its tasks are not those that it announces";
    check_unreadable(with(R"("tasks":4)", R"("tasks":5)"), why);
    check_unreadable(with(R"("after":[0])", R"("after":[1])"), why); // a task that waits for itself
    check_unreadable(with(R"("tid":1,"ts":0)", R"("tid":7,"ts":0)"), why);
    check_unreadable(with(R"("link":1)", R"("link":2)"), why);
    check_unreadable(with("[0,1500000.0,12100]", "[1,1500000.0,12100]"), why);
    check_unreadable(
        with(R"("work":1.0)", R"("work":"")"), "is damaged: type must be number, but is string"
    );
    for (const char* const level : {"1e300", "-3000000000", "0.5", "null"}) {
        check_unreadable(
            with(R"("level":2)", std::string(R"("level":)") + level),
            "is damaged: a number that counts or names is not whole, or out of range"
        );
    }
}
