// SPDX-License-Identifier: BSD-3-Clause
// The part of the task graph that brings values of the user's arrays, cut into chunks, to groups
// and back.
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstdint>
#include <vector>

namespace starfmm {

/// One value of every point: what each chunk has of each group, an array each; none for no points.
/// Where the user's order is kept, which is where cores work alone, one array a chunk, if chunks
/// are not too many.
class PieceTable {
public:
    explicit PieceTable(const TreeData& data);

    /// Appends what tasks of a chunk read or write, in the order of groups.
    /// \returns how many handles
    std::uint32_t append_of_chunk(std::size_t chunk, std::vector<Handle*>& handles);

    /// Likewise of a group, in the order of chunks.
    std::uint32_t append_of_group(std::size_t group, std::vector<Handle*>& handles);

    /// Whether a group's pieces are runs of its chunks' arrays.
    [[nodiscard]] bool has_runs() const { return has_runs_; }

private:
    bool has_runs_;
    std::vector<std::vector<Handle>> pieces_; ///< of each chunk, by group, or one
};

/// Submits the way of values from chunks to groups.
/// \param values a handle a chunk
[[nodiscard]] PieceTable deal_values(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    std::vector<Handle>& values,
    int priority
);

/// Likewise of the points' indices in the user's arrays.
[[nodiscard]] PieceTable deal_users(Runtime& runtime, GeometrySet& codelets, TreeData& data);

/// Submits what makes one array of a group's pieces.
[[nodiscard]] Handle join_group(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    PieceTable& pieces,
    std::size_t group,
    int priority
);

/// Likewise of each group's.
/// \returns a handle a group
[[nodiscard]] std::vector<Handle> join_values(
    Runtime& runtime, GeometrySet& codelets, TreeData& data, PieceTable& pieces, int priority
);

/// Submits the way back.
/// \param values a handle a chunk, overwritten
void collect_values(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    PieceTable& pieces,
    std::vector<Handle>& values,
    int priority
);

} // namespace starfmm
