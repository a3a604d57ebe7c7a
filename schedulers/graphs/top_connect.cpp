// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/top_connect.hpp"

#include "codelets/tree/bounds.hpp"
#include "codelets/tree/connect.hpp"
#include "codelets/tree/root.hpp"

#include <algorithm>
#include <array>

namespace starfmm {

namespace {

Root<2> read_root(const Runtime& runtime, GroupPoints& points) {
    Root<2> root{Bounds<double>::nothing(), {{0, 0}, -1}};
    if (points.n > 0) {
        if (runtime.spins()) {
            points.root.spin_until_home();
        }
        points.root.read(std::span(&root, 1));
    }
    return root;
}

/// Boxes of the top: those that a single group would have. Behind them, of an orthtree, its arrays.
std::vector<double> top_boxes(Top& top, const std::vector<Root<2>>& roots) {
    const std::size_t n = top.total_boxes();
    const bool is_stored = top.orthtree.n_boxes > 0;
    std::vector<double> boxes(is_stored ? orthtree_doubles(2, n) : frame_doubles(2, n));
    const BoxView<2> view{{boxes.data(), boxes.data() + n}, boxes.data() + 2 * n};
    std::ranges::copy(top.nodes, reinterpret_cast<std::uint32_t*>(view.radius + n));
    const TaskTree<2> tree = is_stored ? TaskTree<2>(view.orthtree()) : TaskTree<2>(top.tree);
    std::vector<Bounds<double>> bounds(n, Bounds<double>::nothing());
    for (std::size_t g = 0; g < roots.size(); ++g) {
        const std::size_t box = tree.leaf_box(g);
        view.set(box, roots[g].disc);
        bounds[box] = roots[g].bounds;
    }
    for (std::size_t box = n; box-- > 0;) {
        const BoxRange children = tree.children(box);
        if (children.begin < children.end) {
            view.set(box, parent_disc(view, bounds.data(), children, bounds[box]));
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
    const std::size_t n = top.total_boxes();
    top.list_layout = {n, n_groups, n * n, n * n}; // every pair of boxes: no list can be longer
    std::vector<std::uint32_t> scratch_words(connect_scratch_words(top.list_layout));
    std::vector<std::uint32_t> no_targets(n_groups + 1, 0);
    data.top_lists.resize(top.list_layout.words());
    Handle lists(data.top_lists.data(), data.top_lists.size(), sizeof(std::uint32_t), plain);
    Handle counts(&top.list_counts, 1, sizeof(ListCounts), plain);
    Handle scratch(scratch_words.data(), scratch_words.size(), sizeof(std::uint32_t), plain);
    Handle offsets(no_targets.data(), no_targets.size(), sizeof(std::uint32_t), plain);
    Handle targets(
        data.top_target_boxes.data(), data.top_target_boxes.size(), sizeof(double), plain
    );
    Handle sources(
        data.top_source_boxes.data(), data.top_source_boxes.size(), sizeof(double), plain
    );
    TaskArgs args = data.args_of_top();
    args.n_slots = 1;
    args.n_sources = 0; // neither P2L nor M2P between groups, which pay for points only
    args.order = 0;
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
    std::vector<Root<2>> sources;
    std::vector<Root<2>> targets;
    for (Group& group : data.groups) {
        sources.push_back(read_root(runtime, group.sources));
        targets.push_back(
            data.sets == PointSets::one ? sources.back() : read_root(runtime, group.own_targets)
        );
    }
    Top& top = data.top;
    data.top_source_boxes = top_boxes(top, sources);
    data.top_target_boxes = top_boxes(top, targets);
    connect_boxes(codelets, data);
    const std::size_t n = data.top_source_boxes.size();
    top.source_boxes = {data.top_source_boxes.data(), n, sizeof(double), data.home};
    top.target_boxes = {data.top_target_boxes.data(), n, sizeof(double), data.home};
    top.lists = {data.top_lists.data(), data.top_lists.size(), sizeof(std::uint32_t), data.home};
}

} // namespace starfmm
