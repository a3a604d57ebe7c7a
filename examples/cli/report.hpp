// SPDX-License-Identifier: BSD-3-Clause
// What a run tells its user on standard output and in its JSON record, and whether it is near enough.
#pragma once

#include "examples/cli/cli.hpp"
#include "schedulers/plan/plan_info.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/trace/trace.hpp"
#include "starfmm/sum.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// Wall-clock times of the repeats, in seconds: total = topology + evaluate.
struct Times {
    std::vector<double> total;
    std::vector<double> topology;
    std::vector<double> evaluate;
};

/// What a run tells its user.
struct RunReport {
    std::string driver;
    DriverOptions options; ///< with precision and tolerances that were chosen
    KernelShape kernel{};
    Report sum;
    PlanInfo plan;
    double own_error = 0; ///< of a tree: Choices::own_error
    int n_cpu = 0;        ///< workers, as the next two
    int n_cuda = 0;
    int n_opencl = 0;
    int n_ranks = 1;
    std::string scheduler;
    std::size_t tasks = 0; ///< tasks of the last repeat
    Times times;
    std::vector<Phase> phases;    ///< phases of the last repeat
    std::optional<Errors> errors; ///< the largest of any right-hand side
    bool is_judged_in_l2 = false; ///< also complex potentials
};

/// Whether the sum was of gravity.
[[nodiscard]] bool is_gravity(const RunReport& report);

[[nodiscard]] double median(std::vector<double> values);

/// What the sum was and what was chosen, of what costs, for which workers.
/// \param of_tasks what else there is to say of the tasks
void print_choices(const RunReport& report, const std::string& of_tasks = "");

/// A line of the errors of each part of the values.
void print_errors(const Errors& errors);

void print_report(const RunReport& report);

/// Whether the errors are as the tolerance allows: the largest of a target for complex potentials,
/// those in L2 for others, which cross zero. In space gradients may have more.
/// \returns 0, or 1 after saying what exceeds what; 0 if nothing was compared
[[nodiscard]] int verdict(const RunReport& report);

/// The value if it means something, else null.
template <class T>
[[nodiscard]] nlohmann::json known(bool is_known, const T& value) {
    return is_known ? nlohmann::json(value) : nlohmann::json();
}

/// The record of a run: null is what means nothing.
[[nodiscard]] nlohmann::json record_of(const RunReport& report);

/// A file that appears complete or not at all. What is no UTF-8 is replaced: names of files may be
/// any bytes.
/// \throws OutputError naming it
void write_record(const std::string& path, const nlohmann::json& record);

} // namespace starfmm
