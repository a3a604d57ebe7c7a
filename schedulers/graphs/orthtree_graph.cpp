// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/orthtree_graph.hpp"

#include "codelets/tree/cells.hpp"
#include "codelets/tree/curve.hpp"
#include "codelets/tree/domain.hpp"
#include "codelets/tree/grow.hpp"
#include "core/error.hpp"
#include "schedulers/graphs/orthtree_cut.hpp"
#include "schedulers/graphs/priorities.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace starfmm {

void OrthtreeGraph::take(PointArrays& sources, PointArrays& targets) {
    const auto add = [&](UserInput& x) { inputs_.push_back(std::move(x.parts().front())); };
    std::ranges::for_each(sources.x, add);
    if (data_.sets == PointSets::two) {
        std::ranges::for_each(targets.x, add);
    }
    domain();
    const std::size_t n_sets = inputs_.size() / 2;
    if (data_.group_level > 0) {
        cut(n_sets);
        return;
    }
    codes_.resize(1);
    for (std::size_t set = 0; set < n_sets; ++set) {
        points(0, set).n = inputs_[2 * set].size();
        curve(0, set);
    }
}

void OrthtreeGraph::domain() {
    domain_ = data_.temporary(1, sizeof(Domain<2>));
    Handle scratch = data_.temporary(domain_blocks, sizeof(Bounds<double>));
    std::vector<Handle*> handles{&domain_, &scratch};
    TaskArgs args = data_.args({}, {});
    for (Handle& x : inputs_) {
        handles.push_back(&x);
        args.work += static_cast<double>(x.size());
    }
    args.n_slots = static_cast<std::uint32_t>(inputs_.size() / 2);
    runtime_.submit(codelets_.get<DomainTask>(), handles, args, Priority::topology);
}

void OrthtreeGraph::cut(std::size_t n_sets) {
    for (std::size_t set = 0; set < n_sets; ++set) {
        cells(set);
    }
    const std::vector<std::uint32_t> counts[2] = {count_cells(0), count_cells(1)};
    const std::size_t wanted = n_boxes<2>(data_.group_level);
    OrthtreeCut cut = cut_orthtree({counts[0], counts[1]}, {wanted, max_slots, data_.leaf_size});
    data_.top.orthtree = cut.size;
    data_.top.nodes = std::move(cut.nodes);
    const std::size_t n_groups = cut.groups.size();
    data_.groups = std::vector<Group>(n_groups);
    codes_.resize(n_groups);
    for (std::size_t g = 0; g < n_groups; ++g) {
        const CutGroup& own = cut.groups[g];
        Group& group = data_.groups[g];
        group.tree = {own.level, own.level, own.place};
        group.top_box = n_groups > 1 ? own.top_box : 0;
        group.neighbours = {static_cast<std::uint32_t>(g)};
        for (std::size_t set = 0; set < n_sets; ++set) {
            points(g, set).n = own.n[set];
            curve(g, set);
        }
    }
    for (std::vector<Part>& parts : cells_) {
        parts.clear();
    }
}

/// Parts as equal as they can be, one a worker.
void OrthtreeGraph::cells(std::size_t set) {
    constexpr std::size_t fewest_points = 32'768; // of a part: some 100 us
    const std::size_t n = inputs_[2 * set].size();
    const std::size_t n_parts =
        std::clamp<std::size_t>(n / fewest_points, 1, std::clamp(runtime_.n_cpu(), 1, max_slots));
    for (std::size_t p = 0; p < n_parts; ++p) {
        TaskArgs args = data_.args({}, {});
        args.first_point = part_begin(n, n_parts, p);
        const std::size_t size = part_begin(n, n_parts, p + 1) - args.first_point;
        args.work = static_cast<double>(size);
        Part& part = cells_[set].emplace_back();
        part.points = data_.temporary(size, sizeof(CurvePoint));
        part.begin = data_.temporary(n_cells<2> + 1, sizeof(std::uint32_t));
        Handle scratch = data_.scratch(cells_scratch_bytes(size));
        const std::array<Handle*, 6> handles{
            &part.points,
            &part.begin,
            &scratch,
            &domain_,
            &inputs_[2 * set],
            &inputs_[2 * set + 1]};
        runtime_.submit(codelets_.get<CellsTask>(), handles, args, Priority::topology);
    }
}

/// Waits for the parts. Returns how many points there are before each cell; nothing for no parts.
std::vector<std::uint32_t> OrthtreeGraph::count_cells(std::size_t set) {
    std::vector<std::uint32_t> all(cells_[set].empty() ? 0 : n_cells<2> + 1);
    std::vector<std::uint32_t> own(all.size());
    for (Part& part : cells_[set]) {
        part.begin.read(std::span(own));
        rethrow_task_error();
        std::ranges::transform(all, own, all.begin(), std::plus<>{});
    }
    return all;
}

void OrthtreeGraph::curve(std::size_t group, std::size_t set) {
    GroupPoints& own = points(group, set);
    if (own.n == 0) {
        return;
    }
    own.positions = data_.doubles(2 * own.n);
    own.permutation = data_.indices(own.n);
    Handle& codes = codes_[group][set];
    codes = data_.temporary(own.n, sizeof(DeepCode));
    Handle scratch = data_.scratch(curve_scratch_bytes(own.n));
    TaskArgs args = data_.args(data_.groups[group].tree, {});
    args.work = static_cast<double>(own.n);
    args.n_slots = static_cast<std::uint32_t>(cells_[set].size());
    std::vector<Handle*> handles{
        &own.positions,
        &own.permutation,
        &codes,
        &scratch,
        &domain_,
        &inputs_[2 * set],
        &inputs_[2 * set + 1]};
    for (Part& part : cells_[set]) {
        handles.push_back(&part.points);
        handles.push_back(&part.begin);
    }
    runtime_.submit(codelets_.get<CurveTask>(), handles, args, Priority::topology);
}

void OrthtreeGraph::grow() {
    sizes_.resize(data_.groups.size());
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        // Uniform points have about six boxes in as many points as a leaf may hold.
        grow(g, 64 + 8 * (points(g, 0).n + points(g, 1).n) / data_.leaf_size);
    }
}

void OrthtreeGraph::read_size(std::size_t g) {
    if (runtime_.spins()) {
        sizes_[g].spin_until_home();
    }
    sizes_[g].read(std::span(&data_.groups[g].orthtree, 1));
    rethrow_task_error();
}

void OrthtreeGraph::grow(std::size_t g, std::size_t capacity) {
    Group& group = data_.groups[g];
    group.nodes = data_.temporary(Orthtree<2>::words(capacity), sizeof(std::uint32_t));
    group.sources.offsets = data_.indices(capacity + 1);
    Handle no_offsets;
    Handle& target_offsets = data_.sets == PointSets::two ? group.own_targets.offsets : no_offsets;
    target_offsets = data_.indices(capacity + 1);
    sizes_[g] = {&group.orthtree, 1, sizeof(OrthtreeSize), data_.home};
    sizes_[g].write_through(); // the host waits for it
    Handle scratch = data_.scratch(grow_scratch_bytes(capacity));
    std::vector<Handle*> handles{
        &group.nodes, &group.sources.offsets, &target_offsets, &sizes_[g], &scratch};
    TaskArgs args = data_.args(group.tree, {});
    args.leaf_size = data_.leaf_size;
    args.work = static_cast<double>(capacity);
    std::uint32_t n_sets = 0;
    for (std::uint32_t set = 0; set < 2; ++set) {
        if (codes_[g][set]) {
            handles.push_back(&codes_[g][set]);
            args.slots[n_sets++] = set;
        }
    }
    args.n_slots = n_sets - 1;
    runtime_.submit(codelets_.get<GrowTask>(), handles, args, Priority::topology);
}

void OrthtreeGraph::finish(std::size_t g) {
    Group& group = data_.groups[g];
    for (read_size(g); group.orthtree.overflow != 0; read_size(g)) {
        grow(g, 2 * Orthtree<2>::capacity(group.nodes.size()));
    }
    constexpr std::size_t most = std::size_t(1) << OrthtreeReferences::bits_of_group;
    if (data_.has_top() && group.orthtree.n_boxes > most) {
        throw InputError(
            "a group of " + std::to_string(group.orthtree.n_boxes) + " boxes: at most " +
            std::to_string(most) + ", that is a larger ndirect, or groups = 1"
        );
    }
    codes_[g] = {};
}

} // namespace starfmm
