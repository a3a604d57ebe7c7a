// SPDX-License-Identifier: BSD-3-Clause
// What a plan holds: its points as a tree or as blocks, and the unit in which tasks see them. It
// knows nothing of costs: what is to be done has been decided.
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
    const std::vector<double>& re;
    const std::vector<double>& im; ///< empty for kernels of real strengths
    Potentials& out;
    std::string name; ///< in messages
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
    const LastField* field = nullptr;     ///< of the points, during build(); null: unknown
    std::unique_ptr<TreeData> tree{};     ///< Method::fmm
    std::unique_ptr<Topology> topology{}; ///< of the tree
    std::unique_ptr<DirectData> direct{}; ///< Method::direct
    Scaling scaling{};                    ///< of the points that either of them has
    Clock::time_point start{};            ///< of the last build
    bool described = false;

    /// What can be refused at once leaves the plan as it was; a later failure leaves it without
    /// points.
    /// \param decided method, theta, order, levels or leaf size; an octree's theta and order are
    ///        made to suit the points, unless the options name an order
    void build(
        const PlanInfo& decided, const PointsRef& sources, const PointsRef& targets, PointSets sets
    );

    /// Of points, tasks and their errors nothing is left.
    void drop() noexcept;

    void fill(const PointsRef& sources, const PointsRef& targets, PointSets sets);

    /// \returns whether all coordinates are in the range of the arithmetic
    bool fill_from(const PointsRef& sources, const PointsRef& targets, PointSets sets);

    /// As fill_from().
    bool build_tree(const PointsRef& sources, const PointsRef& targets, PointSets sets);

    /// Of no points yet.
    [[nodiscard]] std::unique_ptr<TreeData> make_tree(PointSets sets) const;

    /// In the tasks' unit.
    [[nodiscard]] KernelParameters parameters() const;

    /// By the field; of no effect where there is none.
    [[nodiscard]] OwnErrorSeparation own_error() const;

    /// Gives the tree theta, order, and what follows from them.
    void separate(TreeData& data) const;

    /// Whether M2L by plane waves is as good, and faster where there are many boxes.
    [[nodiscard]] bool prefers_waves() const;

    /// Whether an orthtree is not cut, for one GPU that has all to itself.
    [[nodiscard]] bool is_one_group() const;

    /// Cores whose tasks groups are cut for.
    [[nodiscard]] int n_cpu_of_groups() const;

    /// Of a pyramid's groups; a quadtree gets as many as there are boxes of that level, or fewer.
    [[nodiscard]] int group_level() const;

    /// An orthtree may get fewer.
    [[nodiscard]] std::size_t wanted_groups() const;

    /// Words of the lists of an orthtree that is one group, about.
    [[nodiscard]] std::size_t list_words() const;

    /// Whether an array may be too short for them.
    [[nodiscard]] bool has_long_lists() const;

    /// No more than there are sources.
    [[nodiscard]] std::size_t n_chunks() const;

    /// One group's operators follow each other on a GPU, where each task and each datum of it costs
    /// about 10 us: few tasks, then, except where a report of every operator is wanted and they
    /// take longer than that.
    [[nodiscard]] Fusion choose_fusion(const TreeData& data, const PointArrays& sources) const;

    /// Whatever is known once the lists are.
    void describe();

    void find_reach();

    /// \throws InputError for what can be refused without a look at the values
    void check_strengths(std::span<const Strengths> strengths) const;

    /// In traversals of up to max_columns right-hand sides; complex strengths of a kernel that
    /// takes real ones are two.
    void evaluate(std::span<const Strengths> strengths, std::span<Potentials> out);

    /// At most max_columns of them.
    void evaluate_columns(std::span<const Column> columns);

    /// Alone, in another unit of its strengths, if it needs one.
    void evaluate_scaled(const Column& column);

    void resize(Potentials& out) const;

    /// Evaluates nothing where it is known in time that the only column's strengths need scaling.
    /// \returns whether all strengths are in the range of the arithmetic
    bool evaluate_from(std::span<const Column> columns);

    /// Of the arrays of more right-hand sides than there were before.
    void check_memory_of(std::size_t n_columns) const;

    void add_imaginary(const Potentials& imaginary, Potentials& out) const;

private:
    [[nodiscard]] ScaledKernel scaled_kernel() const;

    [[nodiscard]] bool is_single() const { return kernel.traits.real_size == sizeof(float); }
};

} // namespace starfmm
