// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/top_connect.hpp"

#include "codelets/tree/bounds.hpp"
#include "codelets/tree/connect.hpp"
#include "codelets/tree/root.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace starfmm {

namespace {

Root read_root(const Runtime& runtime, GroupPoints& points) {
    Root root{Bounds<double>::nothing(), {{0, 0}, -1}};
    if (points.n > 0) {
        if (runtime.spins()) {
            points.root.spin_until_home();
        }
        points.root.read(std::span(&root, 1));
    }
    return root;
}

/// Boxes of the top: those that a single group would have.
std::vector<double> top_boxes(const Pyramid<2>& tree, const std::vector<Root>& roots) {
    const std::size_t n = tree.total_boxes();
    std::vector<double> boxes(3 * n);
    const BoxView view{boxes.data(), boxes.data() + n, boxes.data() + 2 * n};
    std::vector<Bounds<double>> bounds(n, Bounds<double>::nothing());
    for (std::size_t g = 0; g < roots.size(); ++g) {
        const std::size_t box = tree.offset(tree.last) + g;
        view.set(box, roots[g].disc);
        bounds[box] = roots[g].bounds;
    }
    for (int level = tree.last - 1; level >= 0; --level) {
        for (std::size_t box = 0; box < tree.boxes(level); ++box) {
            const std::size_t i = tree.offset(level) + box;
            view.set(i, parent_disc(view, bounds.data(), tree.children(i), bounds[i]));
        }
    }
    return boxes;
}

/// Neighbours of each group, from the rows of unseparated boxes at the groups' level.
void set_neighbours(TreeData& data, const ListView& near) {
    for (std::size_t g = 0; g < data.groups.size(); ++g) {
        std::vector<std::uint32_t>& neighbours = data.groups[g].neighbours;
        neighbours.assign(near.boxes + near.offsets[g], near.boxes + near.offsets[g + 1]);
        const auto own = std::find(neighbours.begin(), neighbours.end(), g);
        if (own != neighbours.end()) { // separate targets may be far from their group's sources
            std::rotate(neighbours.begin(), own, own + 1);
        }
    }
}

/// Runs the connect body on the top alone.
void connect_boxes(GeometrySet& codelets, TreeData& data) {
    constexpr auto plain = Handle::Home::plain;
    Top& top = data.top;
    const std::size_t n_groups = data.groups.size();
    // Every pair of boxes of a level: no list can be longer.
    top.list_layout = {
        top.tree.total_boxes(), n_groups, 2 * n_groups * n_groups, n_groups * n_groups};
    std::vector<std::uint32_t> scratch_words(connect_scratch_words(top.list_layout));
    std::vector<std::uint32_t> no_targets(n_groups + 1, 0);
    data.top_lists.resize(top.list_layout.words());
    Handle lists(data.top_lists.data(), data.top_lists.size(), sizeof(std::uint32_t), plain);
    Handle counts(&top.list_counts, 1, sizeof(ListCounts), plain);
    Handle scratch(scratch_words.data(), scratch_words.size(), sizeof(std::uint32_t), plain);
    Handle offsets(no_targets.data(), no_targets.size(), sizeof(std::uint32_t), plain);
    Handle targets(data.top_target_boxes.data(), 3 * top.tree.total_boxes(), sizeof(double), plain);
    Handle sources(data.top_source_boxes.data(), 3 * top.tree.total_boxes(), sizeof(double), plain);
    TaskArgs args = data.args(top.tree, top.list_layout);
    args.n_slots = 1;
    args.order = std::numeric_limits<int>::max(); // neither P2L nor M2P between groups
    std::array<void*, 6> buffers{
        lists.plain(),
        counts.plain(),
        scratch.plain(),
        targets.plain(),
        offsets.plain(),
        sources.plain()};
    codelets.get<ConnectTask>().cpu()(buffers.data(), &args);
    set_neighbours(data, top.list_layout.near(data.top_lists.data()));
}

} // namespace

void connect_top(const Runtime& runtime, GeometrySet& codelets, TreeData& data) {
    std::vector<Root> sources;
    std::vector<Root> targets;
    for (Group& group : data.groups) {
        sources.push_back(read_root(runtime, group.sources));
        targets.push_back(
            data.sets == PointSets::one ? sources.back() : read_root(runtime, group.own_targets)
        );
    }
    Top& top = data.top;
    top.tree = {0, data.group_level, 0};
    data.top_source_boxes = top_boxes(top.tree, sources);
    data.top_target_boxes = top_boxes(top.tree, targets);
    connect_boxes(codelets, data);
    const std::size_t n = 3 * top.tree.total_boxes();
    top.source_boxes = {data.top_source_boxes.data(), n, sizeof(double), data.home};
    top.target_boxes = {data.top_target_boxes.data(), n, sizeof(double), data.home};
    top.lists = {data.top_lists.data(), data.top_lists.size(), sizeof(std::uint32_t), data.home};
}

} // namespace starfmm
