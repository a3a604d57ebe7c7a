// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks share: cases measured in turn, so that a change of the machine's speed meets
// all of them alike, and medians of ratios within a turn.
#pragma once

#include "core/options.hpp"
#include "examples/cli/cli.hpp"
#include "examples/cli/driver.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// One way to run one problem.
struct BenchCase {
    std::string name;
    const Problem* problem;
    int cpus;
    Execution execution = Execution::tasks;
};

/// Options of a driver, the benchmark's own number of rounds where --repeat is not given.
/// \param dimension 2: of pyramid2d; 3: of laplace3d
std::optional<DriverOptions>
parse_bench_options(int argc, char** argv, const std::string& name, int rounds, int dimension = 2);

/// Plans and evaluates each case once a round, each time with a runtime that is started and stopped
/// outside of the timed part, as one process has one at a time; a first round is not counted, nor
/// is the first plan of a runtime.
/// \returns times by case; the times of round r are element r
std::vector<Times> interleave(const std::vector<BenchCase>& cases, const DriverOptions& options);

/// Median over the rounds of numerator / denominator.
double median_ratio(const std::vector<double>& numerator, const std::vector<double>& denominator);

/// A table of the medians, one line a case.
void print_cases(const std::vector<BenchCase>& cases, const std::vector<Times>& times);

enum class Bar { at_most, at_least };

/// One line: the ratio, its bar, and whether it is met.
void print_ratio(const std::string& name, double ratio, Bar bar, double limit);

} // namespace starfmm
