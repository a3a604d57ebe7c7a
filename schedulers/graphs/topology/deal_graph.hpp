// SPDX-License-Identifier: BSD-3-Clause
// This part of the task graph brings values of the user's arrays, cut into chunks, to groups and
// back.
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstdint>
#include <vector>

namespace starfmm {

/// One value of every point, in an array for each piece, which is what a chunk holds of a group;
/// pieces without points have no array. The user's order is kept where cores work alone and chunks
/// are not too many; then there is one array a chunk.
class PieceTable {
public:
    explicit PieceTable(const TreeData& data);

    /// Appends the handles that tasks of a chunk read or write, in the order of groups.
    /// \returns number of handles
    std::uint32_t append_of_chunk(std::size_t chunk, std::vector<Handle*>& handles);

    /// Appends the handles that tasks of a group read or write, in the order of chunks.
    std::uint32_t append_of_group(std::size_t group, std::vector<Handle*>& handles);

    /// Whether a group's pieces are runs of its chunks' arrays.
    [[nodiscard]] bool has_runs() const { return has_runs_; }

private:
    bool has_runs_;
    /// Arrays of each chunk, by group, or one of all groups.
    std::vector<std::vector<Handle>> pieces_;
};

/// Submits the tasks that bring values from chunks to groups.
/// \param values a handle for each chunk
[[nodiscard]] PieceTable deal_values(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    std::vector<Handle>& values,
    int priority
);

/// Submits the tasks that bring the points' indices in the user's arrays to groups.
[[nodiscard]] PieceTable deal_users(Runtime& runtime, GeometrySet& codelets, TreeData& data);

/// Submits the task that joins a group's pieces into one array.
[[nodiscard]] Handle join_group(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    PieceTable& pieces,
    std::size_t group,
    int priority
);

/// Submits the tasks that join each group's pieces into one array.
/// \returns a handle for each group
[[nodiscard]] std::vector<Handle> join_values(
    Runtime& runtime, GeometrySet& codelets, TreeData& data, PieceTable& pieces, int priority
);

/// Submits the tasks that bring values from groups back to chunks.
/// \param values a handle for each chunk, overwritten
void collect_values(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    PieceTable& pieces,
    std::vector<Handle>& values,
    int priority
);

} // namespace starfmm
