// SPDX-License-Identifier: BSD-3-Clause
// Tests of plane waves, which stand for expansions of cubes two or three sides apart, to the error
// of their rule.
#include "core/expansions/plane_waves.hpp"
#include "tests/support/space/solid_exact.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using starfmm::along_axis;
using starfmm::Frame;
using starfmm::make_wave_tables;
using starfmm::Vector3;
using starfmm::WaveAxis;
using starfmm::WaveBand;
using starfmm::WaveConversion;
using starfmm::WaveRule;
using starfmm::WaveTables;

namespace {

constexpr double charge_sum = 2;

using Coefficients = std::vector<double>;

template <class Real>
using Solid = starfmm::SolidHarmonics3D<Real>;

/// Offset between cubes, in sides.
using Offset = Vector3<int>;

WaveAxis axis_of(const Offset& offset) {
    return std::abs(offset.z) >= 2   ? WaveAxis::z
           : std::abs(offset.y) >= 2 ? WaveAxis::y
                                     : WaveAxis::x;
}

/// Returns the waves of the offset's direction, times exp(-l dz + i l (dx cos a + dy sin a)).
template <class Real>
std::vector<Real> translated(
    const WaveTables<Real>& tables,
    const WaveBand& band,
    const Offset& offset,
    const std::vector<Real>& waves
) {
    const int sign = offset.z > 0 ? 1 : -1;
    const Real* phase = tables.view().phases(band, sign * offset.x, sign * offset.y);
    const Real* decay = tables.view().decays(band, sign * offset.z);
    std::vector<Real> out(waves.size());
    for (int i = 0; i < band.waves; ++i) {
        const int re = (sign > 0 ? 0 : 2 * band.waves) + i;
        const int im = re + band.waves;
        const Real c = decay[i] * phase[i];
        const Real s = decay[i] * phase[band.waves + i];
        out[re] = c * waves[re] - s * waves[im];
        out[im] = c * waves[im] + s * waves[re];
    }
    return out;
}

/// Returns the local expansion that M2L would make of `a`.
template <class Real>
std::vector<Real> m2l_by_waves(
    const WaveTables<Real>& tables, const Offset& offset, Real side, const std::vector<Real>& a
) {
    const int p = tables.order;
    const WaveAxis axis = axis_of(offset);
    std::vector<Real> scratch(a.size());
    std::vector<Real> turned(a.size());
    std::vector<Real> b(a.size());
    starfmm::turn_to_axis<Real>(axis, p, a.data(), scratch.data(), turned.data());
    for (const WaveBand& band : tables.bands) {
        const WaveConversion<Real> conversion(tables.view(), band);
        std::vector<Real> waves(4 * static_cast<std::size_t>(band.waves), Real(1));
        conversion.form(turned.data(), waves.data());
        waves = translated(tables, band, along_axis(axis, offset), waves);
        conversion.receive(waves.data(), b.data());
    }
    std::vector<Real> out(a.size());
    starfmm::turn_from_axis<Real>(axis, p, b.data(), scratch.data(), out.data());
    for (Real& coefficient : out) {
        coefficient /= side;
    }
    return out;
}

template <class Use>
void for_each_offset(const Use& use) {
    for (int i = 0; i < 343; ++i) {
        const Offset offset{i % 7 - 3, i / 7 % 7 - 3, i / 49 - 3};
        if (std::max({std::abs(offset.x), std::abs(offset.y), std::abs(offset.z)}) >= 2) {
            use(offset);
        }
    }
}

/// Largest differences in units of 1 / side.
struct Differences {
    double of_waves = 0; ///< difference of waves from M2L
    double of_m2l = 0;   ///< difference of M2L from the sum itself
};

/// Measures differences at the corners of the target cube, for the charge farthest from the centre
/// and for one within.
template <class Real>
Differences differences(const WaveTables<Real>& tables, const Offset& offset) {
    const int p = tables.order;
    const auto side = static_cast<Real>(0.375);
    const Real h = side / 2;
    const Real radius = side * std::sqrt(Real(0.75));
    const auto at = side * Vector3<Real>{Real(offset.x), Real(offset.y), Real(offset.z)};
    const Frame<Real, 3> source{{Real(0), Real(0), Real(0)}, radius};
    const Frame<Real, 3> target{at, radius};
    const std::array<Vector3<Real>, 2> charges{{{h, -h, h}, {-h / 2, h / 4, h}}};
    std::vector<Real> a(static_cast<std::size_t>(p) * static_cast<std::size_t>(p));
    for (const auto& charge : charges) {
        Solid<Real>::p2m(p, source, charge, Real(1), a.data());
    }
    std::vector<Real> expected(a.size());
    Solid<Real>::m2l(p, source, a.data(), target, expected.data());
    const auto b = m2l_by_waves(tables, offset, side, a);
    Differences largest;
    for (unsigned corner = 0; corner < 8; ++corner) {
        const Vector3<Real> point{
            at.x + ((corner & 1U) != 0 ? h : -h),
            at.y + ((corner & 2U) != 0 ? h : -h),
            at.z + ((corner & 4U) != 0 ? h : -h)};
        const double by_waves = Solid<Real>::evaluate_local(p, target, b.data(), point);
        const double by_m2l = Solid<Real>::evaluate_local(p, target, expected.data(), point);
        long double sum = 0;
        for (const auto& charge : charges) {
            sum += 1 / norm(extended(point - charge));
        }
        const double unit = side;
        largest.of_waves = std::max(largest.of_waves, unit * std::abs(by_waves - by_m2l));
        largest.of_m2l =
            std::max(largest.of_m2l, unit * static_cast<double>(std::abs(by_m2l - sum)));
    }
    return largest;
}

/// Checks the error of waves at all offsets. It is at most the rule's error, as much again by
/// angles, and the error of M2L of the nearest cubes, since a rule does not cover terms of the
/// highest degrees alone.
template <class Real>
void check_all_offsets(const WaveTables<Real>& tables, const WaveRule& rule) {
    const double of_nearest = differences(tables, {0, 0, 2}).of_m2l;
    for_each_offset([&](const Offset& offset) {
        CAPTURE(offset.x);
        CAPTURE(offset.y);
        CAPTURE(offset.z);
        const double difference = differences(tables, offset).of_waves;
        CHECK(difference <= 4 * charge_sum * rule.error + 2 * of_nearest);
    });
}

} // namespace

TEST_CASE("wave rules: have their errors over the range, and positive ascending nodes") {
    for (int n = starfmm::least_wave_nodes; n <= starfmm::most_wave_nodes; ++n) {
        const WaveRule rule = WaveRule::of(n);
        REQUIRE(rule.size == n);
        CHECK(std::is_sorted(rule.nodes, rule.nodes + n));
        CHECK(rule.nodes[0] > 0);
        CHECK(*std::min_element(rule.weights, rule.weights + n) > 0);
        double largest = 0;
        for (int i = 0; i <= 60 * 80; ++i) {
            const int row = i / 80;
            const double z = 1 + 3.0 * row / 60;
            const double rho = 4 * std::sqrt(2.0) * (i % 80) / 79;
            double sum = -1 / std::hypot(z, rho);
            for (int k = 0; k < n; ++k) {
                sum += rule.weights[k] * std::exp(-rule.nodes[k] * z) *
                       std::cyl_bessel_j(0, rule.nodes[k] * rho);
            }
            largest = std::max(largest, std::abs(sum));
        }
        CHECK(largest <= 1.01 * rule.error);
        CHECK(largest > 0.5 * rule.error);
    }
}

TEST_CASE("plane waves: are M2L of cubes, to the error of the rule, whatever the order") {
    for (const int n : {2, 6, 11, 18, 26, 32}) {
        for (const int order : {1, 2, 5, 12, 17, 30, 40}) {
            CAPTURE(n);
            CAPTURE(order);
            const WaveRule rule = WaveRule::of(n);
            const auto tables = make_wave_tables<double>(rule, order, starfmm::most_band_waves / 2);
            check_all_offsets(tables, rule);
        }
    }
}

TEST_CASE("plane waves: do in single precision what it allows") {
    const WaveRule rule = WaveRule::of(12);
    check_all_offsets(make_wave_tables<float>(rule, 10, 40), rule);
}

TEST_CASE("plane waves: in bands of one node or of many") {
    const WaveRule rule = WaveRule::of(9);
    const auto narrow = make_wave_tables<double>(rule, 8, 8);
    const auto wide = make_wave_tables<double>(rule, 8, starfmm::most_band_waves);
    CHECK(narrow.bands.size() > wide.bands.size());
    check_all_offsets(narrow, rule);
    check_all_offsets(wide, rule);
}

TEST_CASE("plane waves: the rule and its tables follow from the tolerance") {
    for (const double tolerance : {1e-1, 1e-3, 1e-6, 1e-9}) {
        const WaveRule rule = starfmm::wave_rule(tolerance);
        CHECK(rule.error <= 2.5 * tolerance);
        const auto& tables = starfmm::wave_tables<double>(tolerance, 7);
        CHECK(tables.order == 7);
        CHECK(tables.nodes.size() == static_cast<std::size_t>(rule.size));
        CHECK(&starfmm::wave_tables<double>(tolerance, 7) == &tables);
        CHECK(&starfmm::wave_tables<double>(tolerance, 8) != &tables);
    }
    CHECK(starfmm::wave_rule(1e-15).size == starfmm::most_wave_nodes);
}

TEST_CASE("plane waves: axes exchange coordinates of expansions") {
    constexpr int p = 9;
    SolidDraws<double> draws(5);
    const Coefficients b = draws.coefficients(p);
    Coefficients scratch(b.size());
    Coefficients turned(b.size());
    Coefficients again(b.size());
    const Frame<double, 3> box{{0, 0, 0}, 1};
    for (const WaveAxis axis : {WaveAxis::x, WaveAxis::y, WaveAxis::z}) {
        starfmm::turn_to_axis<double>(axis, p, b.data(), scratch.data(), turned.data());
        const auto point = SolidDraws<double>::rounded(draws.in_ball());
        const double value = Solid<double>::evaluate_local(p, box, b.data(), point);
        const auto seen = along_axis(axis, point);
        CHECK(
            Solid<double>::evaluate_local(p, box, turned.data(), seen) ==
            doctest::Approx(value).epsilon(1e-12)
        );
        starfmm::turn_from_axis<double>(axis, p, turned.data(), scratch.data(), again.data());
        for (std::size_t i = 0; i < b.size(); ++i) {
            CHECK(again[i] == doctest::Approx(b[i]).epsilon(1e-12));
        }
    }
}
