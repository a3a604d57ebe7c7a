// SPDX-License-Identifier: BSD-3-Clause
// Grow makes the boxes of an orthtree over points in the order of the curve, level by level. A box
// is split while it holds more sources or more targets than asked for, down to the deepest level or
// until all its points share a place; in a near field down to a level, whatever it holds. Levels
// count from the root, which may be a group's. The
// points of a box include other groups' points: boxes that groups share are split by all of them.
// O(boxes log points).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/orthtree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The points of one set in the order of the curve.
struct CurveCodes {
    const DeepCode* codes = nullptr;
    std::uint32_t n = 0;

    /// Returns the first of the points `begin` to `end` - 1 whose place is not before `place`.
    STARFMM_HOST_DEVICE std::uint32_t
    lower_bound(std::uint32_t begin, std::uint32_t end, DeepCode place) const {
        while (begin < end) {
            const std::uint32_t middle = begin + (end - begin) / 2;
            if (codes[middle] < place) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        return begin;
    }
};

/// The sources and targets of a box that is growing: [set].
struct GrownBox {
    std::uint32_t begin[2];
    std::uint32_t end[2];

    [[nodiscard]] STARFMM_HOST_DEVICE bool empty() const {
        return begin[0] == end[0] && begin[1] == end[1];
    }
};

/// The most blocks of a GPU that grow a tree together.
inline constexpr unsigned most_grow_blocks = 1024;

/// Returns the bytes of scratch that `grow` needs for room of `capacity` boxes, on any worker; on a
/// GPU they hold the leaves below each box, the first of these, and a sum a block.
constexpr std::size_t grow_scratch_bytes(std::size_t capacity) {
    return capacity * (sizeof(GrownBox) + 2 * sizeof(std::uint32_t)) +
           most_grow_blocks * sizeof(std::uint32_t);
}

template <int D>
struct GrowTask {
    static constexpr std::string_view name = "grow";
    static constexpr Color color = Color::brown;
    std::uint32_t* nodes;      ///< W   [Orthtree::words(capacity)], all but leaf_begin
    std::uint32_t* offsets[2]; ///< W   [capacity + 1], first source, target of each leaf
    OrthtreeSize* size;        ///< W   [1]
    GrownBox* scratch;         ///< scratch [capacity], and what a GPU needs
    CurveCodes sets[2];        ///< R   sources; targets that are no sources; one set may have none
    std::size_t capacity;
    int root_level;
    std::uint32_t leaf_size;
    int height;            ///< level of all leaves of a near field; else -1
    SharedBoxes shared[2]; ///< [set]

    template <class Buffers>
    static GrowTask of(Buffers& buffers) {
        GrowTask task{};
        task.leaf_size = buffers.args().leaf_size;
        task.height = buffers.args().nearfield.height;
        task.shared[0] = buffers.args().shared[0];
        task.shared[1] = buffers.args().shared[1];
        task.nodes = buffers.template write<std::uint32_t>();
        task.offsets[0] = buffers.template write<std::uint32_t>();
        task.capacity = buffers.size() - 1;
        task.offsets[1] = buffers.template write<std::uint32_t>();
        task.size = buffers.template write<OrthtreeSize>();
        task.scratch = buffers.template scratch<GrownBox>();
        task.root_level = buffers.args().tree.first;
        CurveCodes& first = task.sets[buffers.args().slots[0]];
        first.codes = buffers.template read<DeepCode>();
        first.n = static_cast<std::uint32_t>(buffers.size());
        void** targets = buffers.read_rest();
        if (buffers.args().n_slots > 0) {
            task.sets[1] = {
                buffer_data<const DeepCode>(targets[0]),
                static_cast<std::uint32_t>(buffer_size(targets[0]))};
        }
        return task;
    }

    template <class Isa>
    static void cpu(const GrowTask& task);
    static void cuda(const GrowTask& task);

    [[nodiscard]] STARFMM_HOST_DEVICE Orthtree<D> tree() const {
        return Orthtree<D>::of(nodes, capacity);
    }

    /// Returns the counts of leaves in a GPU's scratch: [2 capacity].
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t* leaf_counts() const {
        return reinterpret_cast<std::uint32_t*>(scratch + capacity);
    }

    /// Returns the sums in a GPU's scratch: [most_grow_blocks].
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t* sums() const {
        return leaf_counts() + 2 * capacity;
    }

    STARFMM_HOST_DEVICE void set_root() const {
        scratch[0] = {{0, 0}, {sets[0].n, sets[1].n}};
        tree().parents[0] = 0;
        tree().level_begin[0] = 0;
        tree().level_begin[1] = 1;
    }

    STARFMM_HOST_DEVICE void set_leaf(std::uint32_t leaf, std::uint32_t box) const {
        tree().leaf_boxes[leaf] = box;
        for (int set = 0; set < 2; ++set) {
            offsets[set][leaf] = scratch[box].begin[set];
        }
    }

    /// Sets the ends of the last leaf, and the size.
    STARFMM_HOST_DEVICE void
    finish(std::uint32_t n_boxes, std::uint32_t n_leaves, int last_level) const {
        for (int set = 0; set < 2; ++set) {
            offsets[set][n_leaves] = sets[set].n;
        }
        *size = {n_boxes, n_leaves, static_cast<std::uint32_t>(last_level), 0};
        *tree().size = *size;
    }

    /// Returns any place in the box.
    [[nodiscard]] STARFMM_HOST_DEVICE DeepCode place(const GrownBox& box) const {
        return box.begin[0] < box.end[0] ? sets[0].codes[box.begin[0]]
                                         : sets[1].codes[box.begin[1]];
    }

    [[nodiscard]] STARFMM_HOST_DEVICE bool is_split(const GrownBox& box, int level) const {
        if (height >= 0) {
            return root_level + level < height;
        }
        if (is_shared(box, level)) {
            return true;
        }
        const bool is_full =
            box.end[0] - box.begin[0] > leaf_size || box.end[1] - box.begin[1] > leaf_size;
        return is_full && root_level + level < deepest_level<D> && !is_one_place(box);
    }

    /// Returns child `c` of a box of `level`, which may be empty.
    [[nodiscard]] STARFMM_HOST_DEVICE GrownBox
    child(const GrownBox& box, int level, unsigned c) const {
        const int bits = bits_below<D>(root_level + level + 1);
        const DeepCode first = ((place(box) >> (bits + D)) * n_children<D> + c) << bits;
        GrownBox child{};
        for (int set = 0; set < 2; ++set) {
            child.begin[set] = sets[set].lower_bound(box.begin[set], box.end[set], first);
            child.end[set] = sets[set].lower_bound(
                child.begin[set], box.end[set], first + (DeepCode(1) << bits)
            );
        }
        return child;
    }

private:
    /// Whether other groups have points of the box.
    [[nodiscard]] STARFMM_HOST_DEVICE bool is_shared(const GrownBox& box, int level) const {
        if (level >= shared_levels) {
            return false;
        }
        const bool is_first = box.begin[0] == 0 && box.begin[1] == 0;
        const bool is_last = box.end[0] == sets[0].n && box.end[1] == sets[1].n;
        return (is_first && (shared[0].first[level] > 0 || shared[1].first[level] > 0)) ||
               (is_last && (shared[0].last[level] > 0 || shared[1].last[level] > 0));
    }

    [[nodiscard]] STARFMM_HOST_DEVICE bool is_one_place(const GrownBox& box) const {
        const DeepCode first = place(box);
        for (int set = 0; set < 2; ++set) {
            if (box.begin[set] < box.end[set] && (sets[set].codes[box.begin[set]] != first ||
                                                  sets[set].codes[box.end[set] - 1] != first)) {
                return false;
            }
        }
        return true;
    }
};

/// Numbers leaves in the order of their points: depth first.
template <int D>
void number_leaves(
    const GrowTask<D>& task, const Orthtree<D>& tree, std::size_t box, std::uint32_t& n
) {
    const BoxRange children = tree.children(box);
    for (std::size_t child = children.begin; child < children.end; ++child) {
        number_leaves(task, tree, child, n);
    }
    if (children.begin == children.end) {
        task.set_leaf(n++, static_cast<std::uint32_t>(box));
    }
}

/// Puts the children of a level's boxes behind it. \returns whether there is room
template <int D>
bool grow_level(const GrowTask<D>& task, int level, std::uint32_t& n_boxes) {
    const Orthtree<D> tree = task.tree();
    for (std::uint32_t box = tree.level_begin[level]; box < tree.level_begin[level + 1]; ++box) {
        tree.child_begin[box] = n_boxes;
        if (!task.is_split(task.scratch[box], level)) {
            continue;
        }
        for (unsigned c = 0; c < n_children<D>; ++c) {
            const GrownBox child = task.child(task.scratch[box], level, c);
            if (child.empty()) {
                continue;
            }
            if (n_boxes == task.capacity) {
                return false;
            }
            task.scratch[n_boxes] = child;
            tree.parents[n_boxes] = box;
            ++n_boxes;
        }
    }
    return true;
}

template <int D>
template <class Isa>
void GrowTask<D>::cpu(const GrowTask& task) {
    const Orthtree<D> tree = task.tree();
    task.set_root();
    std::uint32_t n_boxes = 1;
    int level = 0;
    for (;; ++level) {
        if (!grow_level(task, level, n_boxes)) {
            *task.size = {0, 0, 0, 1};
            return;
        }
        if (n_boxes == tree.level_begin[level + 1]) {
            break;
        }
        tree.level_begin[level + 2] = n_boxes;
    }
    tree.child_begin[n_boxes] = n_boxes;
    std::uint32_t n_leaves = 0;
    number_leaves(task, tree, 0, n_leaves);
    task.finish(n_boxes, n_leaves, level);
}

} // namespace starfmm
