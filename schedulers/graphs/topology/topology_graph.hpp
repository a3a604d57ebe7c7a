// SPDX-License-Identifier: BSD-3-Clause
// The task graph of sort and connect: from the user's points to boxes and interaction lists.
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/user_array.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace starfmm {

/// What a caller does while tasks make the boxes, and while they make the lists. These may change
/// the order, the separation and what follows from them: boxes are connected anew where theta has
/// changed.
struct Meanwhile {
    /// A step of it, of some tens of microseconds. Returns whether others are left, which are taken
    /// while there are no boxes yet.
    std::function<bool()> boxes;
    std::function<void()> lists;
};

/// A tree on its way: tasks are submitted as the host learns of sizes, which it waits for as late
/// as it can.
class Topology {
public:
    using Clock = std::chrono::steady_clock;

    /// \param data sizes, options and make_groups() are set; outlives this object
    Topology(Runtime& runtime, GeometrySet& codelets, TreeData& data);
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;
    ~Topology();

    /// Submits sort and, for one group of a pyramid, connect. Returns once the tasks have taken
    /// what they need of the user's arrays; lists and arrays may still be in flight.
    /// \param targets not read if there is one set of points
    /// \param meanwhile of an orthtree of one group, called if all coordinates are in range
    /// \returns whether all coordinates are in range. Where one is not tasks run all the same,
    ///          whose results mean nothing
    /// \throws InputError naming the first coordinate that is not finite
    [[nodiscard]] bool
    build(PointArrays sources, PointArrays targets, const Meanwhile& meanwhile = {});

    /// Waits until the boxes of an orthtree are counted, and submits what connects them.
    /// \returns false where there is nothing to do, as the second time
    bool finish_boxes();

    /// finish_boxes(); connects several groups, whose roots it waits for.
    void finish_top();

    /// finish_top(); waits for the lengths of the lists, and connects anew where a list was longer
    /// than guessed.
    /// \param use called once for each group whose lists are known, as they come where there are
    ///        GPUs
    void finish_lists(const std::function<void(Group&)>& use);

    void finish_lists() {
        finish_lists([](Group&) {});
    }

    /// When lists were complete and their lengths known.
    [[nodiscard]] Clock::time_point finished() const { return finished_; }

    [[nodiscard]] TreeData& data() const { return data_; }

private:
    class Builder;

    /// What has been submitted.
    enum class Stage { points, boxes, top, lists };

    TreeData& data_;
    std::unique_ptr<Builder> builder_;
    Stage stage_ = Stage::points;
    Clock::time_point finished_;
};

} // namespace starfmm
