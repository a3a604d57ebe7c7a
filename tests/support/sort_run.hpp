// SPDX-License-Identifier: BSD-3-Clause
// A run calls the tasks of sort on a set of points.
#pragma once

#include "codelets/tree/sort/sort_task.hpp"
#include "tests/support/geometry_variants.hpp"
#include "tests/support/sort_reference.hpp"

/// Runs the three tasks of sort, with 4^group_level groups.
/// \tparam BufferSet Buffers, or a GPU's
template <class BufferSet>
class Sort {
public:
    Sort(
        const starfmm::GeometryBodies& bodies,
        starfmm::Points<2> points,
        int levels,
        int group_level
    )
        : bodies_(bodies), points_(std::move(points)), levels_(levels), group_level_(group_level) {
        args_.n_sources = points_.size();
        args_.split_levels = group_level;
        args_.n_slots = 1U << (2 * group_level);
    }

    Sorted run() {
        for (int d = 0; d < 2; ++d) {
            rank(d);
        }
        split_groups();
        for (std::size_t group = 0; group < ranks_.size(); ++group) {
            sort_group(group);
        }
        return std::move(sorted_);
    }

private:
    void rank(int d) {
        const std::size_t n = points_.size();
        coordinate_[d].resize(n);
        order_[d].resize(n);
        std::vector<std::byte> scratch(starfmm::rank_scratch_bytes(n));
        BufferSet buffers;
        buffers.add(coordinate_[d]).add(order_[d]).add(scratch).add(points_.x[d]);
        buffers.call(body<starfmm::RankTask>(bodies_), args_);
    }

    void split_groups() {
        const std::size_t n = points_.size();
        const int depths = 2 * group_level_;
        std::vector<starfmm::SplitPlane> planes(starfmm::plane_index(depths, 0));
        std::vector<std::byte> scratch(starfmm::sort_scratch_bytes(n));
        BufferSet buffers;
        buffers.add(planes).add(scratch);
        add_all(buffers, order_);
        add_all(buffers, coordinate_);
        for (std::size_t group = 0; group < args_.n_slots; ++group) {
            const std::size_t begin = starfmm::point_begin<2>(n, group_level_, group);
            ranks_.emplace_back(starfmm::point_begin<2>(n, group_level_, group + 1) - begin);
        }
        for (auto& ranks : ranks_) {
            buffers.add(ranks);
        }
        buffers.call(body<starfmm::SortTask>(bodies_), args_);
        copy_planes(planes, 0, 0, depths);
    }

    void sort_group(std::size_t group) {
        std::vector<starfmm::RankPair>& ranks = ranks_[group];
        const int depths = 2 * (levels_ - group_level_);
        std::vector<double> positions(2 * ranks.size());
        Words permutation(ranks.size());
        std::vector<starfmm::SplitPlane> planes(starfmm::plane_index(depths, 0));
        args_.tree = {group_level_, levels_, group};
        const auto tree = starfmm::pyramid_of<2>(args_);
        Words offsets(tree.leaves() + 1);
        std::vector<std::byte> scratch(starfmm::sort_scratch_bytes(ranks.size()));
        BufferSet buffers;
        buffers.add(positions).add(permutation).add(planes).add(offsets).add(scratch).add(ranks);
        add_all(buffers, coordinate_);
        buffers.add(order_[0]);
        buffers.call(body<starfmm::SortGroupTask>(bodies_), args_);
        for (std::size_t leaf = 0; leaf < offsets.size(); ++leaf) {
            REQUIRE(offsets[leaf] == tree.begin(points_.size(), levels_, leaf));
        }
        for (std::size_t i = 0; i < positions.size(); ++i) {
            sorted_.x[i / ranks.size()].push_back(positions[i]);
        }
        sorted_.permutation.insert(
            sorted_.permutation.end(), permutation.begin(), permutation.end()
        );
        copy_planes(planes, 2 * group_level_, group, depths);
    }

    template <class T>
    static void add_all(BufferSet& buffers, std::vector<T> (&arrays)[2]) {
        for (std::vector<T>& array : arrays) {
            buffers.add(array);
        }
    }

    void copy_planes(
        const std::vector<starfmm::SplitPlane>& planes, int first, std::size_t root, int depths
    ) {
        for (int depth = 0; depth < depths; ++depth) {
            for (std::size_t node = 0; node < std::size_t(1) << depth; ++node) {
                const std::size_t i = starfmm::plane_index(depth, node);
                sorted_.set_plane(first + depth, (root << depth) + node, planes[i]);
            }
        }
    }

    const starfmm::GeometryBodies& bodies_;
    starfmm::Points<2> points_;
    int levels_;
    int group_level_;
    starfmm::TaskArgs args_;
    Words order_[2];
    std::vector<double> coordinate_[2];
    std::vector<std::vector<starfmm::RankPair>> ranks_; ///< ranks of each group
    Sorted sorted_;
};
