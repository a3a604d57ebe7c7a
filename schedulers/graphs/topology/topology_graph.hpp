// SPDX-License-Identifier: BSD-3-Clause
// The task graph of sort and connect leads from the user's points to boxes and interaction lists.
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/user_array.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace starfmm {

/// Work that a caller does while tasks make the boxes, and while they make the lists. This work may
/// change the order, the separation and what follows from them; boxes are connected anew if theta
/// has changed.
struct Meanwhile {
    /// Does one step of some tens of microseconds. Returns whether steps are left; they are taken
    /// only until the boxes are made.
    std::function<bool()> boxes;
    std::function<void()> lists;
};

/// A tree in the making: tasks are submitted as the host learns of sizes, which it waits for as
/// late as it can.
class Topology {
public:
    using Clock = std::chrono::steady_clock;

    /// Prepares to build the tree in `data`.
    /// \param data tree with sizes, options and groups set (make_groups()), which must outlive this
    /// object
    Topology(Runtime& runtime, GeometrySet& codelets, TreeData& data);
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;
    ~Topology();

    /// Submits sort and, for one group of a pyramid, connect. Returns once the tasks have taken
    /// what they need of the user's arrays; lists and arrays may still be in flight.
    /// \param targets not read if there is one set of points
    /// \param meanwhile work of the caller for an orthtree of one group, called if all coordinates
    /// are in range
    /// \returns whether all coordinates are in range; if one is not, tasks run nevertheless, with
    /// meaningless results
    /// \throws InputError naming the first coordinate that is not finite
    [[nodiscard]] bool
    build(PointArrays sources, PointArrays targets, const Meanwhile& meanwhile = {});

    /// Waits until the boxes of an orthtree are counted, and submits what connects them.
    /// \returns false where there is nothing to do, as in a second call
    bool finish_boxes();

    /// Calls finish_boxes(), and connects several groups, whose roots it waits for.
    void finish_top();

    /// Calls finish_top(), waits for the lengths of the lists, and connects anew where a list was
    /// longer than guessed.
    /// \param use called once for each group whose lists are known; with GPUs, in the order in
    /// which the lists are done
    void finish_lists(const std::function<void(Group&)>& use);

    void finish_lists() {
        finish_lists([](Group&) {});
    }

    /// Time when lists were complete and their lengths known.
    [[nodiscard]] Clock::time_point finished() const { return finished_; }

    [[nodiscard]] TreeData& data() const { return data_; }

private:
    class Builder;

    /// The last stage whose tasks have been submitted.
    enum class Stage { points, boxes, top, lists };

    TreeData& data_;
    std::unique_ptr<Builder> builder_;
    Stage stage_ = Stage::points;
    Clock::time_point finished_;
};

} // namespace starfmm
