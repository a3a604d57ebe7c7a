// SPDX-License-Identifier: BSD-3-Clause
// The task graph of direct summation has one task for each pair of blocks.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/particles/points.hpp"
#include "schedulers/graphs/row_shares.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace starfmm {

/// Targets of one task: there are several tasks a worker, for balance, but none so small that it is
/// not worth its overhead.
[[nodiscard]] std::size_t direct_block_size(std::size_t n_targets, std::size_t n_workers);

/// Points of a direct sum, in blocks that are each large enough for a task.
class DirectData {
public:
    DirectData(
        Runtime& runtime,
        KernelSet& kernel,
        const KernelParameters& parameters,
        const PointsRef& sources,
        const PointsRef& targets
    );

    /// Computes the sums of one right-hand side.
    /// \param im empty for kernels of real strengths
    void evaluate(std::span<const double> re, std::span<const double> im, const ResultsRef& out);

private:
    /// Points [begin, begin + n) of the user's order, stored coordinate by coordinate.
    struct Block {
        std::size_t begin;
        std::size_t n;
        Takers takers;
        std::vector<double> storage;
        Handle positions;
    };

    using Values = std::vector<std::byte>; ///< values of one block: kernel reals

    [[nodiscard]] std::vector<RowShare> rows(std::size_t n, std::size_t source_block) const;
    [[nodiscard]] std::vector<Block>
    make_blocks(const PointsRef& points, std::span<const RowShare> rows) const;
    Handle make_strengths(
        const Block& block, std::span<const double> re, std::span<const double> im, Values& storage
    ) const;
    std::vector<Handle> make_values(std::vector<Values>& storage) const;
    void submit_blocks(std::vector<Handle>& values, std::vector<Handle>& strengths);
    void write_results(const std::vector<Values>& storage, const ResultsRef& out) const;

    Runtime& runtime_;
    KernelSet& kernel_;
    KernelParameters parameters_;
    std::vector<Block> targets_;
    std::vector<Block> sources_;
};

} // namespace starfmm
