// SPDX-License-Identifier: BSD-3-Clause
// The part of the task graph that grows an orthtree: points in the order of the curve, and boxes.
#pragma once

#include "core/particles/points.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <span>
#include <vector>

namespace starfmm {

/// The only group's points and the shape of its tree, in four steps.
class OrthtreeGraph {
public:
    OrthtreeGraph(Runtime& runtime, GeometrySet& codelets, TreeData& data)
        : runtime_(runtime), codelets_(codelets), data_(data) {}

    /// Submits what reads the user's arrays.
    /// \param targets not read if `data.sets` is one
    /// \throws InputError naming the first coordinate that is not finite
    void take(const Points<2>& sources, const Points<2>& targets, InputCheck& check);

    /// Submits the rest.
    void grow();

    /// Waits for the number of boxes, and grows again where there was too little room.
    void finish();

    /// Arrays of the tree, which bounds copies behind the boxes.
    [[nodiscard]] Handle& nodes() { return nodes_; }

    /// The user's arrays, which tasks are still reading.
    [[nodiscard]] std::vector<Handle>& inputs() { return inputs_; }

    /// Lets go of what only the growing needs.
    void drop();

private:
    void domain();
    void curve(GroupPoints& points, Handle& codes, std::span<Handle> x);
    void grow(std::size_t capacity);
    void read_size();

    Runtime& runtime_;
    GeometrySet& codelets_;
    TreeData& data_;
    Handle domain_;
    Handle source_codes_;
    Handle target_codes_;
    Handle nodes_;
    Handle target_offsets_;
    Handle size_;                ///< [1] OrthtreeSize
    std::vector<Handle> inputs_; ///< x, y of each set
};

} // namespace starfmm
