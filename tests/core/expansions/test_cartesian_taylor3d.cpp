// SPDX-License-Identifier: BSD-3-Clause
// Tests of Cartesian Taylor expansions of softened gravity: what is exact, and what falls with the
// order.
#include "core/expansions/gravity_kernels3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using starfmm::CartesianOrder;
using starfmm::CartesianPower;
using starfmm::Frame;
using starfmm::n_cartesian;
using starfmm::SoftenedGravity;
using starfmm::SplineGravity;
using starfmm::Vector3;

static_assert(starfmm::ExpansionKernel<SoftenedGravity<double>>);
static_assert(starfmm::ExpansionKernel<SoftenedGravity<float>>);
static_assert(starfmm::ParametricKernel<SoftenedGravity<float>>);
static_assert(!starfmm::MutualKernel<SoftenedGravity<double>>);
static_assert(starfmm::shares_translations<SoftenedGravity<double>>());
static_assert(starfmm::ExpansionKernel<SplineGravity<float>>);
static_assert(starfmm::ParametricKernel<SplineGravity<double>>);
static_assert(starfmm::shares_translations<SplineGravity<double>>());

namespace {

constexpr int largest = starfmm::largest_cartesian_order;

template <class Real>
constexpr double unit = std::numeric_limits<Real>::epsilon();

class Draws {
public:
    double operator()(double low, double high) {
        return std::uniform_real_distribution(low, high)(engine_);
    }

    /// Draws a point in a cube about the origin.
    template <class Real>
    Vector3<Real> vector(double half) {
        const auto one = [&] { return static_cast<Real>((*this)(-half, half)); };
        const Real x = one();
        const Real y = one();
        return {x, y, one()};
    }

    template <class Real>
    std::vector<Real> numbers(int n) {
        std::vector<Real> values(static_cast<std::size_t>(n));
        std::generate(values.begin(), values.end(), [&] {
            return static_cast<Real>((*this)(-1, 1));
        });
        return values;
    }

private:
    std::mt19937_64 engine_{7};
};

template <class Real>
std::vector<Real> zeros(int p) {
    return std::vector<Real>(static_cast<std::size_t>(n_cartesian(p)));
}

template <class Real>
SoftenedGravity<Real> gravity(double epsilon) {
    return SoftenedGravity<Real>::of({epsilon * epsilon});
}

/// Returns the multipole of a source of strength 1.
template <class Real>
std::vector<Real> p2m(int p, const Frame<Real, 3>& box, const Vector3<Real>& source) {
    auto a = zeros<Real>(p);
    SoftenedGravity<Real>::p2m(p, box, source, Real(1), a.data());
    return a;
}

template <class Real>
double largest_difference(const std::vector<Real>& x, const std::vector<Real>& y) {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double difference = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
        most = std::isfinite(difference) ? std::max(most, difference) : HUGE_VAL;
    }
    return most;
}

template <class Real>
double size(const Vector3<Real>& v) {
    return std::sqrt(
        static_cast<double>(v.x) * v.x + static_cast<double>(v.y) * v.y +
        static_cast<double>(v.z) * v.z
    );
}

template <int known>
void check_visits(int p) {
    const CartesianOrder<known> order{p};
    std::vector<int> visited;
    starfmm::visit_powers(order, [&](const CartesianPower& n) { visited.push_back(n.index()); });
    REQUIRE(visited.size() == static_cast<std::size_t>(n_cartesian(p)));
    int n_pairs = 0;
    int n_wrong = 0;
    starfmm::visit_pairs(order, [&](int a, int b, int sum) {
        const auto& all = starfmm::detail::cartesian_powers;
        const CartesianPower both{all[a].i + all[b].i, all[a].j + all[b].j, all[a].k + all[b].k};
        n_wrong += both.index() == sum && both.degree() <= p ? 0 : 1;
        ++n_pairs;
    });
    CHECK(n_wrong == 0);
    CHECK(n_pairs == std::lround(std::tgamma(p + 7) / (std::tgamma(p + 1) * 720)));
    for (int i = 0; i < n_cartesian(p); ++i) {
        CHECK(visited[static_cast<std::size_t>(i)] == i);
    }
}

/// Errors of one source at one target on the line of the centres, each on the rim of its box
/// towards the other. Legendre's polynomials are 1 there, so that the terms of degree n of the
/// potential are rate^n / d, and those of the acceleration n rate^(n-1) / d^2.
struct Aligned {
    double d = 2;
    double radius = 0.5;
    double rate = 0.5; ///< (0.5 + 0.5) / 2

    [[nodiscard]] double potential(int p) const { return std::pow(rate, p + 1) / (1 - rate) / d; }

    [[nodiscard]] double acceleration(int p) const {
        double sum = 0;
        for (int n = p + 1; n < 200; ++n) {
            sum += n * std::pow(rate, n - 1);
        }
        return sum / (d * d);
    }
};

} // namespace

TEST_CASE("cartesian_taylor3d: loops visit all coefficients and pairs of them, unrolled or not") {
    for (int p = 1; p <= largest; ++p) {
        check_visits<0>(p);
    }
    check_visits<1>(1);
    check_visits<3>(3);
    check_visits<5>(5);
}

TEST_CASE_TEMPLATE(
    "cartesian_taylor3d: m2m equals expanding about the new centre", Real, double, float
) {
    Draws draw;
    const Frame<Real, 3> parent{{Real(0.1), Real(-0.2), Real(0.3)}, Real(2)};
    for (int p = 1; p <= largest; ++p) {
        const Frame<Real, 3> child{parent.centre + draw.vector<Real>(0.6), Real(0.9)};
        const auto source = child.centre + draw.vector<Real>(0.5);
        const auto own = p2m(p, child, source);
        auto shifted = zeros<Real>(p);
        SoftenedGravity<Real>::m2m(p, child, own.data(), parent, shifted.data());
        // |u| < 1: coefficients are at most 1, of up to 2^8 terms that add up to no more
        CHECK(largest_difference(shifted, p2m(p, parent, source)) <= 16 * unit<Real>);
    }
}

TEST_CASE_TEMPLATE(
    "cartesian_taylor3d: l2l is the same polynomial about another centre", Real, double, float
) {
    Draws draw;
    const Frame<Real, 3> parent{{Real(0.1), Real(-0.2), Real(0.3)}, Real(2)};
    for (int p = 1; p <= largest; ++p) {
        const Frame<Real, 3> child{parent.centre + draw.vector<Real>(0.6), Real(0.9)};
        const auto target = child.centre + draw.vector<Real>(0.5);
        const auto b = draw.numbers<Real>(n_cartesian(p));
        auto shifted = zeros<Real>(p);
        SoftenedGravity<Real>::l2l(p, parent, b.data(), child, shifted.data());
        const auto value = SoftenedGravity<Real>::l2p(p, child, shifted.data(), target);
        const auto expected = SoftenedGravity<Real>::l2p(p, parent, b.data(), target);
        // |u| components below 0.55 each: terms u^n / n! add up to at most exp(1.65) = 5.2
        CHECK(value.potential == doctest::Approx(expected.potential).epsilon(64 * unit<Real>));
        CHECK(size(value.gradient - expected.gradient) <= 128 * unit<Real>);
    }
}

TEST_CASE_TEMPLATE(
    "cartesian_taylor3d: l2p's gradient is the derivative of its potential", Real, double
) {
    Draws draw;
    const Frame<Real, 3> box{{0.1, -0.2, 0.3}, 2};
    constexpr double h = 1e-5;
    for (int p = 1; p <= largest; ++p) {
        const auto b = draw.numbers<Real>(n_cartesian(p));
        const auto target = box.centre + draw.vector<Real>(1);
        const auto potential = [&](double x, double y, double z) {
            const Vector3<Real> at = target + Vector3<Real>{x, y, z};
            return SoftenedGravity<Real>::l2p(p, box, b.data(), at).potential;
        };
        const Vector3<Real> difference{
            (potential(h, 0, 0) - potential(-h, 0, 0)) / (2 * h),
            (potential(0, h, 0) - potential(0, -h, 0)) / (2 * h),
            (potential(0, 0, h) - potential(0, 0, -h)) / (2 * h)};
        const auto gradient = SoftenedGravity<Real>::l2p(p, box, b.data(), target).gradient;
        // h^2 times a third derivative, and the rounding of potentials of about 5 over h
        CHECK(size(gradient - difference) <= 1e-9);
    }
}

TEST_CASE_TEMPLATE(
    "cartesian_taylor3d: unrolled orders have the derivatives of loops", Real, double, float
) {
    Draws draw;
    const auto d = draw.vector<Real>(0.57);
    auto unrolled = zeros<Real>(5);
    auto looped = zeros<Real>(5);
    starfmm::PlummerDerivatives<Real>::fill(CartesianOrder<5>{5}, d, unrolled.data());
    starfmm::PlummerDerivatives<Real>::fill(CartesianOrder<0>{5}, d, looped.data());
    CHECK(largest_difference(unrolled, looped) <= 120 * 16 * unit<Real>); // at most 5!
}

TEST_CASE("m2l: errors of aligned points are the terms left out, and fall with the order") {
    const Aligned scene;
    const auto kernel = gravity<double>(0);
    const Frame<double, 3> from{{0, 0, 0}, scene.radius};
    const Frame<double, 3> to{{scene.d, 0, 0}, scene.radius};
    const Vector3<double> source{scene.radius, 0, 0};
    const Vector3<double> target{scene.d - scene.radius, 0, 0};
    const auto exact = kernel.p2p(target, source, 1.0);
    for (int p = 1; p <= largest; ++p) {
        auto b = zeros<double>(p);
        kernel.m2l(p, from, p2m(p, from, source).data(), to, b.data());
        const auto value = SoftenedGravity<double>::l2p(p, to, b.data(), target);
        CHECK(
            exact.potential - value.potential == doctest::Approx(scene.potential(p)).epsilon(1e-9)
        );
        const double error = size(exact.gradient - value.gradient);
        CHECK(error == doctest::Approx(scene.acceleration(p)).epsilon(1e-9));
    }
}

TEST_CASE_TEMPLATE(
    "m2l: errors of softened pairs stay below the rest of Legendre's series", Real, double, float
) {
    Draws draw;
    for (const double epsilon : {0.0, 0.5, 4.0}) {
        const auto kernel = gravity<Real>(epsilon);
        for (int p = 1; p <= largest; ++p) {
            const Frame<Real, 3> from{draw.vector<Real>(1), Real(0.4)};
            const Frame<Real, 3> to{
                from.centre + Vector3<Real>{Real(-1.5), 1, Real(0.9)}, Real(0.3)};
            const auto source = from.centre + draw.vector<Real>(0.4 / std::sqrt(3.0));
            const auto target = to.centre + draw.vector<Real>(0.3 / std::sqrt(3.0));
            auto b = zeros<Real>(p);
            kernel.m2l(p, from, p2m(p, from, source).data(), to, b.data());
            const auto value = kernel.l2p(p, to, b.data(), target);
            const auto exact = kernel.p2p(target, source, Real(1));
            const double d = size(to.centre - from.centre);
            const double s = std::hypot(d, epsilon);
            const double rate = 0.7 / s;
            // Legendre's polynomials are at most 1, gradients of r^n P_n at most n (n+1) / 2
            // r^(n-1)
            double gradient = 0;
            for (int n = p + 1; n < 100; ++n) {
                gradient += 0.5 * n * (n + 1) * std::pow(rate, n - 1);
            }
            const double rounding = 64 * unit<Real>;
            CHECK(
                std::abs(exact.potential - value.potential) <=
                (std::pow(rate, p + 1) / (1 - rate) + rounding) / s
            );
            CHECK(size(exact.gradient - value.gradient) <= (gradient + rounding) / (s * s));
        }
    }
}

TEST_CASE_TEMPLATE("m2l: with coefficients used one by one it is the same", Real, double, float) {
    Draws draw;
    for (const double ratio :
         {0x1p-30, 0.25, 1.0, 8.0, double(SoftenedGravity<Real>::most_like_size)}) {
        for (int p = 1; p <= largest; ++p) {
            CAPTURE(p);
            CAPTURE(ratio);
            const double distance = 2.5 * (1 + ratio);
            const auto kernel = gravity<Real>(p % 2 == 0 ? 0.1 * distance : 0);
            const Frame<Real, 3> target{draw.template vector<Real>(1), Real(1)};
            const Vector3<Real> d{Real(distance), Real(0.3 * distance), Real(-0.7 * distance)};
            const Frame<Real, 3> source{target.centre + d, Real(ratio)};
            const auto a = draw.template numbers<Real>(n_cartesian(p));
            auto expected = zeros<Real>(p);
            auto found = zeros<Real>(p);
            kernel.m2l(CartesianOrder<0>{p}, source, a.data(), target, expected.data());
            kernel.m2l_of_like_size(CartesianOrder<0>{p}, source, a.data(), target, found.data());
            for (int degree = 0; degree <= p; ++degree) {
                double largest_of_degree = 0;
                double difference = 0;
                for (int n = CartesianPower::before(degree); n < CartesianPower::before(degree + 1);
                     ++n) {
                    const auto of_n = static_cast<double>(expected[n]);
                    largest_of_degree = std::max(largest_of_degree, std::abs(of_n));
                    const double error = std::abs(static_cast<double>(found[n]) - of_n);
                    difference = error <= difference ? difference : error; // NaN stays
                }
                // underflow of much smaller values
                const double underflow = std::numeric_limits<Real>::min();
                CHECK(difference <= 500 * unit<Real> * largest_of_degree + underflow);
            }
        }
    }
}

TEST_CASE_TEMPLATE("p2l and m2p: as m2l with a box that is a point", Real, double, float) {
    Draws draw;
    const auto kernel = gravity<Real>(0.2);
    const Frame<Real, 3> box{draw.vector<Real>(1), Real(0.5)};
    for (int p = 1; p <= largest; ++p) {
        const Vector3<Real> point = box.centre + Vector3<Real>{Real(1.1), Real(-0.7), Real(0.8)};
        const Frame<Real, 3> alone{point, Real(0.25)};
        auto expected = zeros<Real>(p);
        auto b = zeros<Real>(p);
        kernel.m2l(p, alone, p2m(p, alone, point).data(), box, expected.data());
        kernel.p2l(p, box, point, Real(1), b.data());
        // derivatives are at most p! rate^p / s, rate 1/3: no more than 7 / s
        CHECK(largest_difference(b, expected) <= 256 * unit<Real>);

        const auto a = p2m(p, box, box.centre + draw.vector<Real>(0.25));
        auto local = zeros<Real>(p);
        kernel.m2l(p, box, a.data(), alone, local.data());
        const auto at_centre = kernel.l2p(p, alone, local.data(), point);
        const auto value = kernel.m2p(p, box, a.data(), point);
        CHECK(value.potential == doctest::Approx(at_centre.potential).epsilon(64 * unit<Real>));
        CHECK(size(value.gradient - at_centre.gradient) <= 64 * unit<Real>);
    }
}

TEST_CASE("p2p: a body has its own potential if that is softened, and none else") {
    const Vector3<double> here{1, 2, 3};
    CHECK(gravity<double>(0.25).p2p(here, here, 3.0).potential == doctest::Approx(12));
    CHECK(gravity<double>(0).p2p(here, here, 3.0).potential == 0);
    const Vector3<float> single{1, 2, 3};
    // a softening this small counts as zero
    const auto tiny = gravity<float>(1e-20).p2p(single, single, 3.0F);
    CHECK(tiny.potential == 0);
    CHECK(tiny.gradient.x == 0);
    const auto pair = gravity<double>(4).p2p(here, {1, 2, 6}, 2.0);
    CHECK(pair.potential == doctest::Approx(0.4));
    CHECK(pair.gradient.z == doctest::Approx(2 * 3.0 / 125));
}
