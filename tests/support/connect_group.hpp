// SPDX-License-Identifier: BSD-3-Clause
// Groups of boxes for tests of connect.
#pragma once

#include "codelets/tree/connect.hpp"
#include "tests/support/geometry_variants.hpp"

/// One group of targets and the groups of sources near it, of one pyramid.
struct Group {
    starfmm::TaskArgs args;
    std::vector<double> targets;              ///< boxes
    Words target_offsets;                     ///< [leaves + 1]
    std::vector<std::vector<double>> sources; ///< boxes of each slot
    Words lists;
    std::vector<starfmm::ListCounts> counts{1};

    /// \param first level of the groups: 0 has one, 1 has four, all of them near each other
    Group(Shape shape, int first, int last, std::size_t n, int order) {
        args.theta = 0.5;
        args.order = order;
        args.n_sources = n;
        const auto n_groups = static_cast<std::uint32_t>(1U << (2 * first));
        args.n_slots = n_groups;
        for (std::uint32_t slot = 0; slot < n_groups; ++slot) {
            args.slots[slot] = n_groups - 1 - slot;
            args.tree = {first, last, args.slots[slot]};
            auto positions = positions_of(shape, pyramid_of<2>(args).n_points(n), slot);
            const std::uint32_t column = args.slots[slot] % 2;
            const std::uint32_t row = args.slots[slot] / 2;
            for (std::size_t i = 0; i < positions.size() / 2; ++i) {
                positions[i] += column;
                positions[positions.size() / 2 + i] += row;
            }
            sort_into_leaves(positions, starfmm::pyramid_of<2>(args), n);
            target_offsets = source_offsets(n);
            sources.push_back(boxes_of(bounds(), args, positions, target_offsets));
        }
        targets = sources.back();
        args.lists = {
            pyramid_of<2>(args).total_boxes(), pyramid_of<2>(args).leaves(), 16384, 16384};
    }

    static starfmm::BodyFunction bounds() {
        return starfmm::geometry_set().get<starfmm::BoundsTask>().cpu();
    }

    [[nodiscard]] Words source_offsets(std::size_t n) const {
        return ::source_offsets(starfmm::pyramid_of<2>(args), n);
    }

    /// By x, then within columns by y: compact leaves, whatever the tree's own order would be.
    static void sort_into_leaves(
        std::vector<double>& positions, const starfmm::Pyramid<2>& tree, std::size_t n
    ) {
        const std::size_t size = positions.size() / 2;
        std::vector<std::pair<double, double>> points;
        for (std::size_t i = 0; i < size; ++i) {
            points.emplace_back(positions[i], positions[size + i]);
        }
        for (int level = tree.first; level < tree.last; ++level) {
            for (std::size_t box = 0; box < tree.boxes(level); ++box) {
                const auto at = [&](std::size_t child) {
                    return points.begin() +
                           static_cast<std::ptrdiff_t>(tree.begin(n, level + 1, 4 * box + child));
                };
                std::sort(at(0), at(4));
                const auto by_y = [](const auto& a, const auto& b) { return a.second < b.second; };
                std::sort(at(0), at(2), by_y);
                std::sort(at(2), at(4), by_y);
            }
        }
        for (std::size_t i = 0; i < size; ++i) {
            positions[i] = points[i].first;
            positions[size + i] = points[i].second;
        }
    }

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

    /// starfmm::Frame of a source box that a list of `level` names.
    [[nodiscard]] starfmm::Frame<double> source(int level, std::uint32_t reference) const {
        const std::uint32_t boxes = 1U << (2 * (level - args.tree.first));
        return frame_of(
            sources[reference / boxes], pyramid_of<2>(args).offset(level) + reference % boxes
        );
    }

    static constexpr std::uint32_t guard = 0xdeadbeef;
};
