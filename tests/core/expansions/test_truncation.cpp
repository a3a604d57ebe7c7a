// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/truncation.hpp"

#include <doctest/doctest.h>

#include <cmath>

using starfmm::Frame;
using starfmm::truncates_by_distance;
using starfmm::TruncationOrders;

namespace {

struct Whole {};

template <class Real>
int order(double theta, int p, double source_radius, double target_radius, double d) {
    const Frame<Real> source{{Real(0), Real(0)}, static_cast<Real>(source_radius)};
    const Frame<Real> target{{static_cast<Real>(d), Real(0)}, static_cast<Real>(target_radius)};
    return TruncationOrders(theta, p, 0).order(source, target);
}

} // namespace

TEST_CASE("truncation: kernels say whether a prefix is an expansion") {
    CHECK(truncates_by_distance<starfmm::Log<double>>());
    CHECK(truncates_by_distance<starfmm::Harmonic<float, false>>());
    CHECK_FALSE(truncates_by_distance<Whole>());
}

TEST_CASE_TEMPLATE("truncation: the worst admitted pair takes all terms", Real, double, float) {
    for (const double theta : {0.25, 0.5, 0.75}) {
        for (const int p : {1, 7, 20, 64}) {
            for (const double r : {1.0, 0.5, 0.0}) {
                const double d = 1 / theta + r; // R + theta r = theta d
                // logarithms are coarse: one term more or less in 5000
                CHECK(order<Real>(theta, p, 1, r, d * (1 - 1e-3)) == p);
                CHECK(order<Real>(theta, p, r, 1, d * (1 - 1e-3)) == p);
            }
        }
    }
}

TEST_CASE_TEMPLATE(
    "truncation: terms make every pair's error that of the worst", Real, double, float
) {
    for (const double theta : {0.3, 0.5, 0.7}) {
        for (const int p : {5, 20, 40}) {
            double d = 2 + 1 / theta;
            while (d < 1e6) {
                const int terms = order<Real>(theta, p, 1, 0.5, d);
                const double rho = 1 / (d - 0.5);
                const double wanted = p * std::log(theta);
                // coarse_log2 is within 2e-4: relative to |log2 rho| at most 2e-4 / 0.5
                CHECK(terms * std::log(rho) <= wanted * (1 - 1e-3));
                CHECK((terms - 1) * std::log(rho) >= wanted * (1 + 1e-3));
                CHECK(terms <= order<Real>(theta, p, 1, 0.5, d / 1.3));
                d *= 1.3;
            }
        }
    }
}

TEST_CASE_TEMPLATE(
    "truncation: points need one term, touching boxes no more than all", Real, double, float
) {
    CHECK(order<Real>(0.5, 20, 0, 0, 1) == 1);
    CHECK(order<Real>(0.5, 20, 1e-35, 1e-35, 1) == 1);
    CHECK(order<Real>(0.5, 20, 1, 1, 2.1) == 20);
}
