// SPDX-License-Identifier: BSD-3-Clause
// Near fields of a uniform tree are summed by tasks [SL13]: points are sorted once, and evaluated
// any number of times.
#pragma once

#include "codelets/sets/law_set.hpp"
#include "core/particles/points.hpp"
#include "core/reference/near_sum.hpp"
#include "core/tree/uniform_tree.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starfmm {

struct NearFieldOptions {
    int height = 7; ///< height of the tree: 2^height boxes a side, at most 2^24 boxes in all
    /// Tasks act on the boxes below one of this level, in [0, height], of which there are at most
    /// 64; -1: automatic.
    int group_level = -1;
    /// Implementation on GPUs.
    NearfieldImplementation implementation = NearfieldImplementation::any;

    /// Checks every option.
    /// \throws InputError naming the first option that is out of its range.
    template <int D>
    void validate() const;
};

/// The points of a near field in the order of a tree's boxes, as data of tasks. Groups of boxes
/// that hold no points have no tasks.
template <int D>
class NearField {
public:
    /// Sorts the points, which may change afterwards.
    /// \throws InputError for options out of range, a law of another dimension, points that are not
    /// finite, or so close together that squares of their distances vanish
    NearField(
        Runtime& runtime, LawSet& law, const Points<D>& points, const NearFieldOptions& options
    );

    /// Computes Phi_i = sum_j G(x_j - x_i) q_j over the points in the box of i and in the boxes
    /// that touch it. O(pairs).
    /// \param strengths [n]
    /// \throws InputError if there are not n finite strengths
    [[nodiscard]] NearValues evaluate(const std::vector<double>& strengths);

    /// The three functions below are the steps of evaluate(): strengths go to where tasks need
    /// them, sums run, results come back.
    void set_strengths(const std::vector<double>& strengths);
    void sum();
    [[nodiscard]] NearValues values();

    /// Chooses the implementation that GPUs run from the next evaluation on.
    void choose(NearfieldImplementation implementation) { implementation_ = implementation; }

    /// Number of pairs (i, j) that a sum runs over, each point with itself included.
    [[nodiscard]] double n_pairs() const { return n_pairs_; }

    /// Number of groups that hold points.
    [[nodiscard]] std::size_t n_groups() const { return groups_.size(); }

private:
    struct Group {
        std::uint32_t index;
        std::size_t begin; ///< first point in the tree's order
        std::size_t n;
        int granularity; ///< average number of points that share a box with a point
        Handle positions;
        Handle permutation;
        Handle offsets;
        Handle strengths;
        Handle values;
    };

    /// One task: the pairs within a group, or between two groups.
    struct Meeting {
        std::size_t own;
        std::size_t other; ///< group number >= own
        double n_pairs;
    };

    void sort(const Points<D>& points);
    void make_groups();
    void sort_groups(
        Handle& permutation, Handle& offsets, Handle& domain, std::vector<Handle>& coordinates
    );
    void make_meetings();
    void submit(const Meeting& meeting);
    void read_values(Group& group, NearValues& values) const;
    [[nodiscard]] TaskArgs args_of(const Group& group) const;
    [[nodiscard]] int granularity_of(std::uint32_t group) const;

    [[nodiscard]] std::size_t n_boxes() const { return UniformTree<D>::n_boxes(height_); }

    [[nodiscard]] std::size_t boxes_per_group() const {
        return UniformTree<D>::n_boxes(height_ - group_level_);
    }

    Runtime& runtime_;
    LawSet& law_;
    std::size_t n_;
    int height_;
    int group_level_;
    NearfieldImplementation implementation_;
    double box_side_ = 0;
    double n_pairs_ = 0;
    std::vector<std::uint32_t> permutation_; ///< [n] tree order to user order
    std::vector<std::uint32_t> offsets_;     ///< [n_boxes + 1]
    std::vector<Group> groups_;              ///< groups in the tree's order
    std::vector<Meeting> meetings_;          ///< meetings within groups first
};

} // namespace starfmm
