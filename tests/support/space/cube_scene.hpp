// SPDX-License-Identifier: BSD-3-Clause
// A cube scene is an octree of cubes with charges, whose M2L uses plane waves or expansions.
#pragma once

#include "codelets/expansions/m2l.hpp"
#include "core/expansions/kernels3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

/// Cubes on `levels` levels below the root's children. Some boxes of the last level are missing,
/// and each box below the first two levels has a few charges.
template <class Real>
class CubeScene {
public:
    using K = starfmm::SolidHarmonics3D<Real>;
    using Task = starfmm::M2LTask<K>;

    /// Makes the boxes and their charges.
    /// \param share fraction of the boxes of the last level that are there
    /// \param order order of the expansions; 0: that of the tolerance
    CubeScene(double tolerance, double share, int order = 0, int levels = 3) : last_(levels) {
        args_.theta = 0.765;
        args_.tolerance = tolerance;
        args_.order = order > 0 ? order : starfmm::solid_order(tolerance, args_.theta);
        args_.n_slots = 1;
        grow(share);
        make_tree();
        for (std::size_t box = 9; box < places_.size(); ++box) {
            add_charges(box);
        }
    }

    /// Connects boxes of one level whose parents touch; every fifth box also gets a far box, of its
    /// level or of the level above.
    void connect() {
        std::vector<std::uint32_t> entries;
        std::vector<std::uint32_t> offsets{0};
        for (std::size_t row = 0; row < places_.size(); ++row) {
            for (std::size_t box = 9; row >= 9 && box < places_.size(); ++box) {
                if (is_far(row, box)) {
                    entries.push_back(static_cast<std::uint32_t>(box));
                }
            }
            offsets.push_back(static_cast<std::uint32_t>(entries.size()));
        }
        args_.lists = {places_.size(), n_leaves_, entries.size(), 1};
        lists_.assign(args_.lists.words(), 0);
        const starfmm::ListView far = args_.lists.far(lists_.data());
        std::copy(offsets.begin(), offsets.end(), far.offsets);
        std::copy(entries.begin(), entries.end(), far.boxes);
    }

    /// Returns the view of an array of frames and an octree's arrays.
    static starfmm::BoxView<3> view_of(std::vector<double>& boxes) {
        const std::size_t n = (boxes.size() - starfmm::orthtree_doubles(3, 0)) / 6;
        starfmm::BoxView<3> view;
        for (std::size_t d = 0; d < 3; ++d) {
            view.x[d] = boxes.data() + d * n;
        }
        view.radius = boxes.data() + 3 * n;
        return view;
    }

    /// Calls run(args, locals, lists, boxes, multipoles) with the arrays of a task.
    template <class Run>
    std::vector<Real> run_m2l(bool plane_waves, const Run& run) {
        std::vector<Real> locals(multipoles_.size(), Real(7)); // overwritten
        args_.plane_waves = plane_waves;
        run(args_, locals, lists_, boxes_, multipoles_);
        return locals;
    }

    /// Runs M2L by plane waves where the children of parents belong to slots in turn, with
    /// run(args, locals, lists, boxes, multipoles of each slot). What belongs to another slot is
    /// NaN.
    template <std::size_t n_slots, class Run>
    std::vector<Real> run_m2l_of_slots(const Run& run) {
        starfmm::TaskArgs args = args_;
        args.plane_waves = true;
        args.n_slots = n_slots;
        args.is_group = true;
        const auto slot_of = [&](std::uint32_t box) {
            return parents_[box] % static_cast<std::uint32_t>(n_slots);
        };
        std::vector<std::uint32_t> lists = lists_;
        const starfmm::ListView far = args.lists.far(lists.data());
        std::array<std::vector<Real>, n_slots> of_slot;
        of_slot.fill(std::vector<Real>(multipoles_.size(), std::numeric_limits<Real>::quiet_NaN()));
        for (std::uint32_t box = 0; box < places_.size(); ++box) {
            const std::size_t begin = box * n_coefficients();
            std::copy_n(
                multipoles_.data() + begin, n_coefficients(), of_slot[slot_of(box)].data() + begin
            );
        }
        for (std::uint32_t* box = far.boxes; box < far.boxes + args.lists.far_capacity; ++box) {
            *box |= slot_of(*box) << args.orthtree_references().bits;
        }
        std::vector<Real> locals(multipoles_.size(), Real(7));
        run(args, locals, lists, boxes_, of_slot);
        return locals;
    }

    /// Returns the root of the sum of squares over boxes of the error at one point each, over that
    /// of the sums.
    [[nodiscard]] double error(const std::vector<Real>& locals) {
        double errors = 0;
        double sums = 0;
        const starfmm::ListView far = args_.lists.far(lists_.data());
        for (std::size_t row = 9; row < places_.size(); ++row) {
            const starfmm::Vector3<double> point = inside(row);
            double sum = 0;
            for (std::uint32_t i = far.offsets[row]; i < far.offsets[row + 1]; ++i) {
                for (std::size_t c = n_charges * far.boxes[i]; c < n_charges * (far.boxes[i] + 1);
                     ++c) {
                    sum += charges_[c] / std::sqrt(square(points_[c] - point));
                }
            }
            const auto frame = starfmm::seen_from<Real>(point, view().disc(row));
            const double value = K::evaluate_local(
                args_.order, frame, locals.data() + row * n_coefficients(), starfmm::Vector3<Real>{}
            );
            errors += (value - sum) * (value - sum);
            sums += sum * sum;
        }
        CHECK(sums > 0);
        return std::sqrt(errors / sums);
    }

private:
    static constexpr std::size_t n_charges = 3;
    using Place = starfmm::Vector3<int>;

    void grow(double share) {
        for (int level = 0; level <= last_; ++level) {
            level_begin_.push_back(static_cast<std::uint32_t>(places_.size()));
            const std::size_t begin =
                level == 0 ? 0 : level_begin_[static_cast<std::size_t>(level) - 1];
            const std::size_t end = places_.size();
            if (level == 0) {
                add_box({0, 0, 0}, 0, level);
            }
            for (std::size_t parent = begin; parent < end; ++parent) {
                for (int octant = 0; octant < 8; ++octant) {
                    if (level < last_ || uniform_(engine_) < share) {
                        add_box(child_of(places_[parent], octant), parent, level);
                    }
                }
            }
        }
        level_begin_.push_back(static_cast<std::uint32_t>(places_.size()));
    }

    static Place child_of(const Place& parent, int octant) {
        return {
            2 * parent.x + octant % 2, 2 * parent.y + octant / 2 % 2, 2 * parent.z + octant / 4};
    }

    void add_box(const Place& place, std::size_t parent, int level) {
        places_.push_back(place);
        parents_.push_back(static_cast<std::uint32_t>(parent));
        levels_.push_back(level);
    }

    void make_tree() {
        const std::size_t n = places_.size();
        boxes_.assign(starfmm::orthtree_doubles(3, n), 0);
        auto tree = view().orthtree();
        std::copy(level_begin_.begin(), level_begin_.end(), tree.level_begin);
        std::copy(parents_.begin(), parents_.end(), tree.parents);
        std::size_t child = 1;
        for (std::size_t box = 0; box <= n; ++box) {
            tree.child_begin[box] = static_cast<std::uint32_t>(child);
            const std::size_t begin = child;
            while (child < n && parents_[child] == box) {
                ++child;
            }
            if (box < n && begin == child) {
                tree.leaf_boxes[n_leaves_++] = static_cast<std::uint32_t>(box);
            }
        }
        args_.orthtree = {
            static_cast<std::uint32_t>(n),
            static_cast<std::uint32_t>(n_leaves_),
            static_cast<std::uint32_t>(last_),
            0};
        *tree.size = args_.orthtree;
        for (std::size_t box = 0; box < n; ++box) {
            const double side = std::ldexp(0.7, -levels_[box]);
            const Place& at = places_[box];
            view().set(
                box,
                {{-0.2 + side * (at.x + 0.5), 3 + side * (at.y + 0.5), side * (at.z + 0.5)},
                 side * std::sqrt(0.75)}
            );
        }
        points_.resize(n_charges * n);
        charges_.resize(n_charges * n);
        multipoles_.assign(n * n_coefficients(), Real(0));
    }

    void add_charges(std::size_t box) {
        for (std::size_t c = n_charges * box; c < n_charges * (box + 1); ++c) {
            points_[c] = inside(box);
            charges_[c] = uniform_(engine_) - 0.5;
            const auto centre = view().disc(box).centre;
            K::p2m(
                args_.order,
                starfmm::seen_from<Real>(centre, view().disc(box)),
                starfmm::seen_from<Real>(centre, points_[c]),
                static_cast<Real>(charges_[c]),
                multipoles_.data() + box * n_coefficients()
            );
        }
    }

    [[nodiscard]] bool is_far(std::size_t row, std::size_t box) const {
        if (levels_[row] != levels_[box]) {
            return levels_[row] == last_ && levels_[box] == last_ - 1 && row % 5 == 0 &&
                   apart(places_[parents_[row]], places_[box]) == 3;
        }
        const int distance = apart(places_[row], places_[box]);
        const bool parents_touch = apart(places_[parents_[row]], places_[parents_[box]]) <= 1;
        return distance >= 2 && (parents_touch || (row % 5 == 0 && distance == 5));
    }

    static int apart(const Place& a, const Place& b) {
        return std::max({std::abs(a.x - b.x), std::abs(a.y - b.y), std::abs(a.z - b.z)});
    }

    starfmm::Vector3<double> inside(std::size_t box) {
        const auto frame = view().disc(box);
        const double side = frame.radius / std::sqrt(0.75);
        const auto coordinate = [&] { return side * (uniform_(engine_) - 0.5); };
        return frame.centre + starfmm::Vector3<double>{coordinate(), coordinate(), coordinate()};
    }

    [[nodiscard]] std::size_t n_coefficients() const {
        return static_cast<std::size_t>(K::n_coefficients(args_.order));
    }

    starfmm::BoxView<3> view() { return view_of(boxes_); }

    [[nodiscard]] starfmm::BoxView<3> view() const { return const_cast<CubeScene*>(this)->view(); }

    int last_; ///< number of the last level
    starfmm::TaskArgs args_;
    std::mt19937_64 engine_{3};
    std::uniform_real_distribution<double> uniform_{0, 1};
    std::vector<Place> places_;
    std::vector<int> levels_;
    std::vector<std::uint32_t> parents_;
    std::vector<std::uint32_t> level_begin_;
    std::size_t n_leaves_ = 0;
    std::vector<double> boxes_;
    std::vector<std::uint32_t> lists_;
    std::vector<starfmm::Vector3<double>> points_;
    std::vector<double> charges_;
    std::vector<Real> multipoles_;
};
