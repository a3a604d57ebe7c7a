// SPDX-License-Identifier: BSD-3-Clause
// One sum on GPUs, measured in several ways.
#pragma once

#include "core/particles/points.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/trace/trace.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace starfmm {

/// Times of each round, seconds from points to results.
using Rounds = std::vector<double>;

/// The sources are the targets; strengths are real.
class GpuSums {
public:
    /// \param repeat rounds that count; others come before
    GpuSums(
        KernelSet& kernel,
        AnyPoints points,
        Strengths strengths,
        const PlanOptions& plan,
        int repeat
    );

    /// The arrays are pageable until then.
    void lock_pages();

    /// From host memory to host memory.
    [[nodiscard]] Rounds end_to_end(int gpus);

    struct ResidentRounds {
        Rounds tasks;
        Rounds in_order; ///< by the same bodies on one stream without StarPU; of one GPU only
        Rounds freed;    ///< after `tasks`, until the plan is gone
    };

    /// From arrays in a GPU's memory to such. With and without StarPU, in turn.
    [[nodiscard]] ResidentRounds resident(int gpus);

    /// Medians over the rounds of each phase's time, resident: on one GPU in order, by the device's
    /// clock; on several added up over these, where tasks that share a GPU all count.
    /// \param trace of the last round, write_trace()'s file; empty: none
    [[nodiscard]] std::vector<Phase> phases(int gpus, const std::string& trace);

    /// Of the last sum.
    [[nodiscard]] const PlanInfo& info() const { return info_; }

    [[nodiscard]] std::size_t size() const { return points_.size(); }

private:
    std::vector<std::vector<double>*> arrays();
    /// Seconds until there are results; what frees the plan is in freed_s_.
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

/// One line: milliseconds, and how near they are to the least that is possible.
/// \param least seconds; 0: not known
void print_gpu_line(const std::string& what, double seconds, double least);

/// Of resident rounds: what StarPU costs.
void print_gpu_overhead(const GpuSums::ResidentRounds& rounds);

} // namespace starfmm
