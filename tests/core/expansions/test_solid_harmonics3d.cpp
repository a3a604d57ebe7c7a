// SPDX-License-Identifier: BSD-3-Clause
// Tests of identities of real solid harmonics that hold to rounding, whatever the order.
#include "codelets/simd/simd.hpp"
#include "tests/support/space/solid_exact.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>

using starfmm::Frame;
using starfmm::Laplace;
using starfmm::LaplaceGradient;
using starfmm::SolidIndex;
using starfmm::Vector3;

static_assert(starfmm::ExpansionKernel<Laplace<double>>);
static_assert(starfmm::ExpansionKernel<LaplaceGradient<float>>);
static_assert(starfmm::MutualKernel<LaplaceGradient<double>>);
static_assert(starfmm::shares_translations<LaplaceGradient<double>>());
static_assert(starfmm::n_value_components<LaplaceGradient<float>> == 4);

namespace {

const std::array orders{1, 2, 3, 5, 10, 20, 30, 40};

template <class Real>
using Solid = starfmm::SolidHarmonics3D<Real>;

template <class Real>
using Coefficients = std::vector<Real>;

template <class Real>
constexpr long double unit = std::numeric_limits<Real>::epsilon() / 2;

template <class Real>
Coefficients<Real> zeros(int p) {
    return Coefficients<Real>(static_cast<std::size_t>(p) * static_cast<std::size_t>(p));
}

template <class Real>
Frame<Real, 3> frame(const Extended& centre, double radius) {
    return {SolidDraws<Real>::rounded(centre), static_cast<Real>(radius)};
}

template <class Real>
Coefficients<Real> p2m(int p, const Frame<Real, 3>& box, const Vector3<Real>& source, Real q = 1) {
    auto a = zeros<Real>(p);
    Solid<Real>::p2m(p, box, source, q, a.data());
    return a;
}

template <class Real>
Coefficients<Real> p2l(int p, const Frame<Real, 3>& box, const Vector3<Real>& source, Real q = 1) {
    auto b = zeros<Real>(p);
    Solid<Real>::p2l(p, box, source, q, b.data());
    return b;
}

template <class Real>
Coefficients<Real>
m2l(int p, const Frame<Real, 3>& from, const Coefficients<Real>& a, const Frame<Real, 3>& to) {
    auto b = zeros<Real>(p);
    Solid<Real>::m2l(p, from, a.data(), to, b.data());
    return b;
}

/// Largest difference of coefficients; infinite if one is not finite.
template <class X, class Y>
long double distance(const std::vector<X>& x, const std::vector<Y>& y) {
    long double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long double difference = std::abs(static_cast<long double>(x[i]) - y[i]);
        largest = std::max(
            largest,
            std::isfinite(difference) ? difference : std::numeric_limits<long double>::infinity()
        );
    }
    return largest;
}

template <class Real>
long double total(const Coefficients<Real>& a) {
    long double sum = 0;
    for (const Real c : a) {
        sum += std::abs(static_cast<long double>(c));
    }
    return sum;
}

/// Ratio of radius to distance whose power `terms` is below a rounding.
template <class Real>
long double converging(int terms) {
    return std::min(0.4L, 0.5L * std::pow(unit<Real>, 1.0L / terms));
}

/// Returns a point in the ball of a box, rounded so that both precisions have the same point.
template <class Real>
Vector3<Real> point_in(const Frame<Real, 3>& box, const Extended& place) {
    const auto centre = extended(box.centre);
    return SolidDraws<Real>::rounded(centre + static_cast<long double>(box.radius) * place);
}

} // namespace

TEST_CASE_TEMPLATE("solid_harmonics3d: harmonics are Schmidt's", Real, double, float) {
    SolidDraws<Real> draws(1);
    std::vector<Extended> points(solid_directions.begin(), solid_directions.end());
    points.push_back({0, 0, 0});
    points.push_back({0, 0, 1e-5L});
    for (int i = 0; i < 4; ++i) {
        points.push_back(draws.in_ball());
    }
    for (const int p : orders) {
        CAPTURE(p);
        for (const Extended& point : points) {
            const auto place = SolidDraws<Real>::rounded(point);
            const auto a = p2m<Real>(p, frame<Real>({0, 0, 0}, 1), place);
            CHECK(distance(a, exact_harmonics(p, extended(place))) <= (8 + 4 * p) * unit<Real>);
        }
    }
}

TEST_CASE_TEMPLATE(
    "solid_harmonics3d: the addition theorem, degree by degree", Real, double, float
) {
    SolidDraws<Real> draws(2);
    const auto unit_box = frame<Real>({0, 0, 0}, 1);
    for (int i = 0; i < 10; ++i) {
        const auto x = SolidDraws<Real>::rounded(draws.direction());
        const auto y = SolidDraws<Real>::rounded(draws.direction());
        const Extended u = extended(x);
        const Extended v = extended(y);
        const long double cosine = (u.x * v.x + u.y * v.y + u.z * v.z) / norm(u) / norm(v);
        const auto a = p2m<Real>(40, unit_box, x);
        const auto b = p2m<Real>(40, unit_box, y);
        for (int n = 0; n < 40; ++n) {
            long double sum = 0;
            for (int at = n * n; at < (n + 1) * (n + 1); ++at) {
                sum += static_cast<long double>(a[at]) * b[at];
            }
            const long double legendre = std::legendre(static_cast<unsigned>(n), cosine);
            const long double expected = std::pow(norm(u) * norm(v), n) * legendre;
            CHECK(std::abs(sum - expected) <= (8 + 6 * n) * unit<Real>);
        }
    }
}

TEST_CASE_TEMPLATE(
    "solid_harmonics3d: a converged multipole is the pair's value", Real, double, float
) {
    using K = LaplaceGradient<Real>;
    SolidDraws<Real> draws(3);
    for (const int p : orders) {
        CAPTURE(p);
        const long double ratio = converging<Real>(p);
        for (const Extended& direction : solid_directions) {
            const auto box = frame<Real>({0.25, -0.5, 0.125}, 0.3);
            const auto source = point_in(box, draws.in_ball());
            const auto target = point_in<Real>(box, (1 / ratio) * direction);
            const auto a = p2m<Real>(p, box, source, Real(-3));
            const auto value = K::m2p(p, box, a.data(), target);
            const auto pair = K::p2p(target, source, Real(-3));
            const long double scale = std::abs(pair.potential);
            const long double bound = (20 + 4 * p) * unit<Real>;
            CHECK(std::abs(value.potential - pair.potential) <= bound * scale);
            CHECK(Laplace<Real>::m2p(p, box, a.data(), target) == value.potential);
            const auto error = extended(value.gradient) - extended(pair.gradient);
            CHECK(norm(error) <= 2 * (p + 1) * bound * norm(extended(pair.gradient)));
        }
    }
}

TEST_CASE_TEMPLATE(
    "solid_harmonics3d: a converged local expansion is the pair's value", Real, double, float
) {
    using K = LaplaceGradient<Real>;
    SolidDraws<Real> draws(4);
    for (const int p : orders) {
        CAPTURE(p);
        const long double ratio = converging<Real>(p);
        for (const Extended& direction : solid_directions) {
            const auto box = frame<Real>({0.25, -0.5, 0.125}, 0.3);
            const auto source = point_in<Real>(box, (1 / ratio) * direction);
            const auto target = point_in(box, draws.in_ball());
            const auto b = p2l<Real>(p, box, source, Real(2));
            const auto value = K::l2p(p, box, b.data(), target);
            const auto pair = K::p2p(target, source, Real(2));
            const long double bound = (20 + 4 * p) * unit<Real>;
            CHECK(std::abs(value.potential - pair.potential) <= bound * pair.potential);
            CHECK(Laplace<Real>::l2p(p, box, b.data(), target) == value.potential);
            // gradients lag a degree behind: order 1 has none
            const long double left_out = 2 * (p + 1) * std::pow(ratio, p - 1);
            const auto error = extended(value.gradient) - extended(pair.gradient);
            const long double of_pair = norm(extended(pair.gradient));
            CHECK(norm(error) <= (2 * (p + 1) * bound + left_out) * of_pair);
        }
    }
}

TEST_CASE_TEMPLATE(
    "solid_harmonics3d: a parent's multipole is that of the sources", Real, double, float
) {
    SolidDraws<Real> draws(5);
    for (const int p : orders) {
        CAPTURE(p);
        for (std::size_t i = 0; i <= solid_directions.size(); ++i) {
            const auto parent = frame<Real>({0.1, 0.2, 0.3}, 1.5);
            const Extended shift =
                i < solid_directions.size() ? solid_directions[i] : Extended{0, 0, 0};
            const Frame<Real, 3> child{point_in<Real>(parent, 0.5L * shift), Real(0.7)};
            const auto source = point_in(child, draws.in_ball());
            const auto a = p2m<Real>(p, child, source, Real(2));
            auto sum = p2m<Real>(p, parent, source, Real(1)); // p2m adds to the multipole
            const auto expected = p2m<Real>(p, parent, source, Real(3));
            Solid<Real>::m2m(p, child, a.data(), parent, sum.data());
            CHECK(distance(sum, expected) <= (30 + 15 * p) * unit<Real>);
        }
    }
}

TEST_CASE_TEMPLATE(
    "solid_harmonics3d: a child's local expansion is its parent's", Real, double, float
) {
    SolidDraws<Real> draws(6);
    for (const int p : orders) {
        CAPTURE(p);
        for (std::size_t i = 0; i <= solid_directions.size(); ++i) {
            const auto parent = frame<Real>({0.1, 0.2, 0.3}, 1.5);
            const Extended shift =
                i < solid_directions.size() ? solid_directions[i] : Extended{0, 0, 0};
            const Frame<Real, 3> child{point_in<Real>(parent, 0.5L * shift), Real(0.7)};
            const auto b = draws.coefficients(p);
            auto own = zeros<Real>(p);
            Solid<Real>::l2l(p, parent, b.data(), child, own.data());
            for (int k = 0; k < 4; ++k) {
                const auto target = point_in(child, draws.in_ball());
                const auto of_parent = extended(target) - extended(parent.centre);
                const auto of_child = extended(target) - extended(child.centre);
                const long double expected = exact_local(p, b, parent.radius, of_parent);
                const long double value = exact_local(p, own, child.radius, of_child);
                CHECK(std::abs(value - expected) <= (10 + p) * unit<Real> * total(b));
                const Real evaluated = Solid<Real>::evaluate_local(p, child, own.data(), target);
                CHECK(std::abs(evaluated - value) <= (10 + p) * unit<Real> * total(own));
            }
        }
    }
}

TEST_CASE_TEMPLATE("solid_harmonics3d: M2L of a source at the centre is P2L", Real, double, float) {
    for (const int p : orders) {
        CAPTURE(p);
        for (const Extended& direction : solid_directions) {
            const auto from = frame<Real>({0.1, 0.2, 0.3}, 0.5);
            const Frame<Real, 3> to{point_in<Real>(from, 3.0L * direction), Real(0.75)};
            const auto a = p2m<Real>(p, from, from.centre);
            const auto expected = p2l<Real>(p, to, from.centre);
            CHECK(distance(m2l(p, from, a, to), expected) <= (20 + 8 * p) * unit<Real>);
        }
    }
}

// Terms of degrees n and j are below C(n + j, n) times powers of both ratios. If the first ratio is
// 0.3, the terms left out fall as the powers of the second ratio over 0.7.
TEST_CASE_TEMPLATE("solid_harmonics3d: M2L of a small source box is P2L", Real, double, float) {
    SolidDraws<Real> draws(7);
    for (const int p : orders) {
        CAPTURE(p);
        const long double ratio = 0.7L * converging<Real>(p);
        for (const Extended& direction : solid_directions) {
            const auto to = frame<Real>({0.1, 0.2, 0.3}, 0.3);
            const Frame<Real, 3> from{point_in<Real>(to, 1 / 0.3L * direction), Real(ratio)};
            const auto source = point_in(from, draws.in_ball());
            const auto b = m2l(p, from, p2m<Real>(p, from, source), to);
            CHECK(distance(b, p2l<Real>(p, to, source)) <= (30 + 8 * p) * unit<Real>);
        }
    }
}

TEST_CASE_TEMPLATE(
    "solid_harmonics3d: M2L to a small target box is the multipole", Real, double, float
) {
    SolidDraws<Real> draws(8);
    for (const int p : orders) {
        CAPTURE(p);
        const long double ratio = 0.7L * converging<Real>(p);
        for (const Extended& direction : solid_directions) {
            const auto from = frame<Real>({0.1, 0.2, 0.3}, 0.3);
            const Frame<Real, 3> to{point_in<Real>(from, 1 / 0.3L * direction), Real(ratio)};
            const auto a = draws.coefficients(p);
            const auto b = m2l(p, from, a, to);
            const auto target = point_in(to, draws.in_ball());
            const auto seen = [&](const Frame<Real, 3>& box) {
                return extended(target) - extended(box.centre);
            };
            const long double expected = exact_multipole(p, a, from.radius, seen(from));
            const long double error = exact_local(p, b, to.radius, seen(to)) - expected;
            CHECK(std::abs(error) <= (30 + 8 * p) * unit<Real> * 4);
        }
    }
}

namespace {

/// Checks the gradient of a random expansion in a box of radius 0.7, at places in units of that
/// radius.
template <class Value, class Exact>
void check_gradient(
    const Value& value, const Exact& exact, const Extended& place, long double allowed
) {
    const auto own = value(place);
    CHECK(std::abs(own.potential - exact(place)) <= allowed);
    const Extended slope = finite_differences(exact, place, 2e-5L);
    CHECK(norm(extended(own.gradient) - slope) <= allowed / 0.7L + 1e-10L);
}

} // namespace

TEST_CASE_TEMPLATE("solid_harmonics3d: gradients are the expansions' own", Real, double, float) {
    SolidDraws<Real> draws(9);
    const auto box = frame<Real>({0, 0, 0}, 0.7);
    for (const int p : orders) {
        CAPTURE(p);
        const auto a = draws.coefficients(p);
        const long double allowed = (10 + 2 * p) * p * unit<Real> * total(a);
        for (int k = 0; k < 4; ++k) {
            const auto inside = extended(point_in(box, 0.95L * draws.in_ball()));
            const auto outside = extended(point_in(box, 1.05L * draws.direction()));
            check_gradient(
                [&](const Extended& v) {
                    return Solid<Real>::differentiate_local(
                        p, box, a.data(), SolidDraws<Real>::rounded(v)
                    );
                },
                [&](const Extended& v) { return exact_local(p, a, box.radius, v); },
                inside,
                allowed
            );
            check_gradient(
                [&](const Extended& v) {
                    return Solid<Real>::differentiate_multipole(
                        p, box, a.data(), SolidDraws<Real>::rounded(v)
                    );
                },
                [&](const Extended& v) { return exact_multipole(p, a, box.radius, v); },
                outside,
                2 * allowed
            );
        }
    }
}

TEST_CASE_TEMPLATE(
    "solid_harmonics3d: a truncated M2L is that of shorter expansions", Real, double, float
) {
    SolidDraws<Real> draws(10);
    const auto from = frame<Real>({0, 0, 0}, 0.5);
    const auto to = frame<Real>({1, 0.8, -0.9}, 0.4);
    for (const int p : orders) {
        for (const int terms : {1, p / 2, p - 1, p}) {
            if (terms < 1) {
                continue;
            }
            CAPTURE(p);
            CAPTURE(terms);
            const auto a = draws.coefficients(p);
            auto b = a;
            Solid<Real>::m2l_truncated(p, Real(terms), from, a.data(), to, b.data());
            auto expected = a; // the shorter expansion is added to this
            Solid<Real>::m2l(terms, from, a.data(), to, expected.data());
            CHECK(distance(b, expected) <= 8 * terms * unit<Real> * total(a));
            const auto kept = b.begin() + terms * terms;
            CHECK(std::equal(kept, b.end(), a.begin() + terms * terms));
        }
    }
}

TEST_CASE_TEMPLATE(
    "solid_harmonics3d: derived expansions have the same values", Real, double, float
) {
    SolidDraws<Real> draws(21);
    const auto box = frame<Real>({0, 0, 0}, 0.7);
    for (const int p : orders) {
        CAPTURE(p);
        const auto a = draws.coefficients(p);
        const long double allowed = (10 + 2 * p) * unit<Real> * total(a);
        Coefficients<Real> derived(Solid<Real>::n_derived(p));
        Solid<Real>::derive_local(p, a.data(), derived.data());
        for (int k = 0; k < 4; ++k) {
            const Vector3<Real> at = point_in(box, 0.95L * draws.in_ball());
            const auto expected = Solid<Real>::differentiate_local(p, box, a.data(), at);
            const auto value = Solid<Real>::differentiate_derived(p, box, derived.data(), at);
            CHECK(std::abs(value.potential - expected.potential) <= allowed);
            const auto error = extended(value.gradient) - extended(expected.gradient);
            CHECK(norm(error) <= 2 * p * allowed);
        }
    }
}

TEST_CASE_TEMPLATE("solid_harmonics3d: the unit of length changes nothing", Real, double, float) {
    using K = LaplaceGradient<Real>;
    const int p = 40;
    SolidDraws<Real> draws(11);
    const auto place = draws.in_ball();
    const auto goal = draws.in_ball();
    const auto chain = [&](Real length) {
        const auto scaled = [&](const Extended& centre, double radius) {
            const auto l = static_cast<long double>(length);
            return frame<Real>(l * centre, static_cast<double>(radius * length));
        };
        const auto child = scaled({0.25, 0.25, -0.25}, 0.5);
        const auto parent = scaled({0, 0, 0}, 1);
        const auto far_parent = scaled({1, 2, -2}, 1);
        const auto far_child = scaled({1.25, 2.25, -1.75}, 0.5);
        auto a = zeros<Real>(p);
        Solid<Real>::m2m(p, child, p2m(p, child, point_in(child, place)).data(), parent, a.data());
        auto b = zeros<Real>(p);
        Solid<Real>::l2l(p, far_parent, m2l(p, parent, a, far_parent).data(), far_child, b.data());
        auto value = K::l2p(p, far_child, b.data(), point_in(far_child, goal));
        value += K::m2p(p, parent, a.data(), point_in(far_child, goal));
        value.potential *= length;
        value.gradient = length * length * value.gradient;
        return value;
    };
    const auto one = chain(1);
    for (const Real length : {Real(0x1p-40), Real(0x1p40)}) {
        const auto value = chain(length);
        CHECK(value.potential == one.potential);
        CHECK(value.gradient.x == one.gradient.x);
    }
    for (const Real length : {Real(1e-12), Real(1e12)}) {
        const auto value = chain(length);
        CHECK(std::abs(value.potential - one.potential) <= 200 * unit<Real>);
        CHECK(norm(extended(value.gradient) - extended(one.gradient)) <= 4000 * unit<Real>);
    }
}

namespace {

using Matrix = std::vector<std::vector<long double>>;

/// Puts the exchange of x and z in harmonics of degree n together from its blocks.
template <class Real>
Matrix exchange_matrix(int n) {
    using Exchange = starfmm::AxisExchange<Real>;
    const auto size = 2 * static_cast<std::size_t>(n) + 1;
    Matrix whole(size, std::vector<long double>(size));
    const Real* entry = starfmm::constant_table<Exchange>().entry + Exchange::begin(n);
    // even cosines, odd ones, even sines, odd ones
    const int first[]{0, n / 2 + 1, n + 1, n + 1 + n / 2, 2 * n + 1};
    // columns for even degrees, and for odd ones
    const int column[2][4]{{0, 1, 3, 2}, {1, 0, 2, 3}};
    for (int block = 0; block < 4; ++block) {
        const int from = column[n % 2][block];
        for (int i = first[block]; i < first[block + 1]; ++i) {
            for (int j = first[from]; j < first[from + 1]; ++j) {
                whole[i][j] = *entry++;
            }
        }
    }
    CHECK(entry == starfmm::constant_table<Exchange>().entry + Exchange::begin(n + 1));
    return whole;
}

long double dot(const long double* x, const long double* y, std::size_t n) {
    return std::inner_product(x, x + n, y, 0.0L);
}

} // namespace

TEST_CASE_TEMPLATE("solid_harmonics3d: the exchange of axes", Real, double, float) {
    const Extended v = SolidDraws<Real>(12).direction();
    const auto before = exact_harmonics(40, v);
    const auto expected = exact_harmonics(40, {v.z, v.y, v.x});
    for (int n = 0; n < 40; ++n) {
        CAPTURE(n);
        const Matrix whole = exchange_matrix<Real>(n);
        const std::size_t begin = SolidIndex::cos(n, 0);
        const long double bound = (6 + 2 * n) * unit<Real>;
        long double worst = 0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const long double* row = whole[i].data();
            const long double turned = dot(row, &before[begin], whole.size());
            CHECK(std::abs(turned - expected[begin + i]) <= bound);
            for (std::size_t j = 0; j < whole.size(); ++j) {
                CHECK(whole[i][j] == whole[j][i]);
                const long double product = dot(row, whole[j].data(), whole.size());
                worst = std::max(worst, std::abs(product - (i == j ? 1 : 0)));
            }
        }
        CHECK(worst <= bound);
    }
}

TEST_CASE_TEMPLATE("solid_harmonics3d: batches are scalars side by side", Real, double, float) {
    using B = starfmm::Batch<Real, starfmm::CurrentIsa>;
    using K = LaplaceGradient<Real>;
    constexpr auto lanes = static_cast<int>(B::size);
    for (const int p : orders) {
        CAPTURE(p);
        SolidDraws<Real> draws(13);
        const auto coefficients = static_cast<std::size_t>(p) * static_cast<std::size_t>(p);
        std::vector<B> batch(coefficients, B(0));
        std::vector<Coefficients<Real>> each;
        // centres of target boxes, and the number of terms of each
        alignas(64) Real place[4][B::size];
        const auto a = draws.coefficients(p);
        const auto from = frame<Real>({0, 0, 0}, 0.5);
        for (int i = 0; i < lanes; ++i) {
            const Extended centre = 2.0L * solid_directions[i % solid_directions.size()];
            const auto to = frame<Real>(centre, 0.5);
            place[0][i] = to.centre.x;
            place[1][i] = to.centre.y;
            place[2][i] = to.centre.z;
            place[3][i] = static_cast<Real>(std::max(1, p - i));
            each.push_back(zeros<Real>(p));
            Solid<Real>::m2l_truncated(p, place[3][i], from, a.data(), to, each[i].data());
        }
        const std::vector<B> same(a.begin(), a.end());
        const auto load = [&](int row) { return B::load_aligned(place[row]); };
        const Frame<B, 3> to{{load(0), load(1), load(2)}, B(Real(0.5))};
        const Frame<B, 3> of_source{{B(0), B(0), B(0)}, B(Real(0.5))};
        Solid<Real>::m2l_truncated(p, load(3), of_source, same.data(), to, batch.data());
        const auto value = K::m2p(p, of_source, same.data(), to.centre);
        const long double bound = (10 + 4 * p) * unit<Real> * total(a);
        for (int i = 0; i < lanes; ++i) {
            for (std::size_t k = 0; k < coefficients; ++k) {
                CHECK(std::abs(static_cast<long double>(batch[k].get(i)) - each[i][k]) <= bound);
            }
            const Vector3<Real> target{place[0][i], place[1][i], place[2][i]};
            const auto own = K::m2p(p, from, a.data(), target);
            CHECK(std::abs(value.potential.get(i) - own.potential) <= bound);
            CHECK(std::abs(value.gradient.z.get(i) - own.gradient.z) <= p * bound);
        }
    }
}
