// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/tree/cells.hpp"
#include "core/expansions/plane_waves.hpp"
#include "schedulers/costs/order_rule.hpp"
#include "schedulers/graphs/grouping.hpp"
#include "schedulers/graphs/topology/topology_graph.hpp"
#include "schedulers/plan/inspection/reach.hpp"
#include "schedulers/plan/inspection/suited_points.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/plan/plan_state.hpp"
#include "schedulers/runtime/gpu_array.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

constexpr ValueRange any_value{0, std::numeric_limits<double>::max()};

/// The number of a right-hand side that fields and lengths are not confused with.
constexpr std::uint32_t second = 1;

std::vector<UserInput> user_field(Runtime& runtime, const LastField& field) {
    constexpr std::array roles{ArrayRole::gradient_x, ArrayRole::gradient_y, ArrayRole::gradient_z};
    std::vector<UserInput> arrays;
    const auto add = [&](std::span<const double> values, ArrayRole role) {
        arrays.emplace_back(runtime, values, ArrayPlace(role, second), "last field", any_value);
    };
    add(field.strengths, ArrayRole::strength_re);
    add(field.potential, ArrayRole::potential_re);
    for (std::size_t d = 0; d < roles.size(); ++d) {
        add(field.gradient[d], roles[d]);
    }
    return arrays;
}

} // namespace

void PlanState::build(
    const PlanInfo& decided, const PointsRef& sources, const PointsRef& targets, PointSets sets
) {
    if (decided.method == Method::fmm) {
        check_coefficients(kernel.traits, decided.order);
    }
    info = decided;
    runtime.engage(info.team);
    start = Clock::now();
    described = false;
    n_sources = sources.size();
    n_targets = targets.size();
    scaling = {};
    lengths.assign(sources.lengths.begin(), sources.lengths.end());
    target_lengths.clear();
    if (sets == PointSets::two) {
        target_lengths.assign(targets.lengths.begin(), targets.lengths.end());
    }
    try {
        fill(sources, targets, sets);
    } catch (...) {
        drop();
        throw;
    }
    field = nullptr;
}

void PlanState::drop() noexcept {
    field = nullptr;
    topology.reset();
    tree.reset();
    direct.reset();
    runtime.abandon();
    info = {};
}

void PlanState::fill(const PointsRef& sources, const PointsRef& targets, PointSets sets) {
    if (fill_from(sources, targets, sets)) {
        return;
    }
    // Arithmetic may not take these points as they are, which is rare enough to sort them twice.
    const HostPoints host_sources(runtime, sources);
    if (sets == PointSets::one) {
        scaling = {scaled_kernel(), host_sources.points(), host_sources.points()};
    } else {
        scaling = {scaled_kernel(), host_sources.points(), HostPoints(runtime, targets).points()};
    }
    if (scaling.is_users()) {
        return;
    }
    info.has_users_unit = false;
    topology.reset(); // its tasks read the lengths
    for (std::vector<double>* each : {&lengths, &target_lengths}) {
        std::ranges::transform(*each, each->begin(), [&](double x) { return scaling.to_tasks(x); });
    }
    const AnyPoints own_sources = scaling.scaled(host_sources.points());
    if (sets == PointSets::one) {
        static_cast<void>(fill_from(own_sources, own_sources, sets));
    } else {
        const AnyPoints own_targets = scaling.scaled(HostPoints(runtime, targets).points());
        static_cast<void>(fill_from(own_sources, own_targets, sets));
    }
}

ScaledKernel PlanState::scaled_kernel() const {
    const KernelTraits& traits = kernel.traits;
    // the values include a gradient
    const bool cubes = traits.dimension == 3 && traits.n_values > 3;
    const double epsilon = traits.is_softened ? options.epsilon : 0;
    return {traits.name, is_single(), traits.scaling, cubes, epsilon};
}

bool PlanState::fill_from(const PointsRef& sources, const PointsRef& targets, PointSets sets) {
    topology.reset();
    tree.reset();
    avoid_orders_that_fail(sources, targets);
    if (info.method != Method::direct) {
        direct.reset();
        return build_tree(sources, targets, sets);
    }
    if (kernel.traits.has_packed && runtime.n_opencl() == 0) {
        info.packed = options.direct.packed;
    }
    const ValueRange range =
        is_packed() ? ValueRange{0, max_magnitude(false)} : coordinate_range(scaled_kernel());
    PointArrays users_sources = user_sources(runtime, sources, range);
    PointArrays users_targets = user_targets(runtime, targets, range);
    const bool sources_in = users_sources.check();
    const bool targets_in = sets == PointSets::one ? sources_in : users_targets.check();
    if (!direct) {
        DirectOptions how = options.direct;
        how.packed = info.packed;
        direct = std::make_unique<DirectData>(runtime, kernel, how);
    }
    const HostPoints host_sources(runtime, sources);
    std::optional<HostPoints> host_targets;
    if (sets == PointSets::two) {
        host_targets.emplace(runtime, targets);
    }
    PointsRef placed_sources = host_sources.points();
    PointsRef placed_targets = (host_targets ? *host_targets : host_sources).points();
    placed_sources.lengths = lengths;
    placed_targets.lengths = host_targets ? target_lengths : lengths;
    direct->place(scaling.to_tasks(options.epsilon), placed_sources, placed_targets, sets);
    info.target_block = direct->blocks().targets;
    info.source_block = direct->blocks().sources;
    info.work.p2p_pairs = static_cast<std::uint64_t>(n_sources) * n_targets;
    return sources_in && targets_in;
}

void PlanState::avoid_orders_that_fail(const PointsRef& sources, const PointsRef& targets) {
    constexpr double most_pairs = 1e9; // a second of a core
    const double n_pairs = static_cast<double>(n_sources) * static_cast<double>(n_targets);
    if (info.method != Method::fmm || n_pairs > most_pairs) {
        return;
    }
    SeenPoints seen_sources(runtime, sources);
    SeenPoints seen_targets(runtime, targets);
    const SuitedPoints points(
        info, kernel.traits, options, seen_sources.points(), seen_targets.points()
    );
    if (!points.is_served()) {
        info.method = Method::direct;
        info.levels = 0;
        info.why_direct = "no order keeps the tolerance with this theta for points like these";
    }
}

PointArrays PlanState::sources_and_field(const PointsRef& sources, const ValueRange& range) {
    PointArrays users_sources = user_sources(runtime, sources, range);
    if (field != nullptr) {
        users_sources.field = user_field(runtime, *field);
    }
    if (kernel.traits.has_lengths) {
        users_sources.field.emplace_back(
            runtime, lengths, ArrayPlace(ArrayRole::strength_im, second), "lengths", any_value
        );
    }
    return users_sources;
}

bool PlanState::build_tree(const PointsRef& sources, const PointsRef& targets, PointSets sets) {
    const ValueRange range = coordinate_range(scaled_kernel());
    PointArrays users_sources = sources_and_field(sources, range);
    PointArrays users_targets = user_targets(runtime, targets, range);
    SeenPoints seen_sources(runtime, sources);
    std::optional<SeenPoints> seen_targets;
    if (sets == PointSets::two) {
        seen_targets.emplace(runtime, targets);
    }
    SuitedPoints points(
        info,
        kernel.traits,
        options,
        seen_sources.points(),
        (seen_targets ? *seen_targets : seen_sources).points()
    );
    Meanwhile meanwhile;
    if (info.tree == TreeKind::orthtree && wanted_groups() == 1) {
        meanwhile.boxes = [&] { return points.begin_suit(); };
        meanwhile.lists = [&] {
            points.suit(info);
            separate(*tree);
            runtime.check_memory(tree->n_bytes(kernel.traits));
        };
    } else {
        points.suit(info);
    }
    tree = make_tree(sets);
    tree->fusion = choose_fusion(*tree, users_sources);
    topology = std::make_unique<Topology>(runtime, kernel.geometry, *tree);
    const bool all_in = topology->build(users_sources, users_targets, meanwhile);
    if (tree->has_orthtree() && tree->has_groups()) { // only now its boxes are counted
        runtime.check_memory(tree->n_bytes(kernel.traits));
    }
    return all_in;
}

std::unique_ptr<TreeData> PlanState::make_tree(PointSets sets) const {
    auto data = std::make_unique<TreeData>();
    data->options = options;
    data->kernel = parameters();
    data->own_error = own_error();
    data->dimension = kernel.traits.dimension;
    data->sets = sets;
    data->n_sources = n_sources;
    data->n_targets = n_targets;
    data->real_size = kernel.traits.real_size;
    data->coefficient_size = kernel.traits.coefficient_components * kernel.traits.real_size;
    data->home = runtime.home();
    if (runtime.engaged().n_cuda == 0) {
        data->arena =
            std::make_unique<std::pmr::monotonic_buffer_resource>(16 * n_sources, &data->pages);
    }
    data->levels = info.levels;
    data->leaf_size = info.leaf_size;
    data->roots = info.roots;
    data->group_level = group_level();
    data->wanted_groups = wanted_groups();
    separate(*data);
    data->make_groups();
    runtime.check_memory(data->n_bytes(kernel.traits));
    const bool takes_chunks = !data->has_orthtree() || data->wanted_groups > 1;
    data->permutes_users = runtime.engaged().n_cuda == 0 && !data->has_orthtree();
    data->make_chunks(sets == PointSets::one && takes_chunks ? n_chunks() : 1);
    return data;
}

KernelParameters PlanState::parameters() const {
    return kernel.traits.parameters(scaling.to_tasks(options.epsilon));
}

OwnErrorSeparation PlanState::own_error() const {
    if (field == nullptr) {
        return {};
    }
    const double unit = scaling.to_tasks(1);
    const double all = field->sum_of_strengths;
    const double per_mass = all > 0 ? 1 / all : 0;
    return {field->own_error, info.order, per_mass, per_mass / unit, per_mass / (unit * unit)};
}

void PlanState::separate(TreeData& data) const {
    data.options.theta = info.theta;
    data.order = info.order;
    data.terms = info.terms;
    if (data.is_near_field()) {
        return;
    }
    check_coefficients(kernel.traits, info.order);
    data.n_coefficients = kernel.traits.n_coefficients(info.order);
    data.crowd = static_cast<std::uint64_t>(kernel.traits.pairs_a_coefficient) *
                 static_cast<std::uint64_t>(data.n_coefficients);
    data.prefers_waves = prefers_waves();
}

bool PlanState::prefers_waves() const {
    const OrderRule order(kernel.traits, info.terms);
    const double tolerance = options.tolerance;
    return runtime.engaged().n_cuda > 0 && runtime.engaged().n_cpu == 0 && order.has_cells() &&
           info.order <= order(tolerance, info.theta) &&
           are_plane_waves_apt(tolerance, info.order, info.theta);
}

bool PlanState::is_one_group() const {
    return info.tree == TreeKind::orthtree && options.groups == 0 &&
           runtime.engaged().n_cuda == 1 && n_cpu_of_groups() == 0 && !has_long_lists();
}

int PlanState::n_cpu_of_groups() const {
    const bool makes_lists = info.tree == TreeKind::orthtree && options.lists == Team::cores;
    return makes_lists ? runtime.n_cpu() : runtime.engaged().n_cpu;
}

int PlanState::group_level() const {
    if (is_one_group() || kernel.traits.dimension == 3) {
        return 0;
    }
    const bool has_quadtree = info.tree == TreeKind::orthtree;
    const int deepest = has_quadtree ? cell_level<2> : info.levels;
    const int groups = options.groups > 0 ? options.groups
                                          : default_groups(
                                                n_sources,
                                                deepest,
                                                n_cpu_of_groups(),
                                                runtime.engaged().n_cuda,
                                                runtime.gpu_memory()
                                            );
    const int least = has_quadtree && options.groups == 0 && has_long_lists() ? 1 : 0;
    return std::min(std::max(level_of_groups(groups), least), deepest);
}

std::size_t PlanState::wanted_groups() const {
    if (is_one_group()) {
        return 1;
    }
    if (kernel.traits.dimension == 2) {
        return n_boxes<2>(group_level());
    }
    const int groups = options.groups > 0 ? options.groups
                                          : default_runs(
                                                n_sources,
                                                list_words(),
                                                n_cpu_of_groups(),
                                                runtime.engaged().n_cuda,
                                                runtime.gpu_memory()
                                            );
    return static_cast<std::size_t>(groups);
}

std::size_t PlanState::list_words() const {
    // mean fraction of the most points of a leaf, in Plummer's model
    constexpr double mean_leaf = 0.27;
    constexpr double box_room = 9.0 / 8.0; // TreeData::box_room
    const double all_over_leaves = kernel.traits.dimension == 2 ? 4.0 / 3.0 : 8.0 / 7.0;
    const auto n = static_cast<double>(std::max(n_sources, n_targets));
    const double leaves = n / std::max(1.0, mean_leaf * info.leaf_size);
    const auto boxes = static_cast<std::size_t>(box_room * all_over_leaves * leaves);
    return orthtree_list_words(kernel.traits.dimension, boxes);
}

bool PlanState::has_long_lists() const {
    return list_words() > std::numeric_limits<std::uint32_t>::max();
}

std::size_t PlanState::n_chunks() const {
    const auto& [n_cpu, n_cuda] = runtime.engaged();
    const bool splits = info.tree == TreeKind::pyramid && group_level() > 0;
    const int cores = splits ? n_cpu : 1;
    const int n = options.chunks > 0
                      ? options.chunks
                      : default_chunks(n_sources, cores, n_cuda, runtime.gpu_memory());
    return std::min(static_cast<std::size_t>(n), n_sources);
}

Fusion PlanState::choose_fusion(const TreeData& data, const PointArrays& sources) const {
    // arrays of so few points arrive before a task starts
    constexpr std::size_t few_points = 400'000;
    if (data.is_near_field() && runtime.profiles()) {
        return Fusion::none;
    }
    if (data.wanted_groups > 1 || data.has_chunks() || runtime.engaged().n_cpu > 0 ||
        options.lists == Team::cores) {
        return Fusion::none;
    }
    if (n_sources + n_targets <= few_points) {
        return Fusion::all;
    }
    if (runtime.profiles()) {
        return Fusion::none;
    }
    return sources.x[0].is_resident() && data.sets == PointSets::one ? Fusion::all
                                                                     : Fusion::after_rank;
}

void PlanState::describe() {
    if (!tree || described) {
        return;
    }
    TreeData& data = *tree;
    runtime.engage(info.team);
    try {
        topology->finish_lists();
    } catch (...) {
        drop();
        throw;
    }
    info.topology_s = std::chrono::duration<double>(topology->finished() - start).count();
    described = true;
    info.groups = static_cast<int>(data.groups.size());
    info.leaves = 0;
    for (const Group& group : data.groups) {
        info.leaves += group.leaves();
        if (data.has_orthtree()) {
            info.levels = std::max(info.levels, group.last_level());
        }
    }
    info.chunks = std::max(1, static_cast<int>(data.chunks.size()));
    info.work.m2l_shifts = data.top.list_counts.far;
    for (const Group& group : data.groups) {
        info.work.p2p_pairs += group.list_counts.p2p_pairs;
        info.work.m2l_shifts += data.is_near_field() ? 0 : group.list_counts.far;
        info.work.p2l_pairs += group.list_counts.p2l_pairs;
        info.work.m2p_pairs += group.list_counts.m2p_pairs;
    }
}

void PlanState::find_reach() {
    info.reachable_tolerance = reach_of_precision(kernel.traits);
    if (info.method == Method::fmm) {
        const double of_order = reach_of_order({kernel.traits, info.terms}, info.order, info.theta);
        info.reachable_tolerance = std::max(info.reachable_tolerance, of_order);
    }
}

} // namespace starfmm
