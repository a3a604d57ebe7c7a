// SPDX-License-Identifier: BSD-3-Clause
// This part of the task graph grows an orthtree: its groups, points in the order of the curve, and
// boxes.
#pragma once

#include "schedulers/graphs/topology/cell_runs.hpp"
#include "schedulers/graphs/topology/quadtree_cut.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/user_array.hpp"

#include <array>
#include <functional>
#include <vector>

namespace starfmm {

/// Makes the groups' points and the shape of their trees, in three steps.
class OrthtreeGraph {
public:
    using Coordinates = std::vector<std::vector<Handle>>; ///< x, y, z: whole, or a handle a chunk

    OrthtreeGraph(Runtime& runtime, GeometrySet& codelets, TreeData& data)
        : runtime_(runtime), codelets_(codelets), data_(data) {}

    /// Submits the tasks that read the user's arrays. The function waits for what the groups are
    /// cut from, unless there is to be only one group.
    /// \param targets not read if `data.sets` is one
    /// \param meanwhile what the host can do before it waits
    /// \throws InputError naming the first coordinate that is not finite
    void take(PointArrays& sources, PointArrays& targets, const std::function<void()>& meanwhile);

    /// Submits the tasks that grow all groups.
    void grow();

    /// Calls `step` while it returns true and the boxes of the first group are not yet counted.
    void use_growth(const std::function<bool()>& step);

    /// Waits for the number of boxes of a group, and grows the group again where there was too
    /// little room.
    void finish(std::size_t group);

    /// Handle of the tree's domain, [1] Domain.
    [[nodiscard]] Handle& domain_of_tree() { return domain_; }

    /// The user's arrays of each set, which tasks still read.
    [[nodiscard]] std::vector<Coordinates>& inputs() { return inputs_; }

private:
    using Codes = std::array<Handle, 2>; ///< [set]

    /// A part of the user's points with the members of CellPart; for a chunk, the points' places
    /// alone.
    struct Part {
        Handle points;
        Handle begin;
        CellCounts counts;
    };

    /// The range of the user's points that a part has.
    struct PartRange {
        std::size_t chunk;
        std::size_t begin; ///< first point in the chunk
        std::size_t end;
        ProblemPart part;
    };

    /// Makes the arguments of tasks that grow a group.
    [[nodiscard]] TaskArgs args_of(const Group& group) const;
    void domain();
    [[nodiscard]] Coordinates extent(std::size_t set, const PartRange& range);
    [[nodiscard]] Handle scratch_of_bounds();
    void cut(const std::function<void()>& meanwhile);
    void cut_to_subtrees(const CellCounts (&counts)[2]);
    void cut_to_runs(const CellCounts (&counts)[2]);
    void make_groups(std::size_t n);
    template <class SizeOf, class PlaceOf>
    void cut_chunks(const SizeOf& n_of, const PlaceOf& first_of);
    [[nodiscard]] Part cells(std::size_t set, const PartRange& range);
    [[nodiscard]] Part chunk_cells(const PartRange& range);
    [[nodiscard]] TaskArgs args_of_part(const PartRange& range) const;
    [[nodiscard]] std::vector<PartRange> parts_of(std::size_t set) const;
    [[nodiscard]] CellCounts count_cells(std::size_t set);
    void meet_all();
    void count_parts_of_cells(CellCounts& all, const std::vector<std::size_t>& cells);
    void deal();
    void curve(std::size_t group, std::size_t set);
    void grow(std::size_t group, std::size_t capacity);
    void read_size(std::size_t group);

    [[nodiscard]] std::size_t n_sets() const { return inputs_.size(); }

    static void
    append_inputs(Coordinates& inputs, std::size_t chunk, std::vector<Handle*>& handles);
    [[nodiscard]] std::size_t n_cells() const;

    [[nodiscard]] GroupPoints& points(std::size_t group, std::size_t set) {
        return set == 0 ? data_.groups[group].sources : data_.groups[group].own_targets;
    }

    Runtime& runtime_;
    GeometrySet& codelets_;
    TreeData& data_;
    Handle domain_;
    std::vector<Part> cells_[2];      ///< [set] parts of all points, if there are to be groups
    std::vector<Codes> codes_;        ///< codes of each group
    std::vector<Handle> sizes_;       ///< [1] OrthtreeSize, for each group
    std::vector<Coordinates> inputs_; ///< arrays of each set
    Coordinates dealt_;               ///< coordinates of each group, if there are chunks
    std::vector<DeepCode> borders_;   ///< ends of chunks' pieces on the curve
    Handle border_codes_;
};

} // namespace starfmm
