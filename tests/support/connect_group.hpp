// SPDX-License-Identifier: BSD-3-Clause
// Groups of boxes are made here for tests of connect.
#pragma once

#include "codelets/tree/connect.hpp"
#include "tests/support/geometry_variants.hpp"

#include <array>

/// Returns all counts.
inline std::vector<std::uint64_t> numbers(const starfmm::ListCounts& counts) {
    return {
        counts.far,
        counts.near,
        counts.p2l,
        counts.m2p,
        counts.p2p_pairs,
        counts.p2l_pairs,
        counts.m2p_pairs,
        counts.overflow};
}

/// One group of targets and the groups of sources near it, of one pyramid.
template <int D>
struct PyramidGroup {
    starfmm::TaskArgs args;
    std::vector<double> targets;              ///< boxes of the targets
    Words target_offsets;                     ///< [leaves + 1]
    std::vector<std::vector<double>> sources; ///< boxes of each slot
    Words lists;
    std::vector<starfmm::ListCounts> counts{1};

    /// Makes the boxes of the groups.
    /// \param first level of the groups' roots: level 0 has one, level 1 has 2^D, all near each
    /// other
    PyramidGroup(Shape shape, int first, int last, std::size_t n, int order) {
        args.theta = 0.5;
        args.order = order;
        args.n_sources = n;
        const auto n_groups = static_cast<std::uint32_t>(starfmm::n_boxes<D>(first));
        args.n_slots = n_groups;
        for (std::uint32_t slot = 0; slot < n_groups; ++slot) {
            args.slots[slot] = n_groups - 1 - slot;
            args.tree = {first, last, args.slots[slot]};
            const std::size_t size = tree().n_points(n);
            auto positions = positions_of<D>(shape, size, slot);
            for (std::size_t i = 0; i < D * size; ++i) {
                positions[i] += args.slots[slot] >> (i / size) & 1U;
            }
            sort_into_leaves(positions, tree(), n);
            target_offsets = source_offsets(n);
            sources.push_back(boxes_of<D>(bounds(), args, positions, target_offsets));
        }
        targets = sources.back();
        const std::uint64_t room = D == 2 ? 1U << 14U : 1U << 18U;
        args.lists = {tree().total_boxes(), tree().leaves(), room, room};
    }

    static starfmm::BodyFunction bounds() {
        return starfmm::geometry_set<D>().template get<starfmm::BoundsTask>().cpu();
    }

    [[nodiscard]] starfmm::Pyramid<D> tree() const { return starfmm::pyramid_of<D>(args); }

    [[nodiscard]] Words source_offsets(std::size_t n) const { return ::source_offsets(tree(), n); }

    /// Sorts points by x, then halves of them by y, then their halves by z. This makes compact
    /// leaves, whatever the tree's own order would be.
    static void sort_into_leaves(
        std::vector<double>& positions, const starfmm::Pyramid<D>& tree, std::size_t n
    ) {
        const std::size_t size = positions.size() / D;
        std::vector<std::array<double, D>> points(size);
        for (std::size_t i = 0; i < D * size; ++i) {
            points[i % size][i / size] = positions[i];
        }
        for (int level = tree.first; level < tree.last; ++level) {
            for (std::size_t box = 0; box < tree.boxes(level); ++box) {
                sort_into_children(points, tree, n, level, box);
            }
        }
        for (std::size_t i = 0; i < D * size; ++i) {
            positions[i] = points[i % size][i / size];
        }
    }

    static void sort_into_children(
        std::vector<std::array<double, D>>& points,
        const starfmm::Pyramid<D>& tree,
        std::size_t n,
        int level,
        std::size_t box
    ) {
        constexpr std::size_t n_children = starfmm::n_children<D>;
        const auto at = [&](std::size_t child) {
            const std::uint64_t i = tree.begin(n, level + 1, n_children * box + child);
            return points.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::sort(at(0), at(n_children));
        for (std::size_t d = 1; d < D; ++d) {
            const std::size_t children = n_children >> d; // children of a part
            for (std::size_t first = 0; first < n_children; first += children) {
                std::sort(at(first), at(first + children), [d](const auto& a, const auto& b) {
                    return a[d] < b[d];
                });
            }
        }
    }

    /// Runs connect.
    /// \tparam BufferSet Buffers, or a GPU's
    template <class BufferSet = Buffers>
    void connect(starfmm::BodyFunction body) {
        lists.assign(args.lists.words() + 64, guard);
        Words scratch(starfmm::connect_scratch_words(args.lists) + 64, guard);
        BufferSet buffers;
        buffers.add(lists).add(counts).add(scratch).add(targets).add(target_offsets);
        for (auto& boxes : sources) {
            buffers.add(boxes);
        }
        buffers.call(body, args);
        CHECK(std::count(lists.end() - 64, lists.end(), guard) == 64);
        CHECK(std::count(scratch.end() - 64, scratch.end(), guard) == 64);
    }

    /// Runs connect by the body that the library chooses for cores.
    void connect() {
        connect(starfmm::geometry_set<D>().template get<starfmm::ConnectTask>().cpu());
    }

    /// Returns the frame of a target box.
    [[nodiscard]] starfmm::Frame<double, D> target(int level, std::size_t box) const {
        return frame_of<D>(targets, tree().offset(level) + box);
    }

    /// Returns the frame of a source box that a list of `level` names.
    [[nodiscard]] starfmm::Frame<double, D> source(int level, std::uint32_t reference) const {
        const std::size_t boxes = tree().boxes(level);
        return frame_of<D>(sources[reference / boxes], tree().offset(level) + reference % boxes);
    }

    /// Returns the place of a box's radius among its group's frames.
    [[nodiscard]] std::size_t radius(int level, std::size_t box) const {
        return D * tree().total_boxes() + tree().offset(level) + box;
    }

    static constexpr std::uint32_t guard = 0xdeadbeef;
};

using Group = PyramidGroup<2>;
