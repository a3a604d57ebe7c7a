// SPDX-License-Identifier: BSD-3-Clause
// A run calls the tasks that make an orthtree and its lists.
#pragma once

#include "codelets/exchange/deal.hpp"
#include "codelets/tree/cells.hpp"
#include "codelets/tree/chunk_cells.hpp"
#include "codelets/tree/curve.hpp"
#include "codelets/tree/domain.hpp"
#include "codelets/tree/extent.hpp"
#include "codelets/tree/grow.hpp"
#include "codelets/tree/powers.hpp"
#include "tests/support/connect_group.hpp"

#include <algorithm>
#include <array>
#include <vector>

/// Points of one set as the tree has them.
struct TreePoints {
    std::vector<double> positions;
    Words permutation;
    std::vector<starfmm::DeepCode> codes;
    Words offsets;             ///< offsets of leaves
    std::vector<double> boxes; ///< frames, and the tree's arrays

    bool operator==(const TreePoints&) const = default;
};

/// A set as a chunk: its points' places in the user's order, and the number of points before each
/// cell.
struct ChunkCells {
    std::vector<starfmm::DeepCode> codes;
    Words begin;

    bool operator==(const ChunkCells&) const = default;
};

/// Points of a set, group by group.
using GroupedPoints = std::vector<TreePoints>;

/// Runs the tasks from domain to connect, for sources and, if there are any, targets of their own.
/// \tparam BufferSet Buffers, or a GPU's
template <class BufferSet, int D = 2>
class OrthtreeRun {
public:
    starfmm::TaskArgs args;
    std::vector<starfmm::Domain<D>> domain{1};
    std::vector<starfmm::OrthtreeSize> size{1};
    TreePoints points[2]; ///< sources, targets
    int n_sets;
    Words lists;
    std::vector<starfmm::ListCounts> counts{1};
    std::vector<starfmm::OwnReach> reaches; ///< OwnReach of each box

    OrthtreeRun(
        const starfmm::GeometryBodies& bodies,
        const starfmm::Points<D>& sources,
        const starfmm::Points<D>& targets,
        std::uint32_t leaf_size
    )
        : n_sets(targets.size() > 0 ? 2 : 1), bodies_(bodies), users_{sources, targets} {
        args.theta = 0.5;
        args.order = 30;
        args.crowd = 12;
        args.leaf_size = leaf_size;
        find_domain();
        for (int set = 0; set < n_sets; ++set) {
            points[set].codes.resize(users_[set].size());
            Parts none;
            sort(points[set], set, none);
        }
        grow_and_bound();
    }

    /// Makes a group of level 1 of a whole tree.
    /// \param sorted points of each set, from sort_by_cells()
    OrthtreeRun(
        const OrthtreeRun& whole, std::size_t group, const std::vector<GroupedPoints>& sorted
    )
        : args(whole.args), domain(whole.domain), n_sets(whole.n_sets), bodies_(whole.bodies_) {
        args.tree = {1, 1, group};
        for (int set = 0; set < n_sets; ++set) {
            points[set] = sorted[static_cast<std::size_t>(set)][group];
        }
        grow_and_bound();
    }

    /// Makes the group of a whole tree that has the points between some places.
    /// \param codes code of the first place of the group, and of the first place behind it
    /// \param shared shared boxes of each set
    OrthtreeRun(
        const OrthtreeRun& whole,
        const std::array<starfmm::DeepCode, 2>& codes,
        const std::array<starfmm::SharedBoxes, 2>& shared
    )
        : args(whole.args), domain(whole.domain), n_sets(whole.n_sets), bodies_(whole.bodies_) {
        args.is_group = true;
        std::ranges::copy(shared, args.shared);
        for (int set = 0; set < n_sets; ++set) {
            take(points[set], whole.points[set], codes);
        }
        grow_and_bound();
    }

    /// Returns the domain by way of the corners of equal parts of each set.
    [[nodiscard]] starfmm::Domain<D> domain_of_parts(std::size_t n_parts) {
        std::vector<Corners> corners;
        for (int set = 0; set < n_sets; ++set) {
            const std::size_t n = users_[set].size();
            for (std::size_t part = 0; part < n_parts; ++part) {
                corners.push_back(find_corners(set, part * n / n_parts, (part + 1) * n / n_parts));
            }
        }
        return domain_of(corners);
    }

    /// Has connect, from now on, separate boxes by their fraction of this number of points, too.
    void separate_by_share(double heavy, double n_sources, double n_targets) {
        args.by_share = {heavy, 1.0 / 6, n_sources, n_targets};
    }

    /// Has connect, from now on, separate boxes by what they leave out of the sources' own field,
    /// too.
    /// \param field masses, potentials, components of accelerations, in the user's order
    void separate_by_own_error(
        const starfmm::OwnErrorSeparation& rule, std::vector<std::vector<double>>& field
    ) {
        args.own_error = rule;
        args.n_slots = 0;
        reaches.resize(n_boxes());
        std::vector<starfmm::BoxPowers> scratch(n_boxes());
        BufferSet buffers;
        buffers.add(reaches).add(scratch);
        buffers.add(points[0].boxes).add(points[0].positions).add(points[0].permutation);
        for (std::vector<double>& part : field) {
            buffers.add(part);
        }
        buffers.call(body<starfmm::PowersTask>(bodies_), args);
    }

    void connect(std::uint64_t far_capacity, std::uint64_t near_capacity) {
        connect_to({this}, {n_boxes(), n_leaves(), far_capacity, near_capacity});
    }

    /// Connects the targets to sources of groups.
    /// \param slots groups of sources; a group's boxes are numbered among those of several groups
    /// if args.is_group says so
    void connect_to(const std::vector<OrthtreeRun*>& slots, const starfmm::ListLayout& layout) {
        args.n_slots = static_cast<std::uint32_t>(slots.size());
        args.lists = layout;
        lists.assign(args.lists.words() + 64, Group::guard);
        std::size_t slot_boxes = 0;
        for (const OrthtreeRun* slot : slots) {
            slot_boxes += args.is_group ? slot->n_boxes() : 0;
        }
        const bool by_share = args.by_share.varies();
        Words scratch(
            starfmm::connect_scratch_words(args.lists, slot_boxes, by_share) + 64, Group::guard
        );
        BufferSet buffers;
        buffers.add(lists).add(counts).add(scratch).add(targets().boxes).add(targets().offsets);
        for (OrthtreeRun* slot : slots) {
            buffers.add(slot->points[0].boxes);
        }
        for (OrthtreeRun* slot : slots) {
            if (args.own_error.varies() || args.kernel.has_lengths) {
                buffers.add(slot->reaches);
            }
        }
        buffers.call(body<starfmm::ConnectTask>(bodies_), args);
        CHECK(std::count(lists.end() - 64, lists.end(), Group::guard) == 64);
        CHECK(std::count(scratch.end() - 64, scratch.end(), Group::guard) == 64);
    }

    /// Sorts points of a set by way of cells, in two parts, into the groups of level 1.
    [[nodiscard]] GroupedPoints sort_by_cells(int set) {
        const std::size_t n = users_[set].size();
        const std::size_t half = n / 2;
        Parts parts{find_cells(set, half, n - half)};
        if (half > 0) {
            parts.insert(parts.begin(), find_cells(set, 0, half));
        }
        GroupedPoints groups(starfmm::n_children<D>);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const std::size_t cells = starfmm::n_cells<D> / groups.size();
            for (const Part& part : parts) {
                const std::size_t size = part.begin[(g + 1) * cells] - part.begin[g * cells];
                groups[g].codes.resize(groups[g].codes.size() + size);
            }
            args.cells = {g * cells, (g + 1) * cells};
            if (!groups[g].codes.empty()) {
                sort(groups[g], set, parts);
            }
        }
        return groups;
    }

    /// Returns all points of a set as a chunk.
    [[nodiscard]] ChunkCells chunk(int set) {
        ChunkCells chunk{
            std::vector<starfmm::DeepCode>(users_[set].size()),
            Words(starfmm::n_cells<D> + 1, Group::guard)};
        std::vector<std::byte> scratch(starfmm::chunk_cells_scratch_bytes);
        BufferSet buffers;
        buffers.add(chunk.codes).add(chunk.begin).add(scratch).add(domain);
        add_users(buffers, set);
        buffers.call(body<starfmm::ChunkCellsTask>(bodies_), args);
        return chunk;
    }

    /// Counts the chunk's points in each part of some cells.
    [[nodiscard]] Words count_parts(ChunkCells& chunk, Words& cells) {
        Words counts(cells.size() * starfmm::n_cell_parts<D>, Group::guard);
        BufferSet buffers;
        buffers.add(counts).add(cells).add(chunk.codes);
        buffers.call(body<starfmm::ChunkPartsTask>(bodies_), args);
        return counts;
    }

    /// Returns where the chunk's points are among the pieces of groups.
    /// \param borders places on the curve where the groups begin
    [[nodiscard]] Words deal_runs(ChunkCells& chunk, std::vector<starfmm::DeepCode>& borders) {
        Words places(chunk.codes.size(), Group::guard);
        std::vector<std::byte> scratch(starfmm::deal_scratch_bytes);
        BufferSet buffers;
        buffers.add(places).add(scratch).add(chunk.codes).add(borders);
        buffers.call(body<starfmm::DealRunsTask>(bodies_), args);
        return places;
    }

    [[nodiscard]] TreePoints& targets() { return points[n_sets - 1]; }

    [[nodiscard]] std::size_t n_boxes() const { return starfmm::n_boxes_of<D>(args); }

    [[nodiscard]] std::size_t n_leaves() const { return starfmm::n_leaves_of<D>(args); }

    [[nodiscard]] starfmm::Orthtree<D> tree(int set = 0) {
        auto* nodes = reinterpret_cast<std::uint32_t*>(
            points[set].boxes.data() + starfmm::frame_doubles(D, n_boxes())
        );
        return starfmm::Orthtree<D>::of(nodes, n_boxes());
    }

    [[nodiscard]] starfmm::Frame<double, D> frame(int set, std::size_t box) const {
        const double* boxes = points[set].boxes.data();
        const std::size_t n = n_boxes();
        const auto centre = starfmm::make_position<D>([&](int d) {
            return boxes[static_cast<std::size_t>(d) * n + box];
        });
        return {centre, boxes[D * n + box]};
    }

    /// Returns the points below each box.
    [[nodiscard]] std::vector<starfmm::BoxRange> point_ranges(int set) {
        const starfmm::Orthtree<D> own = tree(set);
        std::vector<starfmm::BoxRange> ranges(own.total_boxes());
        for (std::size_t leaf = 0; leaf < own.leaves(); ++leaf) {
            ranges[own.leaf_box(leaf)] = {own.leaf_begin[leaf], own.leaf_begin[leaf + 1]};
        }
        for (std::size_t box = own.total_boxes(); box-- > 0;) {
            const starfmm::BoxRange children = own.children(box);
            if (children.begin < children.end) {
                ranges[box] = {ranges[children.begin].begin, ranges[children.end - 1].end};
            }
        }
        return ranges;
    }

private:
    using Corners = std::array<std::vector<double>, D>;

    [[nodiscard]] Corners find_corners(int set, std::size_t begin, std::size_t end) {
        Corners corners;
        corners.fill(std::vector<double>(2));
        std::vector<starfmm::Bounds<double, D>> scratch(starfmm::domain_blocks);
        BufferSet buffers;
        for (std::vector<double>& x : corners) {
            buffers.add(x);
        }
        buffers.add(scratch);
        add_users(buffers, set);
        args.first_point = begin;
        args.n_points = end - begin;
        buffers.call(body<starfmm::ExtentTask>(bodies_), args);
        return corners;
    }

    [[nodiscard]] starfmm::Domain<D> domain_of(std::vector<Corners>& parts) {
        std::vector<starfmm::Domain<D>> united(1);
        std::vector<starfmm::Bounds<double, D>> scratch(starfmm::domain_blocks);
        BufferSet buffers;
        buffers.add(united).add(scratch);
        for (Corners& corners : parts) {
            for (std::vector<double>& x : corners) {
                buffers.add(x);
            }
        }
        args.n_slots = static_cast<std::uint32_t>(parts.size());
        buffers.call(body<starfmm::DomainTask>(bodies_), args);
        return united[0];
    }

    static void
    take(TreePoints& own, const TreePoints& whole, const std::array<starfmm::DeepCode, 2>& codes) {
        const auto first = std::ranges::lower_bound(whole.codes, codes[0]);
        const auto last = std::ranges::lower_bound(whole.codes, codes[1]);
        const auto begin = first - whole.codes.begin();
        const auto end = last - whole.codes.begin();
        const auto n = static_cast<std::ptrdiff_t>(whole.codes.size());
        own.codes.assign(first, last);
        own.permutation.assign(whole.permutation.begin() + begin, whole.permutation.begin() + end);
        for (std::ptrdiff_t d = 0; d < D; ++d) {
            const auto x = whole.positions.begin() + d * n;
            own.positions.insert(own.positions.end(), x + begin, x + end);
        }
    }

    void find_domain() {
        args.n_slots = static_cast<std::uint32_t>(n_sets);
        std::vector<starfmm::Bounds<double, D>> scratch(starfmm::domain_blocks);
        BufferSet buffers;
        buffers.add(domain).add(scratch);
        for (int set = 0; set < n_sets; ++set) {
            add_users(buffers, set);
        }
        buffers.call(body<starfmm::DomainTask>(bodies_), args);
    }

    void add_users(BufferSet& buffers, int set) {
        for (std::vector<double>& x : users_[set].x) {
            buffers.add(x);
        }
    }

    /// Points cell by cell, and where cells begin.
    struct Part {
        std::vector<starfmm::CurvePoint> points;
        Words begin;
    };

    using Parts = std::vector<Part>;

    [[nodiscard]] Part find_cells(int set, std::size_t first, std::size_t n) {
        Part part{
            std::vector<starfmm::CurvePoint>(n), Words(starfmm::n_cells<D> + 1, Group::guard)};
        std::vector<std::byte> scratch(starfmm::cells_scratch_bytes(n));
        BufferSet buffers;
        buffers.add(part.points).add(part.begin).add(scratch).add(domain);
        add_users(buffers, set);
        args.first_point = first;
        buffers.call(body<starfmm::CellsTask>(bodies_), args);
        CHECK(part.begin.front() == 0);
        CHECK(part.begin.back() == n);
        return part;
    }

    /// Sorts points of a set.
    /// \param own points that have room for the codes of all points, or of those of a group
    /// \param parts parts with the points; empty: all points
    void sort(TreePoints& own, int set, Parts& parts) {
        const std::size_t n = own.codes.size();
        own.positions.resize(D * n);
        own.permutation.resize(n);
        own.codes.resize(n);
        std::vector<std::byte> scratch(starfmm::curve_scratch_bytes(n));
        BufferSet buffers;
        buffers.add(own.positions).add(own.permutation).add(own.codes).add(scratch).add(domain);
        add_users(buffers, set);
        args.n_slots = static_cast<std::uint32_t>(parts.size());
        for (Part& part : parts) {
            buffers.add(part.points).add(part.begin);
        }
        buffers.call(body<starfmm::CurveTask>(bodies_), args);
    }

    void grow_and_bound() {
        while (!grow()) {
            capacity_ *= 2;
        }
        args.orthtree = size[0];
        for (int set = 0; set < n_sets; ++set) {
            bound(set);
        }
    }

    bool grow() {
        nodes_.assign(starfmm::Orthtree<D>::words(capacity_), 0);
        points[0].offsets.assign(capacity_ + 1, 0);
        points[1].offsets.assign(capacity_ + 1, 0);
        std::vector<starfmm::GrownBox> scratch(
            starfmm::grow_scratch_bytes(capacity_) / sizeof(starfmm::GrownBox) + 1
        );
        BufferSet buffers;
        buffers.add(nodes_).add(points[0].offsets).add(points[1].offsets).add(size).add(scratch);
        std::uint32_t n_filled = 0;
        for (std::uint32_t set = 0; set < 2; ++set) {
            if (!points[set].codes.empty()) {
                buffers.add(points[set].codes);
                args.slots[n_filled++] = set;
            }
        }
        args.n_slots = n_filled - 1;
        buffers.call(body<starfmm::GrowTask>(bodies_), args);
        return size[0].overflow == 0;
    }

    void bound(int set) {
        TreePoints& own = points[set];
        own.offsets.resize(n_leaves() + 1);
        own.boxes.assign(starfmm::orthtree_doubles(D, n_boxes()), 0);
        std::vector<starfmm::Bounds<double, D>> bounds(n_boxes());
        BufferSet buffers;
        starfmm::TaskArgs args_of_set = args;
        args_of_set.shared[0] = args.shared[set];
        buffers.add(own.boxes)
            .add(bounds)
            .add(own.positions)
            .add(own.offsets)
            .add(nodes_)
            .add(domain);
        buffers.call(body<starfmm::BoundsTask>(bodies_), args_of_set);
    }

    starfmm::GeometryBodies bodies_;
    starfmm::Points<D> users_[2];
    std::size_t capacity_ = 7; ///< so small that it must be doubled
    Words nodes_;
};
