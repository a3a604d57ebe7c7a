// SPDX-License-Identifier: BSD-3-Clause
// Cancellation: for a few targets of a sum in space, sums that tell how far its terms cancel, where
// the sources lie. O(targets sources).
#pragma once

#include "codelets/task/codelet.hpp"
#include "core/reference/cancellation_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The shares of the sources that each target's sums have, which are to be added in their order.
inline constexpr std::size_t cancellation_shares = 64;

/// The task of `cancellation`.
struct CancellationTask {
    static constexpr std::string_view name = "cancellation";
    static constexpr Color color = Color::grey;
    TargetSums* sums;           ///< W [n_targets cancellation_shares]
    const double* targets;      ///< R [n_targets 3]
    const std::uint32_t* order; ///< R [n_ordered] a sample of the sources, along a curve
    SourceView sources;         ///< R [n]
    std::size_t n_targets;
    std::size_t n_ordered;

    template <class Buffers>
    static CancellationTask of(Buffers& buffers) {
        CancellationTask task{};
        task.sums = buffers.template write<TargetSums>();
        task.targets = buffers.template read<double>();
        task.n_targets = buffers.size() / 3;
        task.order = buffers.template read<std::uint32_t>();
        task.n_ordered = buffers.size();
        for (const double*& coordinate : task.sources.x) {
            coordinate = buffers.template read<double>();
        }
        task.sources.q = buffers.template read<double>();
        task.sources.n = buffers.size();
        return task;
    }

    template <class Isa>
    static void cpu(const CancellationTask& task);
    static void cuda(const CancellationTask& task);

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t n_runs() const {
        return (n_ordered + run_length - 1) / run_length;
    }

    /// Where a share of all sources begins.
    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t share_begin(std::size_t share) const {
        return sources.n * share / cancellation_shares;
    }

    /// What the source of number `j` does to a target.
    [[nodiscard]] STARFMM_HOST_DEVICE SourceSums term(std::size_t target, std::size_t j) const {
        const double* const at = targets + 3 * target;
        return term_of(
            sources.x[0][j] - at[0], sources.x[1][j] - at[1], sources.x[2][j] - at[2], sources.q[j]
        );
    }
};

template <class Isa>
void CancellationTask::cpu(const CancellationTask& task) {
    for (std::size_t t = 0; t < task.n_targets; ++t) {
        for (std::size_t share = 0; share < cancellation_shares; ++share) {
            TargetSums& sums = task.sums[t * cancellation_shares + share];
            sums = {};
            for (std::size_t j = task.share_begin(share); j < task.share_begin(share + 1); ++j) {
                sums.all.add(task.term(t, j));
            }
            for (std::size_t run = share; run < task.n_runs(); run += cancellation_shares) {
                SourceSums of_run;
                const std::size_t end = std::min((run + 1) * run_length, task.n_ordered);
                for (std::size_t k = run * run_length; k < end; ++k) {
                    of_run.add(task.term(t, task.order[k]));
                }
                sums.add_run(of_run);
            }
        }
    }
}

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/inspection/cancellation.cuh"
#endif
