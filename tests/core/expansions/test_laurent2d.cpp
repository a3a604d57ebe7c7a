// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

using starfmm::Complex;
using starfmm::ExpansionKernel;
using starfmm::Frame;
using starfmm::Harmonic;
using starfmm::laurent_order;
using starfmm::Log;
using starfmm::pascal_row;

static_assert(ExpansionKernel<Harmonic<double, false>>);
static_assert(ExpansionKernel<Harmonic<double, true>>);
static_assert(ExpansionKernel<Harmonic<float, false>>);
static_assert(ExpansionKernel<Log<double>>);
static_assert(ExpansionKernel<Log<float>>);
static_assert(!ExpansionKernel<int>);
static_assert(starfmm::has_complex_strength<Harmonic<double, true>>);
static_assert(!starfmm::has_complex_strength<Harmonic<double, false>>);
static_assert(starfmm::has_complex_value<Harmonic<double, false>>);
static_assert(!starfmm::has_complex_value<Log<double>>);

TEST_CASE("laurent2d: the matrix of M2L holds binomial coefficients") {
    // C(l + k - 1, k - 1) fits into 64 bits for l + k <= 60
    for (int l = 0; l <= 30; ++l) {
        std::uint64_t entry = 1;
        for (int k = 1; k <= 30; ++k) {
            // C(l + k, k) = C(l + k - 1, k - 1) (l + k) / k
            CHECK(pascal_row<double>(l)[k] == static_cast<double>(entry));
            const auto numerator = static_cast<std::uint64_t>(l) + static_cast<std::uint64_t>(k);
            const std::uint64_t common = std::gcd(entry, static_cast<std::uint64_t>(k));
            entry = entry / common * numerator / (static_cast<std::uint64_t>(k) / common);
        }
    }
    CHECK(std::isfinite(pascal_row<float>(64)[64]));
}

TEST_CASE("laurent2d: the order's tail is below the tolerance, and grows as either shrinks") {
    for (const double theta : {0.2, 0.5, 0.7}) {
        int last = 0;
        for (const double tolerance : {1e-1, 1e-3, 1e-6, 1e-9}) {
            const int p = laurent_order(tolerance, theta);
            CHECK((std::pow(theta, p) <= tolerance || p == starfmm::max_order));
            CHECK(p >= last);
            last = p;
        }
    }
    CHECK(laurent_order(1e-6, 0.3) < laurent_order(1e-6, 0.6));
    CHECK(laurent_order(0.9, 0.01) >= 1);
    CHECK(laurent_order(1e-15, 0.9) == starfmm::max_order);
    CHECK(Harmonic<double, false>::order(1e-6, 0.5) == laurent_order(1e-6, 0.5));
    CHECK(Log<double>::n_coefficients(17) == 18);
}

TEST_CASE("laurent2d: a chain of P2M, M2M, M2L, L2L and L2P gives the potential") {
    // one source of strength 2 at (1, 2), seen from (13, -3) through boxes of two levels
    using K = Harmonic<double, true>;
    const int p = 60;
    const Complex<double> source{1, 2};
    const Complex<double> target{13, -3};
    const Complex<double> q{2, -1};
    const Frame<double> child{{0.75, 2.25}, 0.5};
    const Frame<double> parent{{0, 2}, 1.5};
    const Frame<double> far_parent{{12, -3}, 1.5};
    const Frame<double> far_child{{12.75, -2.75}, 0.5};
    Complex<double> a[61]{};
    Complex<double> a_parent[61]{};
    Complex<double> b_parent[61]{};
    Complex<double> b[61]{};
    K::p2m(p, child, source, q, a);
    K::m2m(p, child, a, parent, a_parent);
    K::m2l(p, parent, a_parent, far_parent, b_parent);
    K::l2l(p, far_parent, b_parent, far_child, b);
    const Complex<double> value = K::l2p(p, far_child, b, target);
    const Complex<double> expected = K::p2p(target, source, q);
    // (2 - i) / (-12 + 5i) = -(29 - 2i) / 169; 60 steps of 2 roundings each
    CHECK(std::abs(expected.re + 29.0 / 169) <= 1e-16);
    CHECK(std::abs(expected.im - 2.0 / 169) <= 1e-16);
    CHECK(std::abs(value.re - expected.re) <= 120 * 0x1p-53);
    CHECK(std::abs(value.im - expected.im) <= 120 * 0x1p-53);
}

TEST_CASE("laurent2d: pairs at the same place have no potential") {
    CHECK(Log<double>::p2p<double>({1, 2}, {1, 2}, 3.0) == 0);
    const auto value = Harmonic<double, false>::p2p<double>({1, 2}, {1, 2}, 3.0);
    CHECK(value.re == 0);
    CHECK(value.im == 0);
}

TEST_CASE_TEMPLATE("laurent2d: shifts coefficient by coefficient, and as a scaled constant matrix", K, Harmonic<double, false>, Log<double>) {
    const int p = 40;
    const Frame<double> child{{0.3, -0.2}, 0.4};
    const Frame<double> parent{{0, 0}, 1};
    Complex<double> a[p + 1];
    for (int k = 0; k <= p; ++k) {
        a[k] = {std::cos(k), std::sin(3 * k)};
    }
    if constexpr (std::is_same_v<K, Harmonic<double, false>>) {
        a[0] = {0, 0};
    }
    Complex<double> multipole[p + 1]{};
    Complex<double> local[p + 1]{};
    K::m2m(p, child, a, parent, multipole);
    K::l2l(p, parent, a, child, local);
    const auto m2m = K::m2m_factors(child, parent);
    const auto l2l = K::l2l_factors(parent, child);
    // scaled sums stay below the p + 1 coefficients' total, since |t| + r/R <= 1
    const double rounding = 8.0 * p * (p + 1) * std::numeric_limits<double>::epsilon();
    Complex<double> m2m_power = m2m.incoming;
    Complex<double> l2l_power = l2l.incoming;
    for (int l = 1; l <= p; ++l) {
        CHECK(norm(K::m2m_coefficient(l, child, a, parent) - multipole[l]) <= rounding * rounding);
        CHECK(norm(K::l2l_coefficient(p, l, parent, a, child) - local[l]) <= rounding * rounding);
        Complex<double> by_m2m{0, 0};
        Complex<double> by_l2l{0, 0};
        Complex<double> m2m_column{1, 0};
        Complex<double> l2l_column{1, 0};
        for (int k = 0; k <= p; ++k) {
            by_m2m += K::m2m_entry(l, k) * (m2m_column * a[k]);
            by_l2l += (k > 0 ? K::l2l_entry(l, k) : 0) * (l2l_column * a[k]);
            m2m_column = m2m_column * m2m.outgoing;
            l2l_column = l2l_column * l2l.outgoing;
        }
        CHECK(norm(m2m_power * by_m2m - multipole[l]) <= rounding * rounding);
        CHECK(norm(l2l_power * by_l2l - local[l]) <= rounding * rounding);
        m2m_power = m2m_power * m2m.incoming;
        l2l_power = l2l_power * l2l.incoming;
    }
    CHECK(norm(K::m2m_coefficient(0, child, a, parent) - multipole[0]) == 0);
    CHECK(norm(K::l2l_coefficient(p, 0, parent, a, child) - local[0]) <= rounding * rounding);
    CHECK(K::is_long({0.3, 0.2}, 1.0));
    CHECK(!K::is_long({0.001, 0.002}, 1.0));
    CHECK(!K::is_long({0, 0}, 1.0));
}
