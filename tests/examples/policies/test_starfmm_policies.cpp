// SPDX-License-Identifier: BSD-3-Clause
#include "examples/policies/policies_table.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

ProgramResult policies(const std::string& arguments) {
    return run_program("starfmm-policies", arguments);
}

const std::string small = "--n 2000 --cpus 1 --gpus 0 --tune off --repeat 2 ";

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

starfmm::PolicyRun run_of(double makespan, double path, double area) {
    starfmm::PolicyRun run;
    run.makespan_s = makespan;
    run.path_s = path;
    run.area_s = area;
    run.tasks = 1;
    return run;
}

} // namespace

TEST_CASE("starfmm-policies: each policy has a line, and a record") {
    const TemporaryFolder folder;
    for (const std::string workload : {"pyramid2d", "laplace3d", "gravity"}) {
        const std::string file = folder.file(workload + ".json");
        const ProgramResult run = policies(
            small + "--policies starfmm,lws,eager --rounds 2 --workload " + workload + " --json " +
            file
        );
        CAPTURE(workload);
        CAPTURE(run.out);
        CHECK(run.exit_code == 0);
        CHECK(run.out.starts_with(workload + ", n = 2000; bound "));
        const auto record = nlohmann::json::parse(folder.bytes(workload + ".json"));
        for (const std::string policy : {"starfmm", "lws", "eager"}) {
            CHECK(has(run.out, "\n" + policy + " "));
            const auto& of = record.at("policies").at(policy);
            CHECK(of.at("failure").is_null());
            CHECK(of.at("runs").size() == 4);
            CHECK(of.at("median").at("makespan_s") > 0);
            CHECK(of.at("median").at("makespan_s") >= of.at("median").at("own_bound_s"));
            CHECK(of.at("median").at("idle") < 1);
            CHECK(of.at("median").at("moved_bytes") == 0); // cores have one memory
        }
        CHECK(record.at("bound_s") > 0);
    }
}

TEST_CASE("starfmm-policies: a policy without a result in time is said so") {
    const ProgramResult run = policies(small + "--policies lws --time-limit 1e-6");
    CHECK(run.exit_code == 3);
    CHECK(has(run.out, "\nlws: no result within the time limit\n"));
}

TEST_CASE("starfmm-policies: bad input is named") {
    const auto rejected = [](const std::string& arguments, const std::string& message) {
        check_rejects("starfmm-policies", arguments, message, {{"--json", "a.json"}});
    };
    rejected("--workload nbody", "--workload nbody: must be pyramid2d, laplace3d or gravity");
    rejected("--policies lws,fastest", "--policies lws,fastest: 'fastest': must be some of ");
    rejected("--policies ''", "--policies '': '': must be some of ");
    rejected("--n 0", "--n 0: must be >= 1");
    rejected("--tol 2", "--tol 2: must be in (0, 1)");
    rejected("--groups 5", "--groups 5");
    rejected("--workload gravity --groups 4", "--groups: direct gravity has none");
    rejected("--time-limit 0", "--time-limit 0: must be > 0");
    rejected("--repeat 0", "--repeat 0: must be >= 1");
    rejected("--cpus 1024 --gpus 0", "--cpus 1024: this machine has ");
}

TEST_CASE("starfmm-policies: medians, and the bound of who shares most out") {
    const std::vector<starfmm::PolicyResult> results{
        {"a", {run_of(5, 1, 3), run_of(4, 1, 3), run_of(9, 1, 3)}, ""},
        {"b", {run_of(8, 2, 1)}, ""},
        {"c", {}, "ended by signal 9"}};
    CHECK(results[0].median().makespan_s == 5);
    CHECK(starfmm::least_bound(results).bound_s() == 2);
    const std::string table = starfmm::policies_table({}, results);
    CHECK(has(table, "bound 2000.000 ms by predicted times: critical path 2000.000 ms"));
    CHECK(has(table, "\na          5000.000   1.000     2.50 "));
    CHECK(has(table, "\nb          8000.000   1.600     4.00 "));
    CHECK(has(table, "\nc: ended by signal 9\n"));
}
