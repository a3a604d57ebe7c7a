// SPDX-License-Identifier: BSD-3-Clause
// This part of the task graph sorts sources into the order of the pyramid's leaves.
#pragma once

#include "schedulers/graphs/topology/point_check.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <span>
#include <vector>

namespace starfmm {

/// Sorts in two steps, since the first reads the user's arrays and the second may share a task with
/// what follows it. Whole arrays are ranked, then split down to groups; chunks are split, and then
/// each group is ranked.
class SortGraph {
public:
    using Coordinates = std::vector<std::vector<Handle>>; ///< x, y, z: whole, or a handle a chunk

    SortGraph(Runtime& runtime, GeometrySet& codelets, TreeData& data)
        : runtime_(runtime), codelets_(codelets), data_(data) {}

    /// Submits the tasks that read the user's arrays.
    /// \param check check of the points, begun where the host waits for the sizes of pieces
    void take(Coordinates& coordinates, PointCheck& check);

    /// Submits the other tasks: positions, permutations and planes of the groups.
    void sort();

    /// Submits the other tasks for points that were not cut into chunks, as if all were in one
    /// group.
    /// \param whole group that consists of the whole pyramid
    void sort_whole(Group& whole);

    /// Planes of the splits above the groups, by which targets of their own are sorted; [n], root
    /// first.
    [[nodiscard]] Handle& top_planes() { return top_planes_; }

    /// Releases what only sort reads.
    void release_ranks() { ranks_.clear(); }

    /// Releases the ranks, and what targets of their own are sorted by.
    void release() {
        release_ranks();
        group_ranks_.clear();
        users_.clear();
        top_planes_ = {};
    }

private:
    struct Ranks {
        Handle sorted;
        Handle order;
    };

    using AllRanks = std::vector<Ranks>; ///< ranks by x, by y, by z

    [[nodiscard]] Ranks rank(Handle& coordinate, const ProblemPart& part);
    [[nodiscard]] Handle
    split(AllRanks& ranks, int split_levels, std::span<Group> groups, const ProblemPart& part);
    [[nodiscard]] Handle sort_scratch(std::size_t n) const;
    void sort_group(Group& group, AllRanks& ranks);
    void permute_users(Group& group, Handle& users);

    Runtime& runtime_;
    GeometrySet& codelets_;
    TreeData& data_;
    Handle top_planes_;
    AllRanks ranks_;                    ///< ranks of all points
    std::vector<AllRanks> group_ranks_; ///< ranks of each group's points, if there are chunks
    /// User indices of each group's points, if its permutation needs them.
    std::vector<Handle> users_;
};

} // namespace starfmm
