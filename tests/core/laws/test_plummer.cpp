// SPDX-License-Identifier: BSD-3-Clause
// Tests compare derivatives of the softened potential with differences in extended precision.
#include "core/laws/plummer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using starfmm::CartesianOrder;
using starfmm::CartesianPower;
using starfmm::n_cartesian;
using starfmm::Vector3;

namespace {

using Real = long double;
using Coefficients = std::vector<Real>;

constexpr int largest = starfmm::largest_cartesian_order;
constexpr Vector3<Real> d{0.7L, -1.3L, 0.4L};

} // namespace

TEST_CASE("plummer: derivatives are those of the softened potential") {
    constexpr Real h = 1e-6L;
    for (const Real epsilon : {0.0L, 0.3L, 3.0L}) {
        const auto derivatives = [&](const Vector3<Real>& at) {
            auto out = Coefficients(n_cartesian(largest));
            const Real s = std::sqrt(starfmm::square(at) + epsilon * epsilon);
            const CartesianOrder<0> order{largest};
            starfmm::PlummerDerivatives<Real>::fill(order, (1 / s) * at, out.data());
            starfmm::visit_powers(order, [&](const CartesianPower& n) {
                out[n.index()] /= std::pow(s, static_cast<Real>(n.degree() + 1));
            });
            return out;
        };
        const Real s = std::sqrt(starfmm::square(d) + epsilon * epsilon);
        const auto here = derivatives(d);
        CHECK(here[0] == doctest::Approx(1 / s));
        const auto check = [&](const Vector3<Real>& step, int i, int j, int k) {
            const auto after = derivatives(d + h * step);
            const auto before = derivatives(d - h * step);
            starfmm::visit_powers(CartesianOrder<0>{largest - 1}, [&](const CartesianPower& n) {
                const Real expected = (after[n.index()] - before[n.index()]) / (2 * h);
                const int raised = CartesianPower{n.i + i, n.j + j, n.k + k}.index();
                // derivatives of degree n are at most n! / s^(n+1); the error of a difference is
                // h^2 (n+3)! / 6 (n+1)! of that, below 2e-11, and roundings of 2e-19 / h
                const Real scale = std::tgamma(static_cast<Real>(n.degree() + 2)) /
                                   std::pow(s, static_cast<Real>(n.degree() + 2));
                CHECK(std::abs(here[raised] - expected) <= 1e-10L * scale);
            });
        };
        check({1, 0, 0}, 1, 0, 0);
        check({0, 1, 0}, 0, 1, 0);
        check({0, 0, 1}, 0, 0, 1);
    }
}
