// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/tree_data.hpp"

#include "codelets/task/task_views.hpp"
#include "core/expansions/plane_waves.hpp"
#include "schedulers/runtime/array_memory.hpp"

#include <algorithm>
#include <bit>

namespace starfmm {

namespace {

/// Entries for each box that the lists of an orthtree have room for.
struct OrthtreeRows {
    std::size_t far;
    std::size_t near;
};

OrthtreeRows orthtree_rows(int dimension) {
    return dimension == 2 ? OrthtreeRows{48, 32} : OrthtreeRows{400, 160};
}

} // namespace

void TreeData::make_groups() {
    const int first_level = has_orthtree() ? 0 : group_level;
    groups = std::vector<Group>(n_boxes(first_level));
    top.tree = {dimension, {0, first_level, 0}};
    for (std::size_t g = 0; g < groups.size(); ++g) {
        groups[g].tree = {dimension, {first_level, levels, g}};
        groups[g].part = {static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(groups.size())};
        groups[g].top_box = top.tree.leaf_box(g);
        groups[g].sources.n = groups[g].tree.n_points(n_sources);
        groups[g].neighbours = {static_cast<std::uint32_t>(g)};
        // Uniform points need 13 near and 27 far boxes a box, others up to twice as many. Lists
        // that are too short grow.
        const std::size_t boxes = groups[g].tree.total_boxes();
        const std::size_t leaves = groups[g].tree.leaves();
        groups[g].list_layout = {boxes, leaves, 48 * boxes + 256, 20 * leaves + max_slots};
    }
}

std::size_t TreeData::box_room(const Group& group) const {
    const std::size_t n = group.total_boxes();
    if (!has_orthtree() || arena != nullptr) { // without GPUs, all memory comes from one arena
        return n;
    }
    const std::size_t unit = std::max<std::size_t>(1, std::bit_floor(n) / 8);
    return (n + unit - 1) / unit * unit;
}

void TreeData::make_orthtree_lists(Group& group) const {
    const std::size_t room = box_room(group);
    const OrthtreeRows rows = orthtree_rows(dimension);
    // a group of one leaf, far outside, may be near to thousands of other groups' leaves
    const std::size_t least_near = has_groups() ? std::size_t(1) << 13U : max_slots;
    group.list_layout = {
        group.total_boxes(), group.leaves(), rows.far * room + 256, rows.near * room + least_near};
}

void put_own_first(std::vector<std::uint32_t>& neighbours, std::size_t own) {
    const auto place = std::ranges::find(neighbours, own);
    if (place != neighbours.end()) {
        std::rotate(neighbours.begin(), place, place + 1);
    }
}

std::size_t orthtree_list_words(int dimension, std::size_t n_boxes) {
    const OrthtreeRows rows = orthtree_rows(dimension);
    return ListLayout{n_boxes, n_boxes, rows.far * n_boxes, rows.near * n_boxes}.words();
}

ListLayout TreeData::list_room(const Group& group) const {
    ListLayout layout = group.list_layout;
    if (has_orthtree()) {
        layout.n_boxes = layout.n_leaves = box_room(group);
    }
    return layout;
}

void TreeData::make_chunks(std::size_t n_chunks) {
    chunks = std::vector<Chunk>(n_chunks > 1 ? n_chunks : 0);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        chunks[c].begin = part_begin(n_sources, n_chunks, c);
        chunks[c].n = part_begin(n_sources, n_chunks, c + 1) - chunks[c].begin;
    }
}

Handle TreeData::array(std::size_t n, std::size_t value_size) const {
    if (arena == nullptr) {
        return {n, value_size, home};
    }
    constexpr std::size_t cache_line = 64;
    return {arena->allocate(n * value_size, cache_line), n, value_size, home};
}

void TreeData::make_columns(std::size_t n_columns) {
    for (Group& group : groups) {
        group.columns.resize(std::max(group.columns.size(), n_columns));
    }
    top.columns.resize(std::max(top.columns.size(), n_columns));
    if (is_near_field() && !no_far) {
        no_far = {&zero, 1, real_size, home};
    }
}

std::size_t TreeData::n_bytes(const KernelTraits& kernel, std::size_t n_columns) const {
    const std::size_t strengths = n_columns * (kernel.complex_strength ? 2 : 1);
    const std::size_t values = n_columns * static_cast<std::size_t>(kernel.n_values);
    std::size_t n_doubles = coordinates(n_sources);
    std::size_t n_reals = strengths * n_sources + 2 * values * n_targets;
    std::size_t n_words = n_sources;
    if (sets == PointSets::two) {
        n_doubles += coordinates(n_targets);
        n_words += n_targets;
    }
    for (const Group& group : groups) {
        const std::size_t expansions =
            2 * n_columns *
            static_cast<std::size_t>(n_coefficients * kernel.coefficient_components);
        n_doubles += frame_doubles(dimension, box_room(group));
        n_doubles += has_reaches() ? box_room(group) * sizeof(OwnReach) / sizeof(double) : 0;
        n_reals += expansions * box_room(group);
        n_words += list_room(group).words() + group.leaves();
    }
    return n_doubles * sizeof(double) + n_reals * real_size + n_words * sizeof(std::uint32_t);
}

TaskArgs TreeData::args(const Subtree& tree, const ListLayout& lists) const {
    TaskArgs args;
    args.theta = options.theta;
    args.by_share = {
        options.heavy_theta,
        1.0 / (order + 2),
        static_cast<double>(n_sources),
        static_cast<double>(n_targets)};
    args.own_error = own_error;
    args.own_error.order = order;
    // points upon corners, whose errors add up, take terms by distance
    constexpr double share_by_distance = 0.4;
    args.tolerance = (terms == PairTerms::all ? 1 : share_by_distance) * options.tolerance;
    args.n_sources = n_sources;
    args.tree = tree;
    args.lists = lists;
    args.crowd = crowd;
    args.order = order;
    args.terms = terms;
    args.kernel = kernel;
    args.nearfield.height = height();
    args.pairs = options.pairs;
    if (has_groups() && !has_orthtree() && tree.first == group_level) {
        args.part = groups[tree.root].part;
    }
    return args;
}

bool TreeData::takes_waves(const Group& group) const {
    switch (options.plane_waves) {
    case PlaneWaves::always:
        return true;
    case PlaneWaves::never:
        return false;
    case PlaneWaves::automatic:
        break;
    }
    return prefers_waves && group.leaves() >= least_wave_leaves;
}

TaskArgs TreeData::args(const Group& group) const {
    TaskArgs args = this->args(group.tree, group.list_layout);
    args.orthtree = group.orthtree;
    args.part = has_groups() ? group.part : ProblemPart{};
    args.is_group = has_groups();
    args.top_box = group.top_box;
    args.n_targets = sets == PointSets::one ? group.sources.n : group.own_targets.n;
    args.n_slots = static_cast<std::uint32_t>(group.neighbours.size());
    std::copy(group.neighbours.begin(), group.neighbours.end(), args.slots);
    return args;
}

TaskArgs TreeData::args_of_top() const {
    TaskArgs args = this->args(top.tree, top.list_layout);
    args.orthtree = top.orthtree;
    return args;
}

} // namespace starfmm
