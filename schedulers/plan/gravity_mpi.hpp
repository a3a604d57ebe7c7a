// SPDX-License-Identifier: BSD-3-Clause
// Softened gravity by direct summation over the ranks of an MPI program.
#pragma once

#include "codelets/sets/gravity_set.hpp"
#include "core/particles/bodies.hpp"
#include "schedulers/graphs/exchange.hpp"
#include "schedulers/plan/gravity.hpp"
#include "schedulers/plan/gravity_data.hpp"
#include "schedulers/runtime/mpi_session.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <vector>

namespace starfmm {

/// GravitySum of the bodies of all ranks: each rank has some bodies, which are one block of
/// sources, and gets their accelerations. Blocks travel while those that are there are summed.
/// Memory: O(bodies of all ranks).
class DistributedGravity {
public:
    /// \throws InputError for options out of range
    DistributedGravity(
        Runtime& runtime,
        const MpiSession& session,
        const GravityOptions& options,
        ExchangePattern pattern
    );

    /// All ranks call this together. `options.source_block` has no effect. With
    /// SummationOrder::fixed, blocks add up in the order of ranks, whoever computes: the bits are
    /// those of a GravitySum whose source blocks are the ranks' bodies.
    /// \param bodies this rank's own; may be none, but not on all ranks
    /// \throws InputError as GravitySum does, on all ranks if one rank's bodies are unusable
    void evaluate(const Bodies& bodies, Accelerations& out);

    /// Sizes of the blocks of this rank in the last evaluation.
    [[nodiscard]] const GravityBlocks& blocks() const { return blocks_; }

    /// Tasks of this rank in the last evaluation.
    [[nodiscard]] std::size_t n_tasks() const { return n_tasks_; }

private:
    GravityUnits common_units(const Bodies& bodies) const;
    void allocate(std::size_t n);
    void register_data();
    void exchange();
    [[nodiscard]] std::vector<int> source_order() const;
    [[nodiscard]] GravityBlock& block_of(int rank);
    void submit(double epsilon);
    void submit_pair(GravityBlock& target, GravityBlock& source, bool adds, double epsilon);

    Runtime& runtime_;
    const MpiSession& session_;
    GravityOptions options_;
    GravitySet& codelets_;
    std::vector<std::vector<BlockTransfer>> stages_;
    GravityBlocks blocks_{};
    std::vector<std::size_t> counts_; ///< bodies by rank
    GravityBuffer own_;               ///< this rank's bodies
    GravityBuffer sums_;
    std::vector<GravityBlock> others_; ///< bodies of the other ranks; nothing at this rank's place
    Handle scratch_;
    std::size_t n_tasks_ = 0;
};

} // namespace starfmm
