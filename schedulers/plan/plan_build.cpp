// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/grouping.hpp"
#include "schedulers/graphs/topology_graph.hpp"
#include "schedulers/plan/plan_input.hpp"
#include "schedulers/plan/plan_state.hpp"
#include "schedulers/plan/reach.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace starfmm {

void Plan::State::build(const Points<2>& sources, const Points<2>& targets, PointSets sets) {
    const Clock::time_point now = Clock::now();
    check_sizes(sources, "sources");
    check_sizes(targets, "targets");
    info = decide({sources.size(), targets.size(), sets == PointSets::two});
    start = now;
    described = false;
    n_sources = sources.size();
    n_targets = targets.size();
    scaling = {};
    try {
        fill(sources, targets, sets);
    } catch (...) {
        drop();
        throw;
    }
}

void Plan::State::drop() noexcept {
    tree.reset();
    direct.reset();
    runtime.abandon();
    info = {};
}

void Plan::State::fill(const Points<2>& sources, const Points<2>& targets, PointSets sets) {
    if (fill_from(sources, targets, sets)) {
        return;
    }
    scaling = {
        ScaledKernel{kernel.traits.name, is_single(), kernel.traits.scaling}, sources, targets};
    if (scaling.is_users()) {
        return;
    }
    // Points that arithmetic cannot take as they are: rare enough to be sorted twice.
    const Points<2> own_sources = scaling.scaled(sources);
    if (sets == PointSets::one) {
        static_cast<void>(fill_from(own_sources, own_sources, sets));
    } else {
        static_cast<void>(fill_from(own_sources, scaling.scaled(targets), sets));
    }
}

bool Plan::State::fill_from(const Points<2>& sources, const Points<2>& targets, PointSets sets) {
    tree.reset();
    direct.reset();
    InputCheck check{coordinate_range(is_single())};
    if (info.method == Method::direct) {
        for (int d = 0; d < 2; ++d) {
            const std::string axis = d == 0 ? ".x" : ".y";
            check.all_in &= are_in(check.range, sources.x[d], "sources" + axis);
            check.all_in &= are_in(check.range, targets.x[d], "targets" + axis);
        }
        direct = std::make_unique<DirectData>(runtime, kernel, sources, targets);
        info.work.p2p_pairs = static_cast<std::uint64_t>(n_sources) * n_targets;
    } else {
        build_tree(sources, targets, sets, check);
    }
    return check.all_in;
}

PlanInfo Plan::State::decide(const ProblemSize& size) const {
    check_precision(kernel.traits, options.tolerance);
    const WorkerCounts workers{runtime.n_cpu(), runtime.n_cuda()};
    const TunedCosts tuned = tuned_costs(runtime, kernel, options, size);
    const Choice choice = choose(options, kernel.traits, size, tuned.costs, workers);
    if (choice.method == Method::fmm && options.order == 0) {
        check_order(kernel.traits, options.tolerance, choice.theta);
    }
    if (choice.method == Method::fmm) {
        check_coefficients(kernel.traits, choice.order);
    }
    PlanInfo chosen;
    chosen.method = choice.method;
    chosen.theta = choice.theta;
    chosen.order = choice.order;
    chosen.tree = options.tree;
    chosen.levels = options.tree == TreeKind::pyramid ? choice.levels : 0;
    chosen.leaf_size = options.tree == TreeKind::quadtree ? choice.leaf_size : 0;
    chosen.predicted_fmm_s = choice.fmm_s;
    chosen.predicted_direct_s = choice.direct_s;
    chosen.costs = is_automatic(options) ? tuned.source : CostSource::none;
    chosen.tuning_notice = tuned.notice;
    return chosen;
}

void Plan::State::build_tree(
    const Points<2>& sources, const Points<2>& targets, PointSets sets, InputCheck& check
) {
    auto data = std::make_unique<TreeData>();
    data->options = options;
    data->options.theta = info.theta;
    data->sets = sets;
    data->n_sources = n_sources;
    data->n_targets = n_targets;
    data->real_size = kernel.traits.real_size;
    data->home = runtime.home();
    if (runtime.n_cuda() == 0) {
        data->arena =
            std::make_unique<std::pmr::monotonic_buffer_resource>(16 * n_sources, &data->pages);
    }
    data->order = info.order;
    data->levels = info.levels;
    data->n_coefficients = kernel.traits.n_coefficients(data->order);
    data->leaf_size = info.leaf_size;
    data->group_level = data->has_orthtree() ? 0 : group_level();
    data->make_groups();
    runtime.check_memory(data->n_bytes(kernel.traits));
    data->make_chunks(sets == PointSets::one && !data->has_orthtree() ? n_chunks() : 1);
    data->fusion = choose_fusion(*data, sources);
    build_topology(runtime, kernel.geometry, *data, sources, targets, check);
    tree = std::move(data);
}

int Plan::State::group_level() const {
    const int groups =
        options.groups > 0
            ? options.groups
            : default_groups(
                  n_sources, info.levels, runtime.n_cpu(), runtime.n_cuda(), runtime.gpu_memory()
              );
    return std::min(level_of_groups(groups), info.levels);
}

std::size_t Plan::State::n_chunks() const {
    const int n = options.chunks > 0
                      ? options.chunks
                      : default_chunks(n_sources, runtime.n_cuda(), runtime.gpu_memory());
    return std::min(static_cast<std::size_t>(n), n_sources);
}

Fusion Plan::State::choose_fusion(const TreeData& data, const Points<2>& sources) const {
    constexpr std::size_t few_points = 400'000; // whose arrays arrive before a task starts
    if (data.group_level > 0 || data.has_chunks() || runtime.n_cpu() > 0) {
        return Fusion::none;
    }
    if (n_sources + n_targets <= few_points) {
        return Fusion::all;
    }
    if (runtime.profiles()) {
        return Fusion::none;
    }
    const bool is_resident = runtime.resident(sources.x[0].data()) != nullptr;
    return is_resident && data.sets == PointSets::one ? Fusion::all : Fusion::after_rank;
}

void Plan::State::describe() {
    if (!tree || described) {
        return;
    }
    TreeData& data = *tree;
    try {
        finish_topology(runtime, kernel.geometry, data);
    } catch (...) {
        drop();
        throw;
    }
    info.topology_s = std::chrono::duration<double>(*data.finished - start).count();
    described = true;
    info.groups = static_cast<int>(data.groups.size());
    info.leaves = data.groups.size() * data.groups.front().leaves();
    if (data.has_orthtree()) {
        info.levels = static_cast<int>(data.groups.front().orthtree.last_level);
    }
    info.chunks = std::max(1, static_cast<int>(data.chunks.size()));
    info.work.m2l_shifts = data.top.list_counts.far;
    for (const Group& group : data.groups) {
        info.work.p2p_pairs += group.list_counts.p2p_pairs;
        info.work.m2l_shifts += group.list_counts.far;
        info.work.p2l_pairs += group.list_counts.p2l_pairs;
        info.work.m2p_pairs += group.list_counts.m2p_pairs;
    }
}

void Plan::State::find_reach() {
    info.reachable_tolerance = reach_of_precision(kernel.traits);
    if (info.method == Method::fmm) {
        const double of_order = reach_of_order(kernel.traits, info.order, info.theta);
        info.reachable_tolerance = std::max(info.reachable_tolerance, of_order);
    }
}

} // namespace starfmm
