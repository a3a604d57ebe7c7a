// SPDX-License-Identifier: BSD-3-Clause
// A run cuts a pyramid, and compares its groups with pyramids of their own.
#pragma once

#include "codelets/tree/cut.hpp"
#include "tests/support/geometry_variants.hpp"

#include <algorithm>
#include <numeric>

/// The arrays of a group.
struct CutGroup {
    std::vector<double> positions;
    Words permutation;
    Words offsets;
    std::vector<double> boxes;
    std::vector<starfmm::Root> root;
};

/// A whole pyramid, made by CPU bodies, and the groups that it is cut into.
/// \tparam BufferSet Buffers, or a GPU's
template <class BufferSet>
class Cut {
public:
    Cut(const starfmm::GeometryBodies& cpu, Shape shape, std::size_t n, const starfmm::Subtree& tree
    )
        : cpu_(cpu), n_(n), positions_(positions_of<2>(shape, n)), permutation_(n) {
        args_.tree = tree;
        args_.n_sources = n;
        std::iota(permutation_.begin(), permutation_.end(), 7U);
        const std::size_t n_boxes = starfmm::pyramid_of<2>(args_).total_boxes();
        boxes_.resize(starfmm::frame_doubles(2, n_boxes));
        bounds_.resize(n_boxes);
        Words offsets = source_offsets(starfmm::pyramid_of<2>(args_), n);
        call(body<starfmm::BoundsTask>(cpu_), args_, boxes_, bounds_, positions_, offsets);
    }

    /// Cuts the pyramid at a level of groups.
    /// \param bodies bodies for the kind of worker of BufferSet
    void run(const starfmm::GeometryBodies& bodies, int group_level) {
        args_.split_levels = group_level;
        args_.n_slots = static_cast<std::uint32_t>(starfmm::n_boxes<2>(group_level));
        BufferSet buffers;
        buffers.add(positions_).add(permutation_).add(boxes_).add(bounds_);
        groups_.clear();
        for (std::size_t g = 0; g < args_.n_slots; ++g) {
            groups_.push_back(unwritten({group_level, args_.tree.last, g}));
        }
        for (CutGroup& group : groups_) {
            buffers.add(group.positions).add(group.permutation).add(group.offsets);
            buffers.add(group.boxes).add(group.root);
        }
        buffers.call(body<starfmm::CutTask>(bodies), args_);
    }

    void check() {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            CAPTURE(g);
            check_points(groups_[g], starfmm::point_begin<2>(n_, args_.split_levels, g));
            check_boxes(groups_[g], {args_.split_levels, args_.tree.last, g});
        }
    }

private:
    CutGroup unwritten(const starfmm::Subtree& subtree) const {
        const starfmm::Pyramid<2> own{subtree};
        const std::size_t n = own.n_points(n_);
        return {
            std::vector<double>(2 * n, 5),
            Words(n, 5),
            Words(own.leaves() + 1, 5),
            std::vector<double>(starfmm::frame_doubles(2, own.total_boxes()), 5),
            std::vector<starfmm::Root>(1)};
    }

    void check_points(const CutGroup& group, std::size_t begin) const {
        const std::size_t n = group.permutation.size();
        std::size_t n_wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
            n_wrong += group.permutation[i] == permutation_[begin + i] ? 0 : 1;
            for (int d = 0; d < 2; ++d) {
                n_wrong += group.positions[d * n + i] == positions_[d * n_ + begin + i] ? 0 : 1;
            }
        }
        CHECK(n_wrong == 0);
    }

    /// Compares the group's boxes with those of a pyramid of the group's points alone.
    void check_boxes(CutGroup& group, const starfmm::Subtree& subtree) const {
        starfmm::TaskArgs args = args_;
        args.tree = subtree;
        CHECK(group.offsets == source_offsets(starfmm::pyramid_of<2>(args), n_));
        std::vector<double> boxes(group.boxes.size());
        std::vector<starfmm::Bounds<double, 2>> bounds(boxes.size() / 3);
        call(body<starfmm::BoundsTask>(cpu_), args, boxes, bounds, group.positions, group.offsets);
        CHECK(group.boxes == boxes);
        const starfmm::Frame<double, 2> disc = frame_of<2>(boxes, 0);
        const starfmm::Root& root = group.root[0];
        CHECK(root.disc.radius == disc.radius);
        for (int d = 0; d < 2; ++d) {
            CHECK(coordinate(root.disc.centre, d) == coordinate(disc.centre, d));
            CHECK(root.bounds.min[d] == bounds[0].min[d]);
            CHECK(root.bounds.max[d] == bounds[0].max[d]);
        }
    }

    const starfmm::GeometryBodies& cpu_;
    std::size_t n_;
    starfmm::TaskArgs args_;
    std::vector<double> positions_;
    Words permutation_;
    std::vector<double> boxes_;
    std::vector<starfmm::Bounds<double, 2>> bounds_;
    std::vector<CutGroup> groups_;
};

/// Checks cuts of all shapes, with as many points as groups and more.
template <class BufferSet>
void check_cuts(const starfmm::GeometryBodies& bodies, const starfmm::GeometryBodies& cpu) {
    for (const Shape shape : shapes) {
        for (const std::size_t n : {64, 500, 5003}) {
            CAPTURE(n);
            for (const int levels : {2, 3, 4}) {
                CAPTURE(levels);
                Cut<BufferSet> cut(cpu, shape, n, {0, levels, 0});
                for (int group_level = 1; group_level <= std::min(3, levels); ++group_level) {
                    CAPTURE(group_level);
                    cut.run(bodies, group_level);
                    cut.check();
                }
            }
        }
    }
}
