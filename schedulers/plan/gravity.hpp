// SPDX-License-Identifier: BSD-3-Clause
// The public facade of softened gravity by direct summation, and its task graph: one task a pair of
// blocks.
#pragma once

#include "codelets/sets/gravity_set.hpp"
#include "core/options.hpp"
#include "core/particles/bodies.hpp"
#include "schedulers/plan/gravity_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>

namespace starfmm {

/// In which order the blocks of sources add up.
enum class SummationOrder {
    any,  ///< as they come: results differ in their last digits from call to call
    fixed ///< ascending: the same bits whenever blocks and kinds of workers are the same
};

/// What is summed, and how precisely.
struct GravityOptions {
    double epsilon = 0; ///< softening length, >= 0; unit: the bodies'
    double g = 1;       ///< gravitational constant
    GravityPrecision precision = GravityPrecision::double_precision;
    GravityResult result = GravityResult::acceleration;
    SummationOrder order = SummationOrder::any;
    Team team = Team::automatic;  ///< who sums; no effect where workers are of one kind
    std::size_t target_block = 0; ///< targets a task; 0: automatic
    std::size_t source_block =
        0; ///< sources a task, rounded up to whole blocks of targets; 0: automatic

    /// \throws InputError naming the first option that is out of its range
    void validate() const;
};

/// Bodies a block.
struct GravityBlocks {
    std::size_t targets;
    std::size_t sources; ///< a multiple of `targets`
};

/// Options of a runtime that sums gravity alone: one stream a GPU, which a task fills, so that
/// several GPUs share few bodies by one task each.
[[nodiscard]] inline RuntimeOptions gravity_runtime() {
    RuntimeOptions options;
    options.streams = 1;
    return options;
}

/// Who shares the work.
struct GravityWorkers {
    int cpus;
    int gpus;
    int streams; ///< CUDA workers: one or several a GPU
};

[[nodiscard]] GravityWorkers gravity_workers(const Runtime& runtime);

/// Blocks such that each worker has several tasks, each worth its overhead.
[[nodiscard]] GravityBlocks
gravity_blocks(std::size_t n, const GravityWorkers& workers, const GravityOptions& options);

/// What the performance model knows of a worker of this runtime, or of all its cores together.
[[nodiscard]] GravityMachine gravity_machine(const Runtime& runtime, const GravityOptions& options);

/// Accelerations a_i = G sum_{j != i} m_j (x_j - x_i) / (|x_j - x_i|^2 + epsilon^2)^(3/2)
/// [MTM13 Eq 1] and potentials -G sum_{j != i} m_j / sqrt(|x_j - x_i|^2 + epsilon^2). With
/// epsilon = 0, bodies at the same place do not act on each other.
///
///     Runtime runtime(gravity_runtime());
///     GravitySum gravity(runtime, {.epsilon = 0.01});
///     Accelerations a;
///     gravity.evaluate(bodies, a); // any number of times; nothing is allocated while N stays
class GravitySum {
public:
    /// \throws InputError for options out of range
    GravitySum(Runtime& runtime, const GravityOptions& options);

    /// O(N^2), on all workers. `out` is resized if it has another size. Numbers are scaled by
    /// powers of two before they are rounded, so that units are the user's choice in any precision.
    /// \throws InputError for no bodies, arrays of different lengths, values that are not finite
    void evaluate(const Bodies& bodies, Accelerations& out);

    [[nodiscard]] const GravityOptions& options() const { return options_; }

    /// Sizes of the blocks of the last evaluation.
    [[nodiscard]] const GravityBlocks& blocks() const { return blocks_; }

    /// Who made the last evaluation; automatic where workers are of one kind.
    [[nodiscard]] Team team() const { return team_; }

    /// What each team was predicted to take, where there was a choice.
    [[nodiscard]] const TeamTimes& team_times() const { return team_s_; }

private:
    void allocate(std::size_t n);
    void choose_team(std::size_t n);
    [[nodiscard]] std::vector<RowShare> rows(std::size_t n) const;
    void submit(double epsilon);
    void submit_pair(GravityBlock& target, std::size_t source, std::size_t round, double epsilon);

    Runtime& runtime_;
    GravityOptions options_;
    GravitySet& codelets_;
    std::size_t n_ = 0;
    Team team_ = Team::automatic;
    TeamTimes team_s_;
    GravityBlocks blocks_{};
    GravityBuffer sources_;
    GravityBuffer targets_;
    Handle scratch_;
};

} // namespace starfmm
