// SPDX-License-Identifier: BSD-3-Clause
// Runs the tasks that make an orthtree and its lists.
#pragma once

#include "codelets/tree/cells.hpp"
#include "codelets/tree/curve.hpp"
#include "codelets/tree/domain.hpp"
#include "codelets/tree/grow.hpp"
#include "tests/support/connect_group.hpp"

#include <algorithm>
#include <array>

/// Points of one set as the tree has them.
struct TreePoints {
    std::vector<double> positions;
    Words permutation;
    std::vector<starfmm::DeepCode> codes;
    Words offsets;             ///< of leaves
    std::vector<double> boxes; ///< frames, and the tree's arrays

    bool operator==(const TreePoints&) const = default;
};

/// Domain to connect, of sources and, if there are any, targets of their own.
/// \tparam BufferSet Buffers, or a GPU's
template <class BufferSet>
class OrthtreeRun {
public:
    starfmm::TaskArgs args;
    std::vector<starfmm::Domain<2>> domain{1};
    std::vector<starfmm::OrthtreeSize> size{1};
    TreePoints points[2]; ///< sources, targets
    int n_sets;
    Words lists;
    std::vector<starfmm::ListCounts> counts{1};

    OrthtreeRun(
        const starfmm::GeometryBodies& bodies,
        const starfmm::Points<2>& sources,
        const starfmm::Points<2>& targets,
        std::uint32_t leaf_size
    )
        : n_sets(targets.size() > 0 ? 2 : 1), bodies_(bodies), users_{sources, targets} {
        args.theta = 0.5;
        args.order = 30;
        args.leaf_size = leaf_size;
        find_domain();
        for (int set = 0; set < n_sets; ++set) {
            points[set].codes.resize(users_[set].size());
            Parts none;
            sort(points[set], set, none);
        }
        while (!grow()) {
            capacity_ *= 2;
        }
        args.orthtree = size[0];
        for (int set = 0; set < n_sets; ++set) {
            bound(set);
        }
    }

    void connect(std::uint64_t far_capacity, std::uint64_t near_capacity) {
        args.n_slots = 1;
        args.lists = {n_boxes_of<2>(args), n_leaves_of<2>(args), far_capacity, near_capacity};
        lists.assign(args.lists.words() + 64, Group::guard);
        Words scratch(starfmm::connect_scratch_words(args.lists) + 64, Group::guard);
        BufferSet buffers;
        buffers.add(lists).add(counts).add(scratch).add(targets().boxes).add(targets().offsets);
        buffers.add(points[0].boxes);
        buffers.call(body<starfmm::ConnectTask>(bodies_), args);
        CHECK(std::count(lists.end() - 64, lists.end(), Group::guard) == 64);
        CHECK(std::count(scratch.end() - 64, scratch.end(), Group::guard) == 64);
    }

    /// Points of a set by way of cells, in two parts: those of four groups of level 1.
    [[nodiscard]] std::array<TreePoints, 4> sort_by_cells(int set) {
        const std::size_t n = users_[set].size();
        const std::size_t half = n / 2;
        Parts parts{find_cells(set, half, n - half)};
        if (half > 0) {
            parts.insert(parts.begin(), find_cells(set, 0, half));
        }
        std::array<TreePoints, 4> groups;
        for (std::size_t g = 0; g < 4; ++g) {
            for (const Part& part : parts) {
                const std::size_t cells = starfmm::n_cells / 4;
                const std::size_t size = part.begin[(g + 1) * cells] - part.begin[g * cells];
                groups[g].codes.resize(groups[g].codes.size() + size);
            }
            args.tree = {1, 1, g};
            if (!groups[g].codes.empty()) {
                sort(groups[g], set, parts);
            }
        }
        args.tree = {};
        return groups;
    }

    [[nodiscard]] TreePoints& targets() { return points[n_sets - 1]; }

    [[nodiscard]] starfmm::Orthtree<2> tree(int set = 0) {
        auto* nodes = reinterpret_cast<std::uint32_t*>(
            points[set].boxes.data() + starfmm::frame_doubles(2, n_boxes_of<2>(args))
        );
        return starfmm::Orthtree<2>::of(nodes, n_boxes_of<2>(args));
    }

    [[nodiscard]] starfmm::Frame<double> frame(int set, std::size_t box) const {
        const std::vector<double>& boxes = points[set].boxes;
        const std::size_t n = n_boxes_of<2>(args);
        return {{boxes[box], boxes[n + box]}, boxes[2 * n + box]};
    }

private:
    void find_domain() {
        args.n_slots = static_cast<std::uint32_t>(n_sets);
        std::vector<starfmm::Bounds<double>> scratch(starfmm::domain_blocks);
        BufferSet buffers;
        buffers.add(domain).add(scratch);
        for (int set = 0; set < n_sets; ++set) {
            buffers.add(users_[set].x[0]).add(users_[set].x[1]);
        }
        buffers.call(body<starfmm::DomainTask>(bodies_), args);
    }

    /// Points cell by cell, and where cells begin.
    struct Part {
        std::vector<starfmm::CurvePoint> points;
        Words begin;
    };

    using Parts = std::vector<Part>;

    [[nodiscard]] Part find_cells(int set, std::size_t first, std::size_t n) {
        Part part{std::vector<starfmm::CurvePoint>(n), Words(starfmm::n_cells + 1, Group::guard)};
        std::vector<std::byte> scratch(starfmm::cells_scratch_bytes(n));
        BufferSet buffers;
        buffers.add(part.points).add(part.begin).add(scratch).add(domain);
        buffers.add(users_[set].x[0]).add(users_[set].x[1]);
        args.first_point = first;
        buffers.call(body<starfmm::CellsTask>(bodies_), args);
        CHECK(part.begin.front() == 0);
        CHECK(part.begin.back() == n);
        return part;
    }

    /// \param own has room for the codes of all points, or of those of a group
    /// \param parts none: all points
    void sort(TreePoints& own, int set, Parts& parts) {
        const std::size_t n = own.codes.size();
        own.positions.resize(2 * n);
        own.permutation.resize(n);
        own.codes.resize(n);
        std::vector<std::byte> scratch(starfmm::curve_scratch_bytes(n));
        BufferSet buffers;
        buffers.add(own.positions).add(own.permutation).add(own.codes).add(scratch).add(domain);
        buffers.add(users_[set].x[0]).add(users_[set].x[1]);
        args.n_slots = static_cast<std::uint32_t>(parts.size());
        for (Part& part : parts) {
            buffers.add(part.points).add(part.begin);
        }
        buffers.call(body<starfmm::CurveTask>(bodies_), args);
    }

    bool grow() {
        nodes_.assign(starfmm::Orthtree<2>::words(capacity_), 0);
        points[0].offsets.assign(capacity_ + 1, 0);
        points[1].offsets.assign(capacity_ + 1, 0);
        std::vector<starfmm::GrownBox> scratch(
            starfmm::grow_scratch_bytes(capacity_) / sizeof(starfmm::GrownBox) + 1
        );
        args.n_slots = static_cast<std::uint32_t>(n_sets - 1);
        BufferSet buffers;
        buffers.add(nodes_).add(points[0].offsets).add(points[1].offsets).add(size).add(scratch);
        buffers.add(points[0].codes);
        if (n_sets == 2) {
            buffers.add(points[1].codes);
        }
        buffers.call(body<starfmm::GrowTask>(bodies_), args);
        return size[0].overflow == 0;
    }

    void bound(int set) {
        TreePoints& own = points[set];
        const std::size_t n = n_boxes_of<2>(args);
        own.offsets.resize(n_leaves_of<2>(args) + 1);
        own.boxes.assign(starfmm::orthtree_doubles(2, n), 0);
        std::vector<starfmm::Bounds<double>> bounds(n);
        BufferSet buffers;
        buffers.add(own.boxes).add(bounds).add(own.positions).add(own.offsets).add(nodes_);
        buffers.call(body<starfmm::BoundsTask>(bodies_), args);
    }

    starfmm::GeometryBodies bodies_;
    starfmm::Points<2> users_[2];
    std::size_t capacity_ = 7; ///< so small that it must be doubled
    Words nodes_;
};
