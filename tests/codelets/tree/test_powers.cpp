// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/body_field.hpp"
#include "tests/support/orthtree_lists.hpp"
#include "tests/support/shapes.hpp"

#include <algorithm>
#include <cmath>

namespace {

using starfmm::BoxRange;
using starfmm::Coupling;
using starfmm::OwnErrorSeparation;

template <int D>
using Run = OrthtreeRun<Buffers, D>;

/// Powers of a box's bodies, in long double.
struct BrutePowers {
    long double mass = 0;
    long double power = 0;
    long double extent = 0;
    double field = std::numeric_limits<double>::infinity();
};

/// Computes the powers of each box from all its bodies.
template <int D>
std::vector<BrutePowers> brute_powers(Run<D>& run, const std::vector<std::vector<double>>& field) {
    const OwnErrorSeparation& rule = run.args.own_error;
    const TreePoints& points = run.points[0];
    const std::size_t n = points.codes.size();
    const std::vector<BoxRange> ranges = run.point_ranges(0);
    std::vector<BrutePowers> all(ranges.size());
    for (std::size_t box = 0; box < ranges.size(); ++box) {
        const auto centre = run.frame(0, box).centre;
        for (std::size_t i = ranges[box].begin; i < ranges[box].end; ++i) {
            const std::size_t user = points.permutation[i];
            const double mass = rule.per_mass * std::abs(field[0][user]);
            long double square = 0;
            double square_field = 0;
            for (std::size_t d = 0; d < D; ++d) {
                const long double x = points.positions[d * n + i];
                square += std::pow(x - coordinate(centre, static_cast<int>(d)), 2.0L);
                square_field += std::pow(rule.per_acceleration * field[2 + d][user], 2);
            }
            const double potential = rule.per_potential * field[1][user];
            const double own = std::max(std::sqrt(square_field), potential * potential);
            all[box].mass += mass;
            all[box].power += mass * std::pow(std::sqrt(square), rule.order);
            all[box].extent = std::max(all[box].extent, std::sqrt(square));
            all[box].field = std::min(all[box].field, own);
        }
    }
    return all;
}

/// Size of a box's bodies.
double size_of(const BrutePowers& box, int order) {
    return box.mass > 0 ? static_cast<double>(std::pow(box.power / box.mass, 1.0L / order)) : 0;
}

template <int D>
void check_powers(const starfmm::GeometryBodies& bodies, std::size_t n, int order) {
    CAPTURE(n);
    CAPTURE(order);
    Run<D> run(bodies, make_shape<D>("normal", n, 1), {}, 7);
    auto field = body_field<D>(n);
    run.separate_by_own_error({1e-3, order, 0.5, 0.25, 2}, field);
    const OwnErrorSeparation& rule = run.args.own_error;
    const double power = rule.power();
    const double half = std::pow(2.0, order * power - 1);
    const auto brute = brute_powers(run, field);
    for (std::size_t box = 0; box < brute.size(); ++box) {
        const starfmm::OwnReach& reach = run.reaches[box];
        const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-11); };
        CHECK(reach.source == near(std::pow(static_cast<double>(brute[box].mass), power)));
        CHECK(reach.target == near(std::pow(rule.error * brute[box].field, -power)));
        const double least = half * std::pow(size_of(brute[box], order), order * power);
        CHECK(reach.source_size >= least * (1 - 1e-11));
        // for cubes, whose centres' distances add up to their own size
        const double most = half * std::pow(run.frame(0, box).radius, order * power);
        CHECK((D == 2 || reach.source_size <= most * (1 + 1e-11)));
        const auto extent = static_cast<double>(brute[box].extent);
        CHECK(reach.target_size >= half * std::pow(extent, order * power) * (1 - 1e-11));
    }
}

/// Checks that every target meets every source once, and that no far pair leaves out more than four
/// times what it may: sizes are added by their powers.
void check_connected(double error) {
    CAPTURE(error);
    const std::size_t n = 3000;
    Run<3> run(geometry_variants<3>().front().bodies, make_shape<3>("normal", n, 1), {}, 10);
    auto field = body_field<3>(n);
    const int order = 4;
    run.args.order = order;
    run.args.theta = 0.8;
    run.connect(2'000'000, 2'000'000);
    const std::uint64_t by_theta = run.counts[0].near;
    run.separate_by_own_error({error, order, 1e-3, 1e-3, 1e-3}, field);
    run.connect(4'000'000, 4'000'000);
    REQUIRE(run.counts[0].overflow == 0);
    CHECK(run.counts[0].near > by_theta);
    const auto brute = brute_powers(run, field);
    MetSources met(run);
    const std::vector<Run<3>*> slots{&run};
    double largest = 0;
    for (std::size_t leaf = 0; leaf < run.n_leaves(); ++leaf) {
        visit_met<3>(run, slots, leaf, [&](const MetBox& box) {
            met.add(box.source);
            if (box.how == Coupling::near) {
                return;
            }
            const double distance =
                length(run.frame(0, box.source).centre - run.frame(0, box.target).centre);
            // the source box does not matter for M2P
            const bool of_points = box.how == Coupling::m2p;
            const double sizes = size_of(brute[box.source], order) +
                                 (of_points ? 0 : static_cast<double>(brute[box.target].extent));
            const double left_out = static_cast<double>(brute[box.source].mass) *
                                    std::pow(sizes, order) / std::pow(distance, order + 2);
            largest = std::max(largest, left_out / brute[box.target].field);
        });
        CHECK(met.take_all_once());
    }
    CHECK(largest <= 4 * error);
    CHECK(largest > 0.1 * error);
}

/// Lengths of all magnitudes, and of some points none.
std::vector<double> lengths_of(std::size_t n) {
    std::vector<double> lengths;
    for (std::size_t i = 0; i < n; ++i) {
        lengths.push_back(i % 7 == 0 ? 0 : 0.1 * std::pow(10.0, -static_cast<double>(i % 31) / 5));
    }
    return lengths;
}

/// Returns the largest length of each box's bodies.
std::vector<double> longest_of_boxes(Run<3>& run, const std::vector<double>& lengths) {
    std::vector<double> longest;
    for (const BoxRange& range : run.point_ranges(0)) {
        longest.push_back(0);
        for (std::size_t i = range.begin; i < range.end; ++i) {
            longest.back() = std::max(longest.back(), lengths[run.points[0].permutation[i]]);
        }
    }
    return longest;
}

/// Returns the gap between two cubes.
double gap(const starfmm::Frame<double, 3>& a, const starfmm::Frame<double, 3>& b) {
    return std::sqrt(starfmm::square_gap(a, b));
}

} // namespace

TEST_CASE("powers: the largest length of each box, with own errors and without") {
    constexpr std::size_t n = 3000;
    for (const auto& variant : geometry_variants<3>()) {
        CAPTURE(variant.name);
        for (const bool by_own_error : {false, true}) {
            Run<3> run(variant.bodies, make_shape<3>("normal", n, 1), {}, 7);
            auto field = by_own_error ? body_field<3>(n) : std::vector<std::vector<double>>();
            field.push_back(lengths_of(n));
            run.args.kernel.has_lengths = true;
            run.separate_by_own_error({by_own_error ? 1e-3 : 0, 4, 0.5, 0.25, 2}, field);
            const std::vector<double> longest = longest_of_boxes(run, field.back());
            for (std::size_t box = 0; box < longest.size(); ++box) {
                CHECK(run.reaches[box].length == longest[box]);
                CHECK((run.reaches[box].target > 0) == by_own_error);
            }
        }
    }
}

TEST_CASE("powers: boxes are only connected beyond the lengths of their bodies") {
    constexpr std::size_t n = 3000;
    for (const auto& variant : geometry_variants<3>()) {
        CAPTURE(variant.name);
        Run<3> run(variant.bodies, make_shape<3>("normal", n, 1), {}, 10);
        std::vector<std::vector<double>> field{lengths_of(n)};
        run.args.order = 4;
        run.args.theta = 0.8;
        run.connect(2'000'000, 2'000'000);
        const std::uint64_t by_theta = run.counts[0].near;
        run.args.kernel.has_lengths = true;
        run.separate_by_own_error({}, field);
        run.connect(4'000'000, 4'000'000);
        REQUIRE(run.counts[0].overflow == 0);
        CHECK(run.counts[0].near > by_theta);
        const std::vector<double> longest = longest_of_boxes(run, field.back());
        MetSources met(run);
        const std::vector<Run<3>*> slots{&run};
        std::size_t n_far = 0;
        for (std::size_t leaf = 0; leaf < run.n_leaves(); ++leaf) {
            visit_met<3>(run, slots, leaf, [&](const MetBox& box) {
                met.add(box.source);
                if (box.how != Coupling::near) {
                    ++n_far;
                    CHECK(
                        gap(run.frame(0, box.source), run.frame(0, box.target)) >=
                        std::max(longest[box.source], longest[box.target]) * (1 - 1e-14)
                    );
                }
            });
            CHECK(met.take_all_once());
        }
        CHECK(n_far > 0);
    }
}

TEST_CASE("powers: of all boxes as of their bodies") {
    for (const auto& variant : geometry_variants<3>()) {
        CAPTURE(variant.name);
        for (const std::size_t n : {1, 2, 300, 3000}) {
            for (const int order : {1, 4, 8}) {
                check_powers<3>(variant.bodies, n, order);
            }
        }
    }
    check_powers<2>(geometry_variants<2>().front().bodies, 300, 4);
}

TEST_CASE("powers: boxes that are connected by them") {
    for (const double error : {1e-2, 1e-3, 1e-4}) {
        check_connected(error);
    }
}
