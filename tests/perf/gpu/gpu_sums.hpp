// SPDX-License-Identifier: BSD-3-Clause
// One sum on GPUs is measured in several ways.
#pragma once

#include "core/particles/points.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/trace/trace.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace starfmm {

/// Seconds of each round, from points to results.
using Rounds = std::vector<double>;

/// Sums whose sources are the targets, with real strengths.
class GpuSums {
public:
    /// Keeps the arrays of the sums.
    /// \param repeat number of rounds that count; others come before them
    GpuSums(
        KernelSet& kernel,
        AnyPoints points,
        Strengths strengths,
        const PlanOptions& plan,
        int repeat
    );

    /// Locks the pages of the arrays, which are pageable before.
    void lock_pages();

    /// Measures sums from host memory to host memory.
    [[nodiscard]] Rounds end_to_end(int gpus);

    struct ResidentRounds {
        Rounds tasks;
        Rounds in_order; ///< the same bodies on one stream without StarPU; one GPU only
        Rounds freed;    ///< time after `tasks` until the plan is gone
    };

    /// Measures sums from arrays in a GPU's memory to such arrays, with and without StarPU, in
    /// turn.
    [[nodiscard]] ResidentRounds resident(int gpus);

    /// Returns the medians over the rounds of each phase's time with resident data. On one GPU
    /// phases run in order and are timed by the device's clock. On several GPUs times are added up,
    /// and tasks that share a GPU all count in full.
    /// \param trace file name for write_trace() of the last round; empty: none
    [[nodiscard]] std::vector<Phase> phases(int gpus, const std::string& trace);

    /// Information on the plan of the last sum.
    [[nodiscard]] const PlanInfo& info() const { return info_; }

    [[nodiscard]] std::size_t size() const { return points_.size(); }

private:
    std::vector<std::vector<double>*> arrays();
    /// Measures seconds until there are results; the time that freeing the plan takes goes to
    /// freed_s_.
    double time(Runtime& runtime);

    KernelSet& kernel_;
    AnyPoints points_;
    Strengths strengths_;
    Potentials results_;
    PlanOptions plan_;
    int repeat_;
    PlanInfo info_;
    double freed_s_ = 0;
    std::deque<PageLock> locks_;
};

/// Prints one line: milliseconds, and how near they are to the least that is possible.
/// \param least seconds; 0: not known
void print_gpu_line(const std::string& what, double seconds, double least);

/// Prints what StarPU costs, from resident rounds.
void print_gpu_overhead(const GpuSums::ResidentRounds& rounds);

} // namespace starfmm
