// SPDX-License-Identifier: BSD-3-Clause
// Near fields are summed here by bodies called without StarPU, group by group, and compared with
// what they must be.
#pragma once

#include "codelets/sets/law_set.hpp"
#include "codelets/tree/zsort.hpp"
#include "core/laws/pair_laws.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/near_sum.hpp"
#include "core/tree/uniform_tree.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/scene_size.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

using HarmonicNearDouble = starfmm::HarmonicLaw<double>;
using HarmonicNearSingle = starfmm::HarmonicLaw<float>;
using LogNearDouble = starfmm::LogLaw<double>;
using LogNearSingle = starfmm::LogLaw<float>;
using GravityNearDouble = starfmm::GravityLaw<double>;
using GravityNearSingle = starfmm::GravityLaw<float>;
using LaplaceNearDouble = starfmm::LaplaceLaw<double>;
using LaplaceNearSingle = starfmm::LaplaceLaw<float>;
using GradientNearDouble = starfmm::LaplaceGradientLaw<double>;
using GradientNearSingle = starfmm::LaplaceGradientLaw<float>;

#define DOCTEST_TEST_LAWS                                                                          \
    HarmonicNearDouble, HarmonicNearSingle, LogNearDouble, LogNearSingle, GravityNearDouble,       \
        GravityNearSingle, LaplaceNearDouble, LaplaceNearSingle, GradientNearDouble,               \
        GradientNearSingle

/// One implementation of near fields.
struct NearBody {
    starfmm::BodyFunction within;
    starfmm::BodyFunction border;

    [[nodiscard]] starfmm::BodyFunction of(const starfmm::TaskArgs& args) const {
        return args.n_slots == 1 ? within : border;
    }
};

template <class L, class Backend>
NearBody near_body(int implementation = 0) {
    using starfmm::Any;
    using Operators = starfmm::NearfieldOperators<Any>;
    const auto bodies = starfmm::nearfield_bodies<L, Backend>();
    return {
        body_in<Operators, starfmm::NearfieldTask<Any>>(bodies, implementation),
        body_in<Operators, starfmm::NearfieldBorderTask<Any>>(bodies, implementation)};
}

template <class L>
struct NearScene {
    using Real = typename L::Real;
    static constexpr int D = L::dimension;

    /// One group's buffers.
    struct Group {
        std::uint32_t index;
        Words users; ///< [n] tree order to user order
        std::vector<Real> values;
        std::vector<Real> positions;
        std::vector<Real> strengths;
        Words offsets;
    };

    starfmm::Points<D> points;
    std::vector<double> strengths;
    int height;
    int group_level;
    std::vector<Group> groups; ///< groups that have points

    NearScene(const starfmm::Points<D>& all, int tree_height, int level)
        : points(all),
          strengths(starfmm::make_strengths(
                        all.size(), starfmm::StrengthSign::random, starfmm::StrengthType::real, 3
          )
                        .re),
          height(tree_height), group_level(level), domain_(starfmm::bounding_domain<D>(all)) {
        for (double& q : strengths) {
            q = static_cast<Real>(q);
        }
        const Words codes = box_codes();
        Words order(points.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return codes[a] < codes[b];
        });
        const std::uint32_t boxes = 1U << (D * (height - group_level));
        for (std::uint32_t index = 0; index < 1U << (D * group_level); ++index) {
            add_group(index, boxes, codes, order);
        }
    }

    [[nodiscard]] std::array<double, D> point(std::size_t i) const {
        std::array<double, D> x{};
        for (int d = 0; d < D; ++d) {
            x[d] = points.x[d][i];
        }
        return x;
    }

    [[nodiscard]] const starfmm::Domain<D>& domain() const { return domain_; }

    [[nodiscard]] double box_side() const { return std::ldexp(domain().side, -height); }

    /// Returns the code of each point's box by its definition.
    [[nodiscard]] Words box_codes() const {
        Words codes;
        for (std::size_t i = 0; i < points.size(); ++i) {
            codes.push_back(domain_.box_of(point(i), height));
        }
        return codes;
    }

    [[nodiscard]] starfmm::TaskArgs args(int granularity) const {
        starfmm::TaskArgs task;
        task.tree.first = group_level;
        task.tree.last = height;
        task.nearfield.granularity = granularity;
        task.nearfield.box_side = box_side();
        return task;
    }

    /// Runs all tasks, one after the other. `call(args, buffers...)` runs the body under test.
    template <class Call>
    starfmm::NearValues run(const Call& call, int granularity) {
        for (Group& own : groups) {
            auto task = args(granularity);
            task.n_slots = 1;
            task.slots[0] = own.index;
            own.values = Random(5).numbers<Real>(own.values.size()); // to be overwritten
            call(task, own.values, own.positions, own.strengths, own.offsets);
        }
        for (std::size_t a = 0; a < groups.size(); ++a) {
            for (std::size_t b = a + 1; b < groups.size(); ++b) {
                run_border(call, groups[a], groups[b], granularity);
            }
        }
        starfmm::NearValues values(L::n_values, std::vector<double>(points.size()));
        for (const Group& group : groups) {
            const std::size_t n = group.users.size();
            for (std::size_t i = 0; i < n * L::n_values; ++i) {
                values[i / n][group.users[i % n]] = group.values[i];
            }
        }
        return values;
    }

    /// Checks values. A pair takes fewer than 32 roundings, of which the logarithm's argument
    /// suffers 8 in an absolute sense; a sum takes one more for each of its terms. Single precision
    /// rounds positions too.
    void check(const starfmm::NearValues& values) const {
        std::vector<std::size_t> which(points.size());
        std::iota(which.begin(), which.end(), std::size_t(0));
        const starfmm::ExactLaw law{L::n_values, starfmm::detail::extended_pair<L>};
        const auto exact = starfmm::near_sum<D>(law, points, strengths, height, which);
        double total = 0;
        for (const double q : strengths) {
            total += L::name == "log" ? 8 * std::abs(q) : 0;
        }
        const double u = roundoff<Real>;
        const double per_pair = u * (32 + static_cast<double>(points.size()));
        for (int c = 0; c < L::n_values; ++c) {
            for (const std::size_t i : which) {
                const double bound = per_pair * static_cast<double>(exact.magnitude[c][i]) +
                                     u * total + position_error(i, c);
                const auto error = static_cast<double>(std::abs(values[c][i] - exact.values[c][i]));
                REQUIRE(error <= bound);
            }
        }
    }

private:
    /// Domain of the points, kept because each use is one for each point.
    starfmm::Domain<D> domain_;

    /// Error of component `c` of point `i`'s value that rounding of positions causes. Positions are
    /// at most half a side from their box's centre, then shifted by a side, so that three roundings
    /// move a difference by less than 3 u sides. Twice the change that this makes covers the
    /// value's curvature.
    [[nodiscard]] double position_error(std::size_t i, int c) const {
        if (!starfmm::is_seen_from_box<Real>) {
            return 0;
        }
        const long double step = 3 * roundoff<Real> * box_side();
        long double sum = 0;
        for (std::size_t j = 0; j < points.size(); ++j) {
            std::array<long double, D> d{};
            for (int k = 0; k < D; ++k) {
                d[k] = static_cast<long double>(points.x[k][j]) - points.x[k][i];
            }
            const auto value = L::pair(d)[c];
            for (int k = 0; k < D && d != std::array<long double, D>{}; ++k) {
                auto moved = d;
                moved[k] += d[k] < 0 ? step : -step; // nearer: the change is larger there
                sum += 2 * std::abs(strengths[j] * (L::pair(moved)[c] - value));
            }
        }
        return static_cast<double>(sum);
    }

    void
    add_group(std::uint32_t index, std::uint32_t boxes, const Words& codes, const Words& order) {
        Group group{index, {}, {}, {}, {}, Words(boxes + 1)};
        for (const std::uint32_t user : order) {
            if (codes[user] / boxes == index) {
                group.users.push_back(user);
                for (std::uint32_t box = codes[user] % boxes; box < boxes; ++box) {
                    ++group.offsets[box + 1];
                }
            }
        }
        group.values.resize(group.users.size() * L::n_values);
        const starfmm::UniformTree<D> tree{domain_, height, nullptr};
        for (int d = 0; d < D; ++d) {
            for (const std::uint32_t user : group.users) {
                const bool from_box = starfmm::is_seen_from_box<Real>;
                const double origin = from_box ? tree.centre(height, codes[user])[d] : 0;
                group.positions.push_back(static_cast<Real>(points.x[d][user] - origin));
            }
        }
        for (const std::uint32_t user : group.users) {
            group.strengths.push_back(static_cast<Real>(strengths[user]));
        }
        if (!group.users.empty()) {
            groups.push_back(std::move(group));
        }
    }

    template <class Call>
    void run_border(const Call& call, Group& a, Group& b, int granularity) {
        auto task = args(granularity);
        task.n_slots = 2;
        task.slots[0] = a.index;
        task.slots[1] = b.index;
        call(
            task,
            a.values,
            b.values,
            a.positions,
            a.strengths,
            a.offsets,
            b.positions,
            b.strengths,
            b.offsets
        );
    }
};

/// Makes `n` points in one box of any tree of height >= 1, except for one point that makes the
/// domain.
template <int D>
starfmm::Points<D> crowded_points(std::size_t n) {
    auto points = starfmm::make_points<D>(starfmm::Distribution::uniform, scene_size(n), 0.1, 2);
    for (auto& coordinate : points.x) {
        for (double& x : coordinate) {
            x *= 1e-3;
        }
        coordinate.front() = 1;
    }
    return points;
}

template <int D>
starfmm::Points<D> uniform_points(std::size_t n) {
    return starfmm::make_points<D>(starfmm::Distribution::uniform, scene_size(n), 0.1, 4);
}

/// Makes `n` points as close as neighbours in a high tree, about a corner of its boxes far from the
/// origin, between two points that make the domain.
template <int D>
starfmm::Points<D> distant_points(std::size_t n) {
    auto points = starfmm::make_points<D>(starfmm::Distribution::uniform, scene_size(n), 0.1, 6);
    for (auto& coordinate : points.x) {
        for (double& x : coordinate) {
            x = 0.75 + 2e-3 * (x - 0.5);
        }
        coordinate.front() = 0;
        coordinate.back() = 1;
    }
    return points;
}
