// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/perfetto.hpp"
#include "schedulers/trace/trace.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using starfmm::Execution;
using starfmm::OutputError;
using starfmm::Phase;
using starfmm::phases_of;
using starfmm::Runtime;
using starfmm::write_trace;
using Json = nlohmann::json;

namespace {

void evaluate(Runtime& runtime) {
    const auto points = starfmm::make_points<2>(starfmm::Distribution::uniform, 5000, 0.1, 1);
    starfmm::PlanOptions options;
    options.leaf_size = 20;
    options.groups = 4;
    starfmm::Plan plan(
        runtime, starfmm::kernel_set<starfmm::Harmonic<double, false>>(), points, options
    );
    (void)plan.evaluate({std::vector<double>(5000, 1), {}});
}

Json file_of(const Runtime& runtime) {
    const TemporaryFolder folder;
    write_trace(folder.file("trace.json"), runtime);
    return Json::parse(folder.bytes("trace.json"));
}

} // namespace

TEST_CASE("trace: a lane a worker, a named task of non-negative duration a record") {
    for (const Execution execution : {Execution::tasks, Execution::in_order}) {
        Runtime runtime({-1, 0, "", true}, execution);
        evaluate(runtime);
        const Json trace = file_of(runtime);
        std::set<int> lanes;
        std::size_t n_tasks = 0;
        std::set<std::string> names;
        double first = 1;
        for (const Json& event : trace.at("traceEvents")) {
            if (event.at("name") == "thread_name") {
                CHECK_FALSE(event.at("args").at("name").get<std::string>().empty());
                lanes.insert(event.at("tid").get<int>());
            }
            if (event.value("cat", "") != "task") {
                continue;
            }
            CHECK(event.at("ph") == "X");
            CHECK(lanes.contains(event.at("tid").get<int>())); // lanes come first
            CHECK(event.at("ts").get<double>() >= 0);
            CHECK(event.at("dur").get<double>() >= 0);
            CHECK(event.at("args").at("work").get<double>() >= 0);
            CHECK_FALSE(event.at("cname").get<std::string>().empty());
            names.insert(event.at("name").get<std::string>());
            first = std::min(first, event.at("ts").get<double>());
            ++n_tasks;
        }
        CHECK(first == 0);
        CHECK(lanes.size() == runtime.workers().size());
        CHECK(n_tasks == runtime.records().size());
        CHECK(n_tasks == runtime.n_tasks());
        for (const std::string name :
             {"sort", "connect", "p2m", "m2m", "m2l", "l2l", "l2p", "p2p"}) {
            CHECK(names.contains(name));
        }
        CHECK(trace.at("displayTimeUnit") == "ms");
        CHECK(trace.at("otherData").at("scheduler") == runtime.policy());
        CHECK(trace.at("otherData").at("transferred_bytes") == 0);
    }
}

TEST_CASE("trace: a real run's sums agree, and a task begins after those that it waits for") {
    for (const Execution execution : {Execution::tasks, Execution::in_order}) {
        Runtime runtime({-1, 0, "", true}, execution);
        runtime.record_details();
        evaluate(runtime);
        const starfmm::Trace trace = starfmm::trace_of(runtime);
        const starfmm::TraceAnalysis analysis = starfmm::analyse(trace);
        std::size_t n_dependencies = 0;
        std::set<std::uint64_t> groups;
        for (const starfmm::TraceTask& task : trace.tasks) {
            groups.insert(task.group);
            n_dependencies += task.after.size();
            for (const std::size_t before : task.after) {
                CHECK(trace.tasks[before].end_s <= task.start_s);
            }
        }
        CHECK(n_dependencies > trace.tasks.size());
        CHECK(groups.size() == 4);
        for (const starfmm::WorkerUse& use : analysis.workers) {
            CHECK(use.busy_s + use.total_idle() == doctest::Approx(analysis.makespan_s));
        }
        const double longest = std::ranges::max(analysis.durations);
        CHECK(analysis.path.length_s >= longest);
        CHECK(analysis.path.length_s <= analysis.makespan_s);
        CHECK(analysis.area_bound_s <= analysis.makespan_s);
        CHECK(analysis.path.tasks.size() > 5); // from rank to gather
    }
}

TEST_CASE("trace: the suffix chooses the format") {
    Runtime runtime({1, 0, "", true}, Execution::in_order);
    runtime.record_details();
    evaluate(runtime);
    const TemporaryFolder folder;
    write_trace(folder.file("a.txt"), runtime);
    const std::string text = folder.bytes("a.txt");
    for (const std::string part :
         {"tasks on 1 workers",
          "bound: ",
          "worker ",
          "operator ",
          "m2l ",
          "on the critical path",
          "what to try next"}) {
        CHECK(text.find(part) != std::string::npos);
    }
    write_trace(folder.file("a"), runtime);
    CHECK(starfmm::read_trace(folder.file("a")).tasks.size() == runtime.records().size());
    CHECK_THROWS_WITH_AS(
        write_trace("a.png", runtime),
        "--trace a.png: must end in .json, .html or .txt",
        starfmm::InputError
    );
    CHECK_THROWS_AS(starfmm::check_trace_file_name("trace", "a.jsn"), starfmm::InputError);
    CHECK_NOTHROW(starfmm::check_trace_file_name("trace", "/dev/stdout"));
}

TEST_CASE("trace: phases add up the records of an operator, in order of its first task") {
    Runtime runtime({1, 0, "", true}, Execution::in_order);
    evaluate(runtime);
    const std::vector<Phase> phases = phases_of(runtime.records());
    CHECK(phases.front().name == "rank");
    CHECK(phases.back().name == "gather");
    std::size_t tasks = 0;
    double time = 0;
    double work = 0;
    std::set<std::string> names;
    for (const Phase& phase : phases) {
        tasks += phase.tasks;
        time += phase.time_s;
        work += phase.work;
        CHECK(names.insert(phase.name).second);
    }
    CHECK(tasks == runtime.records().size());
    double record_time = 0;
    double record_work = 0;
    for (const auto& record : runtime.records()) {
        record_time += record.end_s - record.start_s;
        record_work += record.work;
    }
    CHECK(time == doctest::Approx(record_time));
    CHECK(work == doctest::Approx(record_work));
    CHECK(phases_of({}).empty());
}

TEST_CASE("trace: without tasks the file is as valid") {
    const Runtime runtime({}, Execution::in_order);
    CHECK(file_of(runtime).at("traceEvents").size() == 2); // names of the process and its lane
}

TEST_CASE("trace: a missing folder is rejected") {
    const Runtime runtime({}, Execution::in_order);
    const TemporaryFolder folder;
    CHECK_THROWS_AS(write_trace(folder.file("no") + "/trace.json", runtime), OutputError);
    CHECK(folder.n_files() == 0);
}
