// SPDX-License-Identifier: BSD-3-Clause
// Softened gravity by direct summation over the ranks of an MPI program.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/particles/bodies.hpp"
#include "schedulers/graphs/direct_graph.hpp"
#include "schedulers/graphs/exchange.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/runtime/mpi_session.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <vector>

namespace starfmm {

/// GravityTree's direct sums over the bodies of all ranks: each rank has some bodies, which are one
/// block of sources, and gets their accelerations. Blocks travel while those that are there are
/// summed.
/// Memory: O(bodies of all ranks).
class DistributedGravity {
public:
    /// \param options Plummer's softening, and the method direct
    /// \throws InputError for options out of range
    DistributedGravity(
        Runtime& runtime,
        const MpiSession& session,
        const GravityTreeOptions& options,
        ExchangePattern pattern
    );

    /// All ranks call this together. DirectOptions::source_block has no effect. With
    /// SummationOrder::fixed, blocks add up in the order of ranks, whoever computes: the bits are
    /// those of a GravityTree whose source blocks are the ranks' bodies.
    /// \param bodies this rank's own; may be none, but not on all ranks
    /// \throws InputError as GravityTree does, on all ranks if one rank's bodies are unusable
    void evaluate(const Bodies& bodies, Accelerations& out);

    /// Sizes of the blocks of this rank in the last evaluation.
    [[nodiscard]] const DirectBlocks& blocks() const { return blocks_; }

    /// Tasks of this rank in the last evaluation.
    [[nodiscard]] std::size_t n_tasks() const { return n_tasks_; }

private:
    /// The bodies of one rank, whose places are counted from this rank's first body.
    struct RankBodies {
        DataBlock* positions;
        DataBlock* masses;
    };

    GravityUnits common_units(const Bodies& bodies) const;
    void allocate(std::size_t n);
    void register_data();
    void exchange();
    [[nodiscard]] std::vector<int> source_order() const;
    [[nodiscard]] RankBodies bodies_of(int rank);
    void submit(const KernelParameters& parameters);

    Runtime& runtime_;
    const MpiSession& session_;
    GravityTreeOptions options_;
    DirectOptions direct_;
    KernelSet& kernel_;
    std::vector<std::vector<BlockTransfer>> stages_;
    DirectBlocks blocks_{};
    std::vector<std::size_t> counts_; ///< bodies by rank
    BlockBuffer positions_;           ///< this rank's bodies
    BlockBuffer masses_;
    BlockBuffer sums_;
    std::vector<DataBlock> other_positions_; ///< by rank; nothing at this rank's place
    std::vector<DataBlock> other_masses_;
    std::size_t n_tasks_ = 0;
};

} // namespace starfmm
