// SPDX-License-Identifier: BSD-3-Clause
// Benchmarks share this: cases measured in turn, so that a change of the machine's speed meets all
// of them alike, and medians of ratios within a turn.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "core/options.hpp"
#include "examples/cli/cli.hpp"
#include "examples/cli/problem.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <deque>
#include <optional>
#include <span>
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

/// Reads the options of a driver, with the benchmark's own number of rounds where --repeat is not
/// given.
/// \param dimension 2: options of pyramid2d; 3: of laplace3d
std::optional<DriverOptions>
parse_bench_options(int argc, char** argv, const std::string& name, int rounds, int dimension = 2);

/// Options that benchmarks of direct gravity do not have.
inline const std::vector<std::string> not_of_direct_sums{
    "targets",
    "target-input",
    "method",
    "Tree",
    "pattern",
    "softening",
    "tol99",
    "opencl",
    "groups"};

/// Returns the shipped kernel for the options and the strengths at hand.
[[nodiscard]] KernelSet& choose_kernel(const DriverOptions& options, const Problem& problem);

/// Page-locks the arrays for GPUs, as drivers do; makes room for the results.
[[nodiscard]] std::deque<PageLock>
page_lock(const Problem& problem, std::span<Potentials> potentials);

/// Plans and evaluates each case once a round. Each time a runtime is started and stopped outside
/// of the timed part, as a process has one at a time. A first round is not counted, nor is the
/// first plan of a runtime.
/// \returns times by case; the times of round r are element r
std::vector<Times> interleave(const std::vector<BenchCase>& cases, const DriverOptions& options);

/// Median over the rounds of numerator / denominator.
double median_ratio(const std::vector<double>& numerator, const std::vector<double>& denominator);

/// Prints a table of the medians, one line a case.
void print_cases(const std::vector<BenchCase>& cases, const std::vector<Times>& times);

enum class Bar { at_most, at_least };

/// Prints one line: the ratio, its bar, and whether the bar is met.
void print_ratio(const std::string& name, double ratio, Bar bar, double limit);

} // namespace starfmm
