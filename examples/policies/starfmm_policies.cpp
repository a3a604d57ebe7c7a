// SPDX-License-Identifier: BSD-3-Clause
// This driver compares scheduling policies on one workload.
#include "examples/cli/cli.hpp"
#include "examples/cli/record.hpp"
#include "examples/policies/policies_table.hpp"

#include <algorithm>
#include <cstdio>

namespace {

constexpr int a_policy_failed = 3;

int run(int argc, char** argv) {
    const auto options = starfmm::parse_policies_options(argc, argv);
    if (!options) {
        return 0;
    }
    const auto results = starfmm::compare_policies(*options);
    if (!options->json.empty()) {
        starfmm::write_record(options->json, starfmm::policies_record(*options, results));
    }
    if (!options->telling.quiet) {
        std::printf("%s", starfmm::policies_table(*options, results).c_str());
    }
    const bool all_ran = std::ranges::all_of(results, [](const starfmm::PolicyResult& result) {
        return result.failure.empty();
    });
    return all_ran ? 0 : a_policy_failed;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
