// SPDX-License-Identifier: BSD-3-Clause
// Tree data are the arrays of one plan, group by group: what the tasks of the graph read and write.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "codelets/task/handle.hpp"
#include "codelets/task/memory/page_pool.hpp"
#include "core/expansions/columns.hpp"
#include "core/expansions/pascal.hpp"
#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "core/tree/interaction_lists.hpp"
#include "core/tree/pyramid.hpp"
#include "schedulers/graphs/point_sets.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <vector>

namespace starfmm {

/// Which operators of one group share a task.
enum class Fusion {
    none,
    /// Rank waits for one of the user's arrays at a time; the other operators follow each other.
    after_rank,
    all
};

/// Points of one group and their boxes. Sources and targets have one such object each, or share
/// one.
struct GroupPoints {
    std::size_t n = 0;
    Handle positions;     ///< [D n], tree order
    Handle permutation;   ///< [n], tree order to user order
    Handle offsets;       ///< [leaves + 1], first point of each leaf
    Handle boxes;         ///< [(D + 1) total_boxes]
    Handle bounds;        ///< [total_boxes] Bounds, until boxes are known
    Handle root;          ///< [1] Root, until groups are connected; empty for one group
    Handle reaches;       ///< [total_boxes] OwnReach; empty unless has_reaches()
    SharedBoxes shared{}; ///< boxes that an octree's group shares with others
};

/// Arrays of a group for one right-hand side. The arrays of one evaluation serve the next.
struct GroupColumn {
    Handle strengths;
    Handle multipoles;
    Handle root_multipole; ///< [n_coefficients], for the top; empty if there is none
    Handle locals;
    Handle far;
};

/// Arrays of the top for one right-hand side.
struct TopColumn {
    Handle multipoles;
    Handle locals;
};

/// Subtree below one box: a box of the groups' level of a pyramid, or a box of any level of a
/// quadtree. In an octree, a run of cells, whose tree begins at the common root: boxes may be
/// shared with other groups.
struct Group {
    AnyPyramid tree;         ///< tree of a pyramid; for an orthtree, the level of the root
    BoxRange cells{};        ///< cells of an orthtree's group that has been cut
    ProblemPart part;        ///< part of the problem, where there are several
    OrthtreeSize orthtree;   ///< sizes of an orthtree, once it has grown
    std::size_t top_box = 0; ///< index of the root among the boxes of the top, if there is one
    GroupPoints sources;
    GroupPoints own_targets; ///< empty if the sources are the targets
    Handle pairs;            ///< ranks of each point, during sort
    Handle planes;           ///< split planes
    Handle nodes;            ///< arrays of an orthtree, which bounds copies behind the boxes
    ListLayout list_layout;
    Handle lists;
    Handle counts; ///< [1] ListCounts
    ListCounts list_counts{};
    std::vector<std::uint32_t> neighbours; ///< groups that this one's boxes may touch, itself first
    std::vector<GroupColumn> columns;      ///< columns of the right-hand sides so far
    std::array<Handle, max_columns> near;  ///< near results of one, two ... right-hand sides

    [[nodiscard]] GroupPoints& targets(PointSets sets) {
        return sets == PointSets::one ? sources : own_targets;
    }

    [[nodiscard]] std::size_t total_boxes() const {
        return orthtree.n_boxes > 0 ? orthtree.n_boxes : tree.total_boxes();
    }

    [[nodiscard]] int last_level() const {
        return orthtree.n_boxes > 0 ? tree.first + static_cast<int>(orthtree.last_level)
                                    : tree.last;
    }

    [[nodiscard]] std::size_t leaves() const {
        return orthtree.n_boxes > 0 ? orthtree.n_leaves : tree.leaves();
    }
};

/// One part of the user's arrays, where several memories share them.
struct Chunk {
    std::size_t begin = 0;
    std::size_t n = 0;
    Handle places;                        ///< [n], place of each point in the order of pieces
    std::vector<std::size_t> piece_sizes; ///< points in each group
};

/// Boxes above the groups; there are none for one group or an octree. The leaves repeat the groups'
/// roots.
struct Top {
    AnyPyramid tree;
    OrthtreeSize orthtree;
    std::vector<std::uint32_t> nodes; ///< arrays of an orthtree
    Handle source_boxes;
    Handle target_boxes;
    ListLayout list_layout;
    Handle lists;
    ListCounts list_counts{};
    std::vector<TopColumn> columns; ///< columns of the right-hand sides so far

    [[nodiscard]] std::size_t total_boxes() const {
        return orthtree.n_boxes > 0 ? orthtree.n_boxes : tree.total_boxes();
    }
};

/// Everything that a plan's tasks touch, built by a Topology.
struct TreeData {
    PlanOptions options;
    KernelParameters kernel; ///< the kernel's parameters, in the tasks' unit
    int dimension = 2;
    int order = 0;
    PairTerms terms = PairTerms::by_distance;
    OwnErrorSeparation own_error; ///< used if an orthtree's sources have a field
    int levels = 0;
    std::uint32_t leaf_size = 0; ///< most points of a leaf of an orthtree; 0: a pyramid
    int roots = min_roots;       ///< PlanOptions::roots, for an orthtree
    /// Orthtrees of many leaves use waves if PlanOptions::plane_waves is open.
    bool prefers_waves = false;
    int group_level = 0; ///< level of the groups' roots; in a quadtree: if all had the same
    std::size_t wanted_groups = 1; ///< wanted number of groups of an orthtree
    PointSets sets = PointSets::one;
    Fusion fusion = Fusion::none;
    std::size_t n_sources = 0;
    std::size_t n_targets = 0;
    std::size_t real_size = sizeof(double);            ///< bytes of a strength or value
    std::size_t coefficient_size = 2 * sizeof(double); ///< bytes of an expansion's coefficient
    int n_coefficients = 0;
    /// Points beyond which a box is worth M2P; the default: none is.
    std::uint64_t crowd = TaskArgs().crowd;
    Handle::Home home = Handle::Home::starpu;
    PagePoolResource pages;
    /// Memory of the plan's arrays, if no GPU has memory of its own; else null.
    std::unique_ptr<std::pmr::monotonic_buffer_resource> arena;
    // Host arrays that handles of several groups lie in; declared before the handles, so destroyed
    // after them.
    std::vector<std::uint32_t> target_leaf_offsets;
    std::vector<double> target_positions;
    std::vector<std::uint32_t> target_permutation;
    std::vector<double> top_source_boxes;
    std::vector<double> top_target_boxes;
    std::vector<std::uint32_t> top_lists;
    double zero = 0;
    Handle no_far; ///< [1], what gather gets for a near field's far results: `zero`
    std::vector<Group> groups;
    /// Chunks of the sources, if tasks do not take the user's arrays whole. A group's permutation
    /// then refers to its points in the order of pieces, else to the user's order.
    std::vector<Chunk> chunks;
    /// Permutations refer to the user's order although there are chunks: only sort reads those.
    bool permutes_users = false;
    Top top;

    [[nodiscard]] bool has_orthtree() const { return leaf_size > 0; }

    /// Whether separations depend on the field of the sources or on their lengths.
    [[nodiscard]] bool has_reaches() const { return own_error.varies() || kernel.has_lengths; }

    [[nodiscard]] bool has_octree() const { return has_orthtree() && dimension == 3; }

    [[nodiscard]] bool has_groups() const { return groups.size() > 1; }

    /// Whether there are pairs of near leaves alone, no expansions.
    [[nodiscard]] bool is_near_field() const { return options.method == Method::near_field; }

    /// Level of a near field's leaves; -1: there is none.
    [[nodiscard]] int height() const { return is_near_field() ? options.levels : -1; }

    /// Whether boxes lie above the groups. An octree has none: each group has the boxes that it
    /// shares.
    [[nodiscard]] bool has_top() const { return has_groups() && !has_octree() && !is_near_field(); }

    [[nodiscard]] bool has_chunks() const { return !chunks.empty(); }

    /// Whether strengths and results come and go in pieces; n_value_chunks() is the number of their
    /// chunks.
    [[nodiscard]] bool has_pieces() const { return has_chunks() && !permutes_users; }

    [[nodiscard]] std::size_t n_value_chunks() const { return has_pieces() ? chunks.size() : 1; }

    [[nodiscard]] std::size_t index_of(const Group& group) const {
        return static_cast<std::size_t>(&group - groups.data());
    }

    /// Number of boxes of a level of the whole tree.
    [[nodiscard]] std::size_t n_boxes(int level) const {
        return starfmm::n_boxes(dimension, level);
    }

    /// Number of doubles of `n` points.
    [[nodiscard]] std::size_t coordinates(std::size_t n) const {
        return static_cast<std::size_t>(dimension) * n;
    }

    /// Makes the groups, their sizes and room for lists, which are known from N alone, as are
    /// offsets. An orthtree has one group until it is cut.
    void make_groups();

    /// Boxes that a group's arrays have room for: in an orthtree up to an eighth more than it has.
    /// If points move a little that number stays, and StarPU finds memory of this size.
    [[nodiscard]] std::size_t box_room(const Group& group) const;

    /// Makes room for the lists of a group whose orthtree has grown.
    void make_orthtree_lists(Group& group) const;

    /// Layout of a group's lists, with rows for all boxes that there is room for.
    [[nodiscard]] ListLayout list_room(const Group& group) const;

    /// Cuts the user's arrays into equal chunks; makes none for one chunk.
    void make_chunks(std::size_t n_chunks);

    /// Makes an array that lives as long as the plan.
    [[nodiscard]] Handle array(std::size_t n, std::size_t value_size) const;

    /// Makes an array that sort or connect hands on, or scratch.
    [[nodiscard]] Handle temporary(std::size_t n, std::size_t value_size) const {
        return {n, value_size, home};
    }

    /// Makes scratch memory for one task, in units that keep their number in 32 bits.
    [[nodiscard]] Handle scratch(std::size_t n_bytes) const {
        constexpr std::size_t unit = 64;
        return temporary((n_bytes + unit - 1) / unit, unit);
    }

    /// Makes an array of positions or boxes.
    [[nodiscard]] Handle doubles(std::size_t n) const { return array(n, sizeof(double)); }

    /// Makes an array of strengths or values.
    [[nodiscard]] Handle reals(std::size_t n) const { return array(n, real_size); }

    [[nodiscard]] Handle indices(std::size_t n) const { return array(n, sizeof(std::uint32_t)); }

    /// Makes an array of one expansion a box. CPU bodies load whole vectors, so some room follows
    /// the last expansion.
    [[nodiscard]] Handle coefficients(std::size_t n_boxes) const {
        const std::size_t n = n_boxes * static_cast<std::size_t>(n_coefficients);
        return array(n + coefficient_slack, coefficient_size);
    }

    [[nodiscard]] ProblemPart part_of_chunk(std::size_t chunk) const {
        return {static_cast<std::uint32_t>(chunk), static_cast<std::uint32_t>(chunks.size())};
    }

    /// Makes room for the arrays of this number of right-hand sides.
    void make_columns(std::size_t n_columns);

    /// Bytes of the groups' arrays during an evaluation of this number of right-hand sides.
    [[nodiscard]] std::size_t n_bytes(const KernelTraits& kernel, std::size_t n_columns = 1) const;

    /// Arguments that every task of `tree` gets; callers add work and slots.
    [[nodiscard]] TaskArgs args(const Subtree& tree, const ListLayout& lists) const;

    /// Arguments of every task of a group whose slots are its neighbours.
    [[nodiscard]] TaskArgs args(const Group& group) const;

    /// Arguments of every task of the top.
    [[nodiscard]] TaskArgs args_of_top() const;

    /// Whether M2L of a group is the GPUs', by plane waves.
    [[nodiscard]] bool takes_waves(const Group& group) const;
};

/// Moves group `own` to the front, if it is among them: separate targets may be far from their
/// group's sources, or have none.
void put_own_first(std::vector<std::uint32_t>& neighbours, std::size_t own);

/// Number of words of the lists of a group whose orthtree has this number of boxes.
[[nodiscard]] std::size_t orthtree_list_words(int dimension, std::size_t n_boxes);

} // namespace starfmm
