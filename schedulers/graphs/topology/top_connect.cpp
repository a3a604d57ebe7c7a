// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/top_connect.hpp"

#include "codelets/tree/bounds.hpp"
#include "codelets/tree/connect.hpp"
#include "codelets/tree/root.hpp"

#include <algorithm>
#include <array>

namespace starfmm {

namespace {

Root read_root(const Runtime& runtime, GroupPoints& points) {
    Root root{Bounds<double, 2>::nothing(), {Position<2, double>{}, -1}};
    if (points.n > 0) {
        if (runtime.spins()) {
            points.root.spin_until_home();
        }
        points.root.read(std::span(&root, 1));
    }
    return root;
}

/// Makes the boxes of the top, as a single group would have them; the arrays of an orthtree follow
/// them.
std::vector<double>
top_boxes(const Top& top, const TaskArgs& args, const std::vector<Root>& roots) {
    const std::size_t n = top.total_boxes();
    std::vector<double> boxes(args.has_orthtree() ? orthtree_doubles(2, n) : frame_doubles(2, n));
    starpu_vector_interface buffer{};
    buffer.ptr = reinterpret_cast<std::uintptr_t>(boxes.data());
    buffer.nx = static_cast<std::uint32_t>(boxes.size());
    const auto view = BoxView<2>::of(&buffer, args);
    std::ranges::copy(top.nodes, reinterpret_cast<std::uint32_t*>(view.radius + n));
    const TaskTree<2> tree = view.tree(args);
    std::vector<Bounds<double, 2>> bounds(n, Bounds<double, 2>::nothing());
    const BoundsTask<2> task{args, view, bounds.data(), {}, nullptr, nullptr, 0, nullptr};
    for (std::size_t g = 0; g < roots.size(); ++g) {
        const std::size_t box = tree.leaf_box(g);
        view.set(box, roots[g].disc);
        bounds[box] = roots[g].bounds;
    }
    for (std::size_t box = n; box-- > 0;) {
        const BoxRange children = tree.children(box);
        if (children.begin < children.end) {
            set_parent(task, box, children);
        }
    }
    return boxes;
}

/// Makes the top's boxes of sources and targets, once their roots are known.
void make_top_boxes(const Runtime& runtime, TreeData& data) {
    std::vector<Root> sources;
    std::vector<Root> targets;
    for (Group& group : data.groups) {
        sources.push_back(read_root(runtime, group.sources));
        targets.push_back(
            data.sets == PointSets::one ? sources.back() : read_root(runtime, group.own_targets)
        );
    }
    const TaskArgs args = data.args_of_top();
    data.top_source_boxes = top_boxes(data.top, args, sources);
    data.top_target_boxes = top_boxes(data.top, args, targets);
}

/// Sets the neighbours of each group from its row of near boxes at the groups' level.
void set_neighbours(TreeData& data, const ListView& near) {
    for (std::size_t g = 0; g < data.groups.size(); ++g) {
        std::vector<std::uint32_t>& neighbours = data.groups[g].neighbours;
        neighbours.assign(near.boxes + near.offsets[g], near.boxes + near.offsets[g + 1]);
        put_own_first(neighbours, g);
    }
}

/// Runs the connect body on the top alone.
void connect_boxes(GeometrySet& codelets, TreeData& data) {
    constexpr auto plain = Handle::Home::plain;
    Top& top = data.top;
    const std::size_t n_groups = data.groups.size();
    const std::size_t n = top.total_boxes();
    top.list_layout = {n, n_groups, n * n, n * n}; // every pair of boxes: no list can be longer
    std::vector<std::uint32_t> scratch_words(
        connect_scratch_words(top.list_layout, 0, data.options.heavy_theta > 0)
    );
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
    args.n_sources = 0; // no P2L or M2P between groups, which pay for points only
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
    Top& top = data.top;
    make_top_boxes(runtime, data);
    connect_boxes(codelets, data);
    const std::size_t n = data.top_source_boxes.size();
    top.source_boxes = {data.top_source_boxes.data(), n, sizeof(double), data.home};
    top.target_boxes = {data.top_target_boxes.data(), n, sizeof(double), data.home};
    top.lists = {data.top_lists.data(), data.top_lists.size(), sizeof(std::uint32_t), data.home};
}

} // namespace starfmm
