// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/sort_graph.hpp"

#include "codelets/exchange/deal.hpp"
#include "codelets/tree/sort/sort_task.hpp"
#include "schedulers/graphs/priorities.hpp"
#include "schedulers/graphs/topology/deal_graph.hpp"
#include "schedulers/graphs/topology/split_graph.hpp"

#include <algorithm>

namespace starfmm {

void SortGraph::take(Coordinates& coordinates, PointCheck& check) {
    if (!data_.has_chunks()) {
        ranks_.reserve(coordinates.size());
        for (std::vector<Handle>& x : coordinates) {
            ranks_.push_back(rank(x.front(), {}));
        }
        return;
    }
    split_points(runtime_, codelets_, data_, coordinates, check);
    constexpr int priority = Priority::topology;
    std::vector<PieceTable> dealt;
    dealt.reserve(coordinates.size());
    for (std::vector<Handle>& x : coordinates) {
        dealt.push_back(deal_values(runtime_, codelets_, data_, x, priority));
    }
    if (!data_.has_pieces()) {
        PieceTable pieces = deal_users(runtime_, codelets_, data_);
        users_ = join_values(runtime_, codelets_, data_, pieces, priority);
    }
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        AllRanks& ranks = group_ranks_.emplace_back();
        for (PieceTable& pieces : dealt) {
            Handle x = join_group(runtime_, codelets_, data_, pieces, g, priority);
            ranks.push_back(rank(x, data_.groups[g].part));
        }
    }
}

void SortGraph::sort() {
    if (data_.has_chunks()) {
        for (Group& group : data_.groups) {
            const std::size_t g = group.tree.root;
            AllRanks& ranks = group_ranks_[g];
            const Handle no_planes = split(ranks, 0, {&group, 1}, data_.groups[g].part);
            sort_group(group, ranks);
            if (!data_.has_pieces()) {
                permute_users(group, users_[g]);
            }
            ranks.clear();
        }
        return;
    }
    top_planes_ = split(ranks_, data_.group_level, data_.groups, {});
    for (Group& group : data_.groups) {
        sort_group(group, ranks_);
    }
}

void SortGraph::sort_whole(Group& whole) {
    const Handle no_planes = split(ranks_, 0, {&whole, 1}, {});
    sort_group(whole, ranks_);
}

SortGraph::Ranks SortGraph::rank(Handle& coordinate, const ProblemPart& part) {
    const std::size_t n = coordinate.size();
    Ranks ranks{data_.temporary(n, sizeof(double)), data_.temporary(n, sizeof(std::uint32_t))};
    Handle scratch = data_.scratch(rank_scratch_bytes(n));
    TaskArgs args = data_.args({}, {});
    args.part = part;
    args.work = static_cast<double>(n);
    const std::array<Handle*, 4> handles{&ranks.sorted, &ranks.order, &scratch, &coordinate};
    runtime_.submit(codelets_.get<RankTask>(), handles, args, Priority::rank);
    return ranks;
}

Handle SortGraph::sort_scratch(std::size_t n) const {
    return data_.scratch(sort_scratch_bytes(n));
}

/// Distributes the pairs of ranked points to groups; returns the planes.
Handle SortGraph::split(
    AllRanks& ranks, int split_levels, std::span<Group> groups, const ProblemPart& part
) {
    const std::size_t n = ranks[0].order.size();
    const std::size_t n_planes = plane_index(2 * split_levels, 0);
    Handle planes = data_.temporary(std::max<std::size_t>(1, n_planes), sizeof(SplitPlane));
    Handle scratch = sort_scratch(n);
    std::vector<Handle*> handles{&planes, &scratch};
    for (Ranks& each : ranks) {
        handles.push_back(&each.order);
    }
    for (Ranks& each : ranks) {
        handles.push_back(&each.sorted);
    }
    for (Group& group : groups) {
        group.pairs = data_.temporary(group.sources.n, sizeof(RankPair));
        handles.push_back(&group.pairs);
    }
    TaskArgs args = data_.args({0, data_.levels, 0}, {});
    args.part = part;
    args.split_levels = split_levels;
    args.n_slots = static_cast<std::uint32_t>(groups.size());
    args.work = static_cast<double>(n) * (1 + split_levels);
    runtime_.submit(codelets_.get<SortTask>(), handles, args, Priority::sort);
    return planes;
}

void SortGraph::sort_group(Group& group, AllRanks& ranks) {
    GroupPoints& points = group.sources;
    points.positions = data_.doubles(data_.coordinates(points.n));
    points.permutation = data_.indices(points.n);
    points.offsets = data_.indices(group.tree.leaves() + 1);
    group.planes = data_.temporary(group.tree.leaves(), sizeof(SplitPlane));
    TaskArgs args = data_.args(group.tree, {});
    args.work = static_cast<double>(points.n) * (1 + group.tree.last - group.tree.first);
    Handle scratch = sort_scratch(points.n);
    std::vector<Handle*> handles{
        &points.positions,
        &points.permutation,
        &group.planes,
        &points.offsets,
        &scratch,
        &group.pairs};
    for (Ranks& each : ranks) {
        handles.push_back(&each.sorted);
    }
    handles.push_back(&ranks[0].order);
    runtime_.submit(codelets_.get<SortGroupTask>(), handles, args, Priority::sort_group);
    group.pairs = {};
}

void SortGraph::permute_users(Group& group, Handle& users) {
    TaskArgs args = data_.args({}, {});
    args.part = group.part;
    args.work = static_cast<double>(group.sources.n);
    const std::array<Handle*, 2> handles{&group.sources.permutation, &users};
    runtime_.submit(codelets_.get<DealOrderTask>(), handles, args, Priority::sort_group);
}

} // namespace starfmm
