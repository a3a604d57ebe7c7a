// SPDX-License-Identifier: BSD-3-Clause
// The task graph of direct summation has one task for each pair of blocks.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "schedulers/graphs/block_buffer.hpp"
#include "schedulers/graphs/point_sets.hpp"
#include "schedulers/graphs/row_shares.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace starfmm {

/// Targets of one task of cores: there are several tasks a worker, for balance, but none so small
/// that it is not worth its overhead.
[[nodiscard]] std::size_t direct_block_size(std::size_t n_targets, std::size_t n_workers);

/// Who shares a direct sum.
struct DirectWorkers {
    int cpus;
    int gpus;
    int streams; ///< CUDA workers: one or several a GPU

    friend bool operator==(const DirectWorkers&, const DirectWorkers&) = default;
};

[[nodiscard]] DirectWorkers direct_workers(const Runtime& runtime);

/// Points a block.
struct DirectBlocks {
    std::size_t targets;
    std::size_t sources;
};

/// Blocks such that each worker has several tasks, each worth its overhead.
[[nodiscard]] DirectBlocks direct_blocks(
    std::size_t n_sources,
    std::size_t n_targets,
    const DirectWorkers& workers,
    const DirectOptions& options
);

/// The buffers of a pair of blocks, in the order of DirectTask.
struct DirectPair {
    DataBlock& values;
    DataBlock& targets; ///< has the targets among its points
    DataBlock& sources;
    DataBlock& strengths;

    [[nodiscard]] std::array<Handle*, 4> handles() const {
        return {&values.handle, &targets.handle, &sources.handle, &strengths.handle};
    }

    /// What its task is told.
    /// \param sets one: places of targets and sources count the same points
    [[nodiscard]] TaskArgs
    args(const KernelParameters& kernel, const DirectOptions& options, PointSets sets) const;
};

/// Points of a direct sum, in blocks that are each large enough for a task.
class DirectData {
public:
    DirectData(Runtime& runtime, KernelSet& kernel, const DirectOptions& options)
        : runtime_(runtime), kernel_(kernel), options_(options) {}

    /// Places points, in the memory of the last ones if they were as many. Points of kernels that
    /// have lengths have them, or lengths of zero.
    /// \param epsilon softening length of kernels that have one; unit: the points'
    /// \param sets one: targets are the sources
    void place(double epsilon, const PointsRef& sources, const PointsRef& targets, PointSets sets);

    /// Computes the sums of one right-hand side; packed ones without potentials leave those of
    /// `out`.
    /// \param im empty for kernels of real strengths
    void evaluate(std::span<const double> re, std::span<const double> im, const ResultsRef& out);

    /// Sizes of the largest blocks.
    [[nodiscard]] DirectBlocks blocks() const;

private:
    /// What blocks depend on.
    struct Shape {
        std::size_t n_sources;
        std::size_t n_targets;
        PointSets sets;
        DirectWorkers workers;

        friend bool operator==(const Shape&, const Shape&) = default;
    };

    [[nodiscard]] bool is_packed() const { return options_.packed != PackedSums::none; }

    void cut(const Shape& shape);
    void write_points(const PointsRef& points, BlockBuffer& out) const;
    [[nodiscard]] std::vector<RowShare> target_rows(const DirectBlocks& blocks) const;
    /// The source block that the targets of `values` are part of.
    [[nodiscard]] std::size_t home_of(const DataBlock& values) const;
    [[nodiscard]] DataBlock& targets_of(std::size_t block);
    void submit();

    Runtime& runtime_;
    KernelSet& kernel_;
    DirectOptions options_;
    KernelParameters parameters_;
    double length_ = 1; ///< the tasks' unit in that of the points
    Shape shape_{};
    std::size_t source_block_ = 0;
    bool shares_points_ = false; ///< whether targets are read from the blocks of sources
    BlockBuffer sources_;
    BlockBuffer strengths_;
    BlockBuffer targets_;
    BlockBuffer values_;
};

} // namespace starfmm
