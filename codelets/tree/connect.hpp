// SPDX-License-Identifier: BSD-3-Clause
// Connect finds the interaction lists of a group's boxes, level by level [GE12 Sec 2]. O(boxes).
//
// A row of level l starts from the children of the boxes that its parent is not well separated
// from. Well separated ones become far entries of the row, the others its candidates for the next
// level. At the finest level candidates become near entries, or P2L or M2P ones where the swapped
// criterion holds and an expansion is cheaper than the pairs.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/geometry.hpp"
#include "core/tree/interaction_lists.hpp"

#ifndef __CUDACC__
#include "codelets/simd/simd.hpp"
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The most blocks of a GPU that connect together. Each keeps 64-bit sums of four lists beside the
/// generations.
inline constexpr unsigned most_connect_blocks = 1024;

/// Returns the words of scratch that connect needs: two generations of unseparated boxes, and the
/// sums; for an orthtree all generations, and a word a box, or two where their separations differ.
/// \param slot_boxes  boxes of all slots, in an orthtree's group
inline std::uint64_t connect_scratch_words(
    const ListLayout& lists, std::uint64_t slot_boxes = 0, bool by_share = false
) {
    return 2 * (lists.n_leaves + 1 + lists.near_capacity) + 2 * lists.n_boxes +
           std::uint64_t(2 * 4) * most_connect_blocks + slot_boxes +
           (by_share ? lists.n_boxes + slot_boxes : 0);
}

/// The list and the source that one entry of a leaf's open row becomes (ConnectTask::leaf_entry).
struct LeafEntry {
    Coupling how;
    BoxReference reference; ///< the leaf; for M2P the box
    std::uint64_t n_sources;
};

template <int D>
struct ConnectTask {
    static constexpr std::string_view name = "connect";
    static constexpr Color color = Color::violet;
    TaskArgs args;
    std::uint32_t* lists;                ///< W   [args.lists.words()]
    ListCounts* counts;                  ///< W   [1]
    std::uint32_t* scratch;              ///< scratch [connect_scratch_words]
    BoxView<D> targets;                  ///< R
    const std::uint32_t* target_offsets; ///< R   [leaves + 1]
    BoxView<D> sources[max_slots];       ///< R   boxes of each slot
    std::uint32_t* leaf_of[max_slots];   ///< box to leaf, in each slot's orthtree; in the scratch
    /// Factors of the targets' radii, [boxes], with separation by share; in the scratch.
    float* target_reach;
    std::size_t slot_boxes; ///< number of boxes of all slots, in a group
    /// R   what each slot's boxes ask for, if separations depend on their bodies (has_reaches);
    /// the first slot's are the targets', unless these are points of their own.
    const OwnReach* own[max_slots];

    template <class Buffers>
    static ConnectTask of(Buffers& buffers) {
        ConnectTask task{
            buffers.args(),
            buffers.template write<std::uint32_t>(),
            buffers.template write<ListCounts>(),
            buffers.template scratch<std::uint32_t>(),
            buffers.template read<BoxView<D>>(),
            buffers.template read<std::uint32_t>(),
            {},
            {},
            nullptr,
            0,
            {}};
        void** slots = buffers.read_rest();
        // A single group is its only slot.
        std::uint32_t* const behind = task.scratch + connect_scratch_words(task.args.lists);
        std::uint32_t* leaf_of = task.args.is_group ? behind : task.scratch;
        for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
            task.sources[slot] = BoxView<D>::of(slots[slot], task.args);
            task.leaf_of[slot] = leaf_of;
            leaf_of += task.sources[slot].capacity();
            if (task.has_reaches()) {
                task.own[slot] = buffer_data<const OwnReach>(slots[task.args.n_slots + slot]);
            }
            task.slot_boxes += task.args.is_group ? task.sources[slot].capacity() : 0;
        }
        task.target_reach = reinterpret_cast<float*>(behind + task.slot_boxes);
        return task;
    }

    template <class Isa>
    static void cpu(const ConnectTask& task);
    static void cuda(const ConnectTask& task);

    /// Whether separations depend on what Powers finds of each box.
    [[nodiscard]] STARFMM_HOST_DEVICE bool has_reaches() const {
        return args.own_error.varies() || args.kernel.has_lengths;
    }

    /// Returns the largest length of a target box's bodies; 0 of targets of their own.
    [[nodiscard]] STARFMM_HOST_DEVICE double target_length(std::size_t box) const {
        return targets.radius == sources[0].radius ? own[0][box].length : 0;
    }

    /// Whether all pairs of two boxes are farther apart than any length of their bodies.
    /// \param source, length  disc and largest length of the source box
    STARFMM_HOST_DEVICE bool
    are_beyond_lengths(const Frame<double, D>& source, double length, std::size_t target) const {
        const double other = target_length(target);
        const double longer = length > other ? length : other;
        return separation().are_beyond(source, targets.disc(target), longer);
    }

    STARFMM_HOST_DEVICE Frame<double, D> source(int level, BoxReference reference) const {
        const int shift = D * (level - args.tree.first);
        const std::size_t box = reference & ((std::uint32_t(1) << shift) - 1);
        return sources[reference >> shift].disc(pyramid_of<D>(args).offset(level) + box);
    }

    STARFMM_HOST_DEVICE Frame<double, D> target(int level, std::size_t box) const {
        return targets.disc(pyramid_of<D>(args).offset(level) + box);
    }

    STARFMM_HOST_DEVICE std::uint64_t n_sources(BoxReference leaf) const {
        const int shift = D * (args.tree.last - args.tree.first);
        const std::uint64_t box = leaf & ((std::uint32_t(1) << shift) - 1);
        const auto tree = slot_pyramid<D>(args, leaf >> shift);
        return tree.begin(args.n_sources, tree.last, box + 1) -
               tree.begin(args.n_sources, tree.last, box);
    }

    STARFMM_HOST_DEVICE std::uint64_t n_targets(std::size_t leaf) const {
        return target_offsets[leaf + 1] - target_offsets[leaf];
    }

    // An orthtree's open rows hold the boxes that a box is not well separated from; those of a leaf
    // hold leaves, and boxes that it gets by P2L or M2P, which these bits mark.

    static constexpr BoxReference p2l_kind = BoxReference(1) << 30U;
    static constexpr BoxReference m2p_kind = BoxReference(2) << 30U;

    /// The ratio below which radii of boxes of one level differ, by their points and by what the
    /// boxes are shrunk to.
    static constexpr double same_level = 1.5;

    /// Returns the radius of the smallest open boxes whose children a box's children meet. Smaller
    /// boxes meet them themselves: otherwise all boxes below would meet boxes half their size.
    STARFMM_HOST_DEVICE double least_opened(std::size_t box) const {
        return args.top_box > 0 ? targets.radius[box] / same_level
                                : 0; // 0: all begin with one root
    }

    /// Returns the map from box to leaf of the targets' tree, in the scratch.
    STARFMM_HOST_DEVICE std::uint32_t* orthtree_leaf_of() const { return scratch; }

    /// Returns the leaf of an entry's slot. \pre the entry names a leaf's box
    STARFMM_HOST_DEVICE std::uint32_t source_leaf(BoxReference entry) const {
        const OrthtreeReferences named = args.orthtree_references();
        return leaf_of[named.slot(entry)][named.number(entry)];
    }

    /// Returns the factors of the radii of a slot's boxes; a single group is its only slot.
    STARFMM_HOST_DEVICE float* source_reach(std::uint32_t slot) const {
        if (!args.is_group) {
            return target_reach;
        }
        const std::ptrdiff_t before = leaf_of[slot] - leaf_of[0];
        return target_reach + n_boxes_of<D>(args) + before;
    }

    /// Returns the number of points of the leaves below a box; of a shared box, in all groups.
    STARFMM_HOST_DEVICE std::uint32_t
    n_points_below(const Orthtree<D>& tree, const std::uint32_t* leaves, std::size_t box) const {
        std::size_t first = box;
        for (BoxRange below = tree.children(first); below.begin < below.end;
             below = tree.children(first)) {
            first = below.begin;
        }
        std::size_t last = box;
        for (BoxRange below = tree.children(last); below.begin < below.end;
             below = tree.children(last)) {
            last = below.end - 1;
        }
        const std::uint32_t own =
            tree.leaf_begin[leaves[last] + 1] - tree.leaf_begin[leaves[first]];
        const std::uint32_t shared = args.is_group ? tree.n_shared(box) : 0;
        return shared > 0 ? shared : own;
    }

    /// Returns ShareSeparation::reach of a box.
    /// \param n_points  number of points of its set
    STARFMM_HOST_DEVICE float reach_of(
        const Orthtree<D>& tree, const std::uint32_t* leaves, std::size_t box, double n_points
    ) const {
        const double n = n_points_below(tree, leaves, box);
        return args.by_share.reach(args.theta, n / n_points);
    }

    /// Whether a pair of boxes is beyond the lengths of bodies, and leaves out little of the targets'
    /// own fields; true where separations do not depend on either.
    /// \param as_points  whether targets get the source's expansion one by one
    STARFMM_HOST_DEVICE bool
    are_apart_by_bodies(BoxReference source, std::size_t target, bool as_points = false) const {
        if (!has_reaches()) {
            return true;
        }
        const OrthtreeReferences named = args.orthtree_references();
        const std::uint32_t slot = named.slot(source);
        const OwnReach& reach = own[slot][named.number(source)];
        const Frame<double, D> disc = sources[slot].disc(named.number(source));
        if (args.kernel.has_lengths && !are_beyond_lengths(disc, reach.length, target)) {
            return false;
        }
        if (!args.own_error.varies()) {
            return true;
        }
        OwnReach met = own[0][target];
        met.target_size = as_points ? 0 : met.target_size;
        const double d2 = distance2(disc, targets.disc(target));
        return are_apart_by_own_error(reach.source, reach.source_size, met, d2);
    }

    /// Whether a leaf gets what a box with children holds by M2P: in space, where leaves at the rim
    /// of many points at one place would be near to thousands of small leaves.
    /// \param tree  tree of the box's slot
    /// \param source  ball of the box, with the radius that separations see
    STARFMM_HOST_DEVICE bool is_by_m2p(
        const Orthtree<D>& tree,
        BoxReference box,
        const Frame<double, D>& source,
        const Frame<double, D>& target
    ) const {
        if (D == 2 || args.order == 0 || !serves_points(source, target)) { // of a top: groups
            return false;
        }
        const OrthtreeReferences named = args.orthtree_references();
        const std::uint32_t* leaves = leaf_of[named.slot(box)];
        return n_points_below(tree, leaves, named.number(box)) > args.crowd;
    }

    /// Returns the list of open boxes, a row a box, in the scratch.
    STARFMM_HOST_DEVICE ListView orthtree_open() const {
        std::uint32_t* rows = scratch + n_boxes_of<D>(args);
        return {rows, rows + n_boxes_of<D>(args) + 1};
    }

    /// Returns a GPU's sums, behind all else in the scratch.
    STARFMM_HOST_DEVICE unsigned long long* orthtree_sums() const {
        const ListLayout& layout = args.lists;
        return reinterpret_cast<unsigned long long*>(
            scratch + 2 * (layout.n_leaves + 1 + layout.near_capacity) + 2 * layout.n_boxes
        );
    }

    /// Whether so few points take less time one by one: M2L makes seven times as many
    /// multiplications a second as P2L and M2P do, measured on an AVX-512 core. They never do in
    /// space, where a batch of points costs more than a translation.
    STARFMM_HOST_DEVICE bool are_few(std::uint64_t n_points) const {
        return D == 2 && 7 * n_points < static_cast<std::uint64_t>(args.order);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE SeparationRule separation() const {
        return {args.theta, has_cells<D>(args), args.kernel.support, args.is_near_field()};
    }

    /// Returns the opening angle at which P2L and M2P converge. Cells, whose corners they may meet,
    /// have that of smaller balls.
    [[nodiscard]] STARFMM_HOST_DEVICE double leaf_theta() const {
        return has_cells<D>(args) ? theta_of_cells(args.theta) : args.theta;
    }

    /// Whether the expansion of a source box converges on all points of a target.
    STARFMM_HOST_DEVICE bool
    serves_points(const Frame<double, D>& source, const Frame<double, D>& target) const {
        const bool is_beyond = args.kernel.support == 0 || separation().are_beyond(source, target);
        if constexpr (D == 3) {
            if (has_cells<D>(args)) {
                const double nearest = square_gap(Frame<double, D>{source.centre, 0}, target);
                const double theta = leaf_theta();
                return is_beyond && source.radius * source.radius <= theta * theta * nearest;
            }
        }
        const double d2 = distance2(source, target);
        return is_beyond && are_separated_swapped(target.radius, source.radius, d2, leaf_theta());
    }

    /// Returns the coupling of near leaves that hold so many points.
    STARFMM_HOST_DEVICE Coupling near_coupling(
        const Frame<double, D>& source,
        const Frame<double, D>& target,
        std::uint64_t n_sources,
        std::uint64_t n_targets
    ) const {
        const bool has_expansions = args.order > 0; // boxes of a top are groups
        const double support = args.kernel.support;
        if (!has_expansions || (support > 0 && !separation().are_beyond(source, target))) {
            return Coupling::near;
        }
        return leaf_coupling(source, target, leaf_theta(), n_sources, n_targets, args.order);
    }

    /// Whether a box is a small leaf.
    /// \param tree  tree of the box's slot
    STARFMM_HOST_DEVICE bool is_small_leaf(const Orthtree<D>& tree, BoxReference box) const {
        const BoxRange children = tree.children(args.orthtree_references().number(box));
        return children.begin == children.end && are_few(tree.n_points(source_leaf(box)));
    }

    /// Returns what an entry of a leaf's row becomes.
    /// \param tree  tree of the targets
    STARFMM_HOST_DEVICE LeafEntry
    leaf_entry(const Orthtree<D>& tree, std::size_t leaf, BoxReference entry) const {
        const BoxReference box = entry & ~(p2l_kind | m2p_kind);
        if ((entry & m2p_kind) != 0) {
            return {Coupling::m2p, box, 0};
        }
        const OrthtreeReferences named = args.orthtree_references();
        const BoxView<D>& slot = sources[named.slot(box)];
        const std::uint32_t source = source_leaf(box);
        const std::uint64_t n = slot.orthtree().n_points(source);
        Coupling how = (entry & p2l_kind) == 0 ? Coupling::near : Coupling::p2l;
        if (how == Coupling::near && are_apart_by_bodies(box, tree.leaf_box(leaf))) {
            how = near_coupling(
                slot.disc(named.number(box)), targets.disc(tree.leaf_box(leaf)), n, n_targets(leaf)
            );
        }
        return {how, how == Coupling::m2p ? box : named.name(named.slot(box), source), n};
    }

    /// Returns a generation of unseparated boxes in the scratch: rows and references.
    STARFMM_HOST_DEVICE ListView generation(int parity) const {
        std::uint32_t* rows =
            scratch + (parity & 1) * (args.lists.n_leaves + 1 + args.lists.near_capacity);
        return {rows, rows + args.lists.n_leaves + 1};
    }
};

/// Counts the pairs of one entry of a leaf's lists.
STARFMM_HOST_DEVICE inline void
count_pairs(Coupling how, std::uint64_t n_sources, std::uint64_t n_targets, ListCounts& counts) {
    counts.p2p_pairs += how == Coupling::near ? n_sources * n_targets : 0;
    counts.p2l_pairs += how == Coupling::p2l ? n_sources : 0;
    counts.m2p_pairs += how == Coupling::m2p ? n_targets : 0;
}

/// A writer that appends to a compressed-row list that must not outgrow its capacity, and counts on
/// beyond it.
class ListWriter {
public:
    ListWriter(ListView list, std::uint64_t capacity) : list_(list), capacity_(capacity) {}

    void begin_row(std::size_t row) const {
        list_.offsets[row] = static_cast<std::uint32_t>(stored_);
    }

    void end(std::size_t n_rows) const { begin_row(n_rows); }

    /// Makes sure of room; is to be called before up to `n` additions.
    void reserve(std::size_t n) { fits_ = stored_ + n <= capacity_; }

    void add_if(bool wanted, BoxReference box) {
        n_ += wanted ? 1 : 0;
        if (fits_) {
            list_.boxes[stored_] = box; // overwritten by the next one unless wanted
            stored_ += wanted ? 1 : 0;
        }
    }

#ifndef __CUDACC__
    /// Adds those of B::size boxes whose bits are set.
    template <class B>
    void add_marked(unsigned bits, const BoxReference* boxes) {
        const std::size_t n = fits_ ? store_marked<B>(bits, boxes, list_.boxes + stored_) : 0;
        n_ += fits_ ? n : static_cast<std::size_t>(std::popcount(bits));
        stored_ += n;
    }
#endif

    [[nodiscard]] std::uint64_t size() const {
        return n_;
    }

    /// Returns the number of entries in the list so far.
    [[nodiscard]] std::uint32_t stored() const {
        return static_cast<std::uint32_t>(stored_);
    }

    /// Whether entries were left out.
    [[nodiscard]] bool overflown() const {
        return n_ != stored_;
    }

private:
    ListView list_;
    std::uint64_t capacity_;
    std::uint64_t n_ = 0;
    std::uint64_t stored_ = 0;
    bool fits_ = false;
};

#ifndef __CUDACC__
/// The separations that differ from box to box, for a slot's boxes; null where they do not differ.
struct SlotReaches {
    const float* by_share = nullptr;
    const OwnReach* own = nullptr;
};

/// The separation of a target, where separations differ from box to box.
struct TargetReach {
    float by_share = 0;
    const OwnReach* own = nullptr; ///< null unless by own error
    double length = -1;            ///< largest length of its bodies; negative: there are none
};

/// The candidates of the children of one parent: the children of the boxes that the parent is not
/// well separated from.
template <int D, class Isa>
class Candidates {
public:
    using B = Batch<double, Isa>;

    /// The number of candidates in one go: several times what a row usually has.
    static constexpr std::size_t room = D == 2 ? 512 : 2048;

    [[nodiscard]] bool full() const { return n_ + n_children<D> > room; }

    void clear() { n_ = 0; }

    /// Adds the children of source box `parent` of the level above.
    void add_children(const ConnectTask<D>& task, int level, BoxReference parent) {
        const int shift = D * (level - task.args.tree.first);
        const BoxReference first = n_children<D> * parent;
        const std::size_t box =
            pyramid_of<D>(task.args).offset(level) + (first & ((std::uint32_t(1) << shift) - 1));
        add(task.sources[first >> shift], box, first, n_children<D>);
    }

    /// Adds `n` boxes from `box` on, whose references follow each other, too.
    /// \param reaches  separations of the slot's boxes
    void
    add(const BoxView<D>& boxes,
        std::size_t box,
        BoxReference first,
        std::size_t n,
        const SlotReaches& reaches = {}) {
        for (std::size_t c = 0; c < n; ++c) {
            reference_[n_] = first + static_cast<BoxReference>(c);
            for (int d = 0; d < D; ++d) {
                x_[d][n_] = boxes.x[d][box + c];
            }
            radius_[n_] = boxes.radius[box + c];
            if (reaches.by_share != nullptr) {
                reach_[n_] = radius_[n_] * static_cast<double>(reaches.by_share[box + c]);
            } else if (reaches.own != nullptr) {
                reach_[n_] = reaches.own[box + c].source;
                own_size_[n_] = reaches.own[box + c].source_size;
            }
            length_[n_] = reaches.own != nullptr ? reaches.own[box + c].length : 0;
            ++n_;
        }
    }

    /// Gives the far candidates of `target` to `far`, the others to `next`, and boxes without
    /// points to neither.
    /// \tparam Far,Near ListWriter, or what offers the same
    /// \param reach  separation of the target
    template <class Far, class Near>
    void distribute(
        const Frame<double, D>& target,
        const SeparationRule& separates,
        Far& far,
        Near& next,
        const TargetReach& reach = {}
    ) {
        const Frame<B, D> targets{
            make_position<D>([&](int d) { return B(coordinate(target.centre, d)); }),
            B(target.radius)};
        far.reserve(n_);
        next.reserve(n_);
        for (std::size_t i = 0; i < n_; i += B::size) {
            const Frame<B, D> sources{
                make_position<D>([&](int d) { return B::load_aligned(x_[d] + i); }),
                B::load_aligned(radius_ + i)};
            unsigned is_far = lane_bits(separates(sources, targets));
            if (reach.by_share > 0) {
                const B of_target(target.radius * static_cast<double>(reach.by_share));
                is_far &= lane_bits(are_separated<B, D>(
                    {sources.centre, B::load_aligned(reach_ + i)},
                    {targets.centre, of_target},
                    B(separates.theta)
                ));
            } else if (reach.own != nullptr) {
                is_far &= lane_bits(are_apart_by_own_error(
                    B::load_aligned(reach_ + i),
                    B::load_aligned(own_size_ + i),
                    *reach.own,
                    distance2(sources, targets)
                ));
            }
            if (reach.length >= 0) {
                const B longer = Arithmetic<B>::max(B::load_aligned(length_ + i), B(reach.length));
                is_far &= lane_bits(separates.are_beyond(sources, targets, longer));
            }
            const unsigned exists =
                lane_bits(sources.radius >= B(0)) & first_lanes(std::min(n_ - i, B::size));
            far.template add_marked<B>(is_far & exists, reference_ + i);
            next.template add_marked<B>(~is_far & exists, reference_ + i);
        }
    }

private:
    std::size_t n_ = 0;
    alignas(64) double x_[D][room] = {};
    alignas(64) double radius_[room] = {};
    alignas(64) double reach_[room] = {};    ///< radii as separations see them
    alignas(64) double own_size_[room] = {}; ///< sizes by own error
    alignas(64) double length_[room] = {};   ///< largest lengths of bodies
    alignas(64) BoxReference reference_[room] = {};
};

/// Makes the rows of one level: far entries go to `far`, unseparated ones to the next generation.
template <class Isa>
void connect_level(const ConnectTask<2>& task, int level, ListWriter& far, ListWriter& next) {
    const Pyramid<2> tree = pyramid_of<2>(task.args);
    const ListView parents = task.generation(level - 1);
    Candidates<2, Isa> candidates;
    for (std::size_t box = 0; box < tree.boxes(level); ++box) {
        const std::size_t parent = box / n_children<2>;
        const std::uint32_t end = parents.offsets[parent + 1];
        const Frame<double, 2> target = task.target(level, box);
        far.begin_row(tree.offset(level) + box);
        next.begin_row(box);
        // Siblings share their candidates, unless those are too many for one go.
        const bool shared = n_children<2> * (end - parents.offsets[parent]) <= candidates.room;
        const bool reload = !shared || box % n_children<2> == 0;
        if (reload) {
            candidates.clear(); // also where the parent is far from every source
        }
        for (std::uint32_t i = reload ? parents.offsets[parent] : end; i < end;) {
            candidates.clear();
            for (; i < end && !candidates.full(); ++i) {
                candidates.add_children(task, level, parents.boxes[i]);
            }
            if (!shared && target.radius >= 0) {
                candidates.distribute(target, task.separation(), far, next);
            }
        }
        if (shared && target.radius >= 0) {
            candidates.distribute(target, task.separation(), far, next);
        }
    }
    next.end(tree.boxes(level));
}

/// The lists of leaves.
class LeafLists {
public:
    template <int D>
    explicit LeafLists(const ConnectTask<D>& task)
        : near_(task.args.lists.near(task.lists), task.args.lists.near_capacity),
          p2l_(task.args.lists.p2l(task.lists), task.args.lists.near_capacity),
          m2p_(task.args.lists.m2p(task.lists), task.args.lists.near_capacity) {}

    void begin_row(std::size_t leaf) const {
        near_.begin_row(leaf);
        p2l_.begin_row(leaf);
        m2p_.begin_row(leaf);
    }

    void
    add(Coupling how,
        BoxReference reference,
        std::uint64_t n_sources,
        std::uint64_t n_targets,
        ListCounts& counts) {
        near_.reserve(1);
        p2l_.reserve(1);
        m2p_.reserve(1);
        near_.add_if(how == Coupling::near, reference);
        p2l_.add_if(how == Coupling::p2l, reference);
        m2p_.add_if(how == Coupling::m2p, reference);
        count_pairs(how, n_sources, n_targets, counts);
    }

    void end(std::size_t n_leaves, ListCounts& counts) const {
        begin_row(n_leaves);
        counts.p2l = p2l_.size();
        counts.m2p = m2p_.size();
        counts.near = near_.size() + counts.p2l + counts.m2p;
    }

private:
    ListWriter near_;
    ListWriter p2l_;
    ListWriter m2p_;
};

/// Turns the finest unseparated boxes into near, P2L or M2P entries.
template <class Isa>
void connect_leaves(const ConnectTask<2>& task, ListCounts& counts) {
    const Pyramid<2> tree = pyramid_of<2>(task.args);
    const ListView unseparated = task.generation(tree.last);
    LeafLists lists(task);
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        lists.begin_row(leaf);
        const Frame<double, 2> target = task.target(tree.last, leaf);
        const std::uint64_t n_targets = task.n_targets(leaf);
        for (std::uint32_t i = unseparated.offsets[leaf]; i < unseparated.offsets[leaf + 1]; ++i) {
            const BoxReference reference = unseparated.boxes[i];
            const std::uint64_t n_sources = task.n_sources(reference);
            const Coupling how =
                task.near_coupling(task.source(tree.last, reference), target, n_sources, n_targets);
            lists.add(how, reference, n_sources, n_targets, counts);
        }
    }
    lists.end(tree.leaves(), counts);
}

/// Makes the root's row: every slot is unseparated from the group, by the choice of the slots.
template <class Isa>
void connect_root(const ConnectTask<2>& task, ListWriter& far) {
    const ListView first = task.generation(task.args.tree.first);
    first.offsets[0] = 0;
    first.offsets[1] = task.args.n_slots;
    for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
        first.boxes[slot] = slot;
    }
    far.begin_row(0);
}

template <class Isa>
ListCounts connect_pyramid(const ConnectTask<2>& task) {
    const Pyramid<2> tree = pyramid_of<2>(task.args);
    const ListLayout& layout = task.args.lists;
    ListCounts counts{};
    ListWriter far(layout.far(task.lists), layout.far_capacity);
    connect_root<Isa>(task, far);
    for (int level = tree.first + 1; level <= tree.last; ++level) {
        ListWriter next(task.generation(level), layout.near_capacity);
        connect_level<Isa>(task, level, far, next);
        counts.overflow |= next.overflown();
    }
    far.end(tree.total_boxes());
    counts.far = far.size();
    counts.overflow |= far.overflown();
    if (counts.overflow == 0) {
        connect_leaves<Isa>(task, counts);
    }
    return counts;
}

template <int D, class Isa>
class OrthtreeConnect;

template <int D>
template <class Isa>
void ConnectTask<D>::cpu(const ConnectTask& task) {
    if constexpr (D == 2) {
        if (!task.args.has_orthtree()) {
            *task.counts = connect_pyramid<Isa>(task);
            return;
        }
    }
    *task.counts = OrthtreeConnect<D, Isa>(task).run();
}

#endif

} // namespace starfmm

#ifndef __CUDACC__
#include "codelets/tree/connect_orthtree.hpp"
#endif
