// SPDX-License-Identifier: BSD-3-Clause
// The state of a plan: its points as a tree or as blocks, and the unit in which tasks see them. The
// state knows nothing of costs: what is to be done has been decided.
#pragma once

#include "core/particles/scaling.hpp"
#include "schedulers/graphs/direct_graph.hpp"
#include "schedulers/graphs/topology/topology_graph.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/plan/plan_info.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/user_array.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// One right-hand side, by the kernel's own strength type, and where its results go.
struct Column {
    std::span<const double> re;
    std::span<const double> im; ///< lengths, of kernels that have them; empty for real strengths
    ResultsRef out;
    std::string name; ///< name in messages
};

struct LastField;

struct PlanState {
    using Clock = std::chrono::steady_clock;

    Runtime& runtime;
    KernelSet& kernel;
    PlanOptions options;
    PlanInfo info{};
    std::size_t n_sources = 0;
    std::size_t n_targets = 0;
    const LastField* field = nullptr;     ///< field of the points, during build(); null: unknown
    std::unique_ptr<TreeData> tree{};     ///< Method::fmm
    std::unique_ptr<Topology> topology{}; ///< topology of the tree
    std::unique_ptr<DirectData> direct{}; ///< Method::direct
    Potentials direct_sums{};             ///< of `direct`, where results are resident
    Scaling scaling{};                    ///< scaling of the points in `tree` or `direct`
    std::vector<double> lengths{};        ///< lengths of the sources, in the tasks' unit
    std::vector<double> target_lengths{}; ///< those of targets of their own; none: zero
    Clock::time_point start{};            ///< start of the last build
    bool described = false;

    /// Builds the tree or the blocks. Input that can be refused at once leaves the plan as it was;
    /// a later failure leaves it without points.
    /// \param decided method, theta, order, levels or leaf size; an octree's theta and order are
    /// adapted to the points, unless the options name an order
    void build(
        const PlanInfo& decided, const PointsRef& sources, const PointsRef& targets, PointSets sets
    );

    /// Drops points, tasks and their errors.
    void drop() noexcept;

    void fill(const PointsRef& sources, const PointsRef& targets, PointSets sets);

    /// Builds the tree or the blocks from these points.
    /// \returns whether all coordinates are in the range of the arithmetic
    bool fill_from(const PointsRef& sources, const PointsRef& targets, PointSets sets);

    /// Sums all pairs instead where they are few and no order keeps the tolerance for these points.
    void avoid_orders_that_fail(const PointsRef& sources, const PointsRef& targets);

    /// The users' sources, with what separations need of their bodies.
    [[nodiscard]] PointArrays sources_and_field(const PointsRef& sources, const ValueRange& range);

    /// Builds the tree of fill_from().
    /// \returns whether all coordinates are in the range of the arithmetic
    bool build_tree(const PointsRef& sources, const PointsRef& targets, PointSets sets);

    /// Makes a tree that has no points yet.
    [[nodiscard]] std::unique_ptr<TreeData> make_tree(PointSets sets) const;

    /// The kernel's parameters in the tasks' unit.
    [[nodiscard]] KernelParameters parameters() const;

    /// Separation by own error from the field; the result has no effect where there is no field.
    [[nodiscard]] OwnErrorSeparation own_error() const;

    /// Gives the tree theta, order, and what follows from them.
    void separate(TreeData& data) const;

    /// Whether M2L by plane waves is as precise, and faster where there are many boxes.
    [[nodiscard]] bool prefers_waves() const;

    /// Whether an orthtree is not cut, because one GPU works alone.
    [[nodiscard]] bool is_one_group() const;

    /// Number of cores whose tasks groups are cut for.
    [[nodiscard]] int n_cpu_of_groups() const;

    /// Level of a pyramid's groups; a quadtree gets as many groups as that level has boxes, or
    /// fewer.
    [[nodiscard]] int group_level() const;

    /// Wanted number of groups; an orthtree may get fewer.
    [[nodiscard]] std::size_t wanted_groups() const;

    /// Approximate number of words of the lists of an orthtree that is one group.
    [[nodiscard]] std::size_t list_words() const;

    /// Whether an array may be too short for the lists.
    [[nodiscard]] bool has_long_lists() const;

    /// Number of chunks, no more than there are sources.
    [[nodiscard]] std::size_t n_chunks() const;

    /// Chooses which operators share a task. One group's operators follow each other on a GPU,
    /// where each task and each datum of it costs about 10 us. Few tasks are best there, except
    /// where a report of every operator is wanted and operators take longer than that.
    [[nodiscard]] Fusion choose_fusion(const TreeData& data, const PointArrays& sources) const;

    /// Fills in what is known once the lists are.
    void describe();

    void find_reach();

    /// Checks the strengths of all right-hand sides.
    /// \throws InputError for strengths that can be refused without a look at their values
    void check_strengths(std::span<const StrengthsRef> strengths) const;

    /// Evaluates in traversals of up to max_columns right-hand sides; complex strengths of a kernel
    /// that takes real ones are two.
    void evaluate(std::span<const StrengthsRef> strengths, std::span<Potentials> out);

    /// Evaluates strengths of the kernel's own type.
    /// \throws InputError for strengths of another, and results of other sizes
    void evaluate(
        std::span<const StrengthsRef> strengths,
        std::span<const ResultsRef> out,
        const WhileSumming& meanwhile
    );

    /// Evaluates in traversals of up to max_columns right-hand sides.
    void evaluate_all(std::span<const Column> columns, const WhileSumming& meanwhile = {});

    /// Evaluates at most max_columns right-hand sides.
    void evaluate_columns(std::span<const Column> columns, const WhileSumming& meanwhile);

    /// Evaluates one right-hand side alone, in another unit of its strengths if it needs one.
    void evaluate_scaled(const Column& column);

    void resize(Potentials& out) const;

    /// Evaluates right-hand sides, but nothing where it is known in time that the only column's
    /// strengths need scaling.
    /// \returns whether all strengths are in the range of the arithmetic
    bool evaluate_from(std::span<const Column> columns, const WhileSumming& meanwhile = {});

    /// Checks the memory of the arrays of more right-hand sides than there were before.
    void check_memory_of(std::size_t n_columns) const;

    void add_imaginary(const Potentials& imaginary, Potentials& out) const;

private:
    [[nodiscard]] ScaledKernel scaled_kernel() const;

    /// Whether strengths of the user's have an imaginary part.
    [[nodiscard]] bool takes_complex() const {
        return kernel.traits.complex_strength && !kernel.traits.has_lengths;
    }

    /// The power of two that a right-hand side's strengths have to be multiplied by.
    [[nodiscard]] int exponent_of(const Column& column) const;

    [[nodiscard]] bool is_packed() const { return info.packed != PackedSums::none; }

    [[nodiscard]] bool is_single() const { return kernel.traits.real_size == sizeof(float); }
};

} // namespace starfmm
