// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/truncation.hpp"
#include "tests/support/scene.hpp"

namespace {

/// Two boxes of one level that are well separated: a source pyramid and a target pyramid of one box
/// each.
template <class K>
struct Pair {
    using Real = typename K::Real;
    using Coefficients = std::vector<starfmm::Complex<Real>>;

    Scene<K> source;
    Scene<K> target;

    /// Makes discs whose radii just satisfy the criterion R + theta r = theta d.
    Pair(double theta, double source_radius, double target_radius, int order, std::size_t n)
        : source(0, n, order), target(0, n, order, 2) {
        const double larger = std::max(source_radius, target_radius);
        const double smaller = std::min(source_radius, target_radius);
        target.args.theta = theta;
        place(source, 0, source_radius);
        place(target, larger / theta + smaller, target_radius);
    }

    static void place(Scene<K>& scene, double x, double radius) {
        const auto old = scene.frame(0);
        const std::size_t n = scene.n();
        for (std::size_t i = 0; i < n; ++i) {
            const Exact t = (scene.point(i) - exact(old.centre)) / Exact(old.radius);
            scene.positions[i] = x + radius * static_cast<double>(t.real());
            scene.positions[n + i] = radius * static_cast<double>(t.imag());
        }
        scene.set_frame(0, {{x, 0}, radius});
    }

    [[nodiscard]] Coefficients multipole() {
        auto a = source.no_coefficients();
        call(
            body<starfmm::P2MTask>(bodies<K>()),
            source.args,
            a,
            source.boxes,
            source.positions,
            source.strengths
        );
        return a;
    }

    [[nodiscard]] Coefficients m2l(Coefficients a, const starfmm::KernelBodies& bodies) {
        target.args.lists = {1, 1, 1, 1};
        Words lists(target.args.lists.words());
        fill_list(target.args.lists.far(lists.data()), {{0}});
        auto b = target.no_coefficients();
        b[0] = {7, 7}; // to be overwritten
        call(body<starfmm::M2LTask>(bodies), target.args, b, lists, target.boxes, a, source.boxes);
        return b;
    }

    [[nodiscard]] double distance() const {
        return target.frame(0).centre.re - source.frame(0).centre.re;
    }
};

/// Bound of what truncation leaves out of q sum_k sum_l for unit strength: terms k > p of the
/// multipole, whose series at the target disc's nearest point converges like
/// rho_1 = r_s / (d - r_t), and terms l > p of the local expansion, which converges like
/// rho_2 = r_t / (d - r_s).
template <class K>
double m2l_bound(int p, double source_radius, double target_radius, double d) {
    const double rho_1 = source_radius / (d - target_radius);
    const double rho_2 = target_radius / (d - source_radius);
    const double multipole = std::pow(rho_1, p) / (1 - rho_1);
    const double local = std::pow(rho_2, p + 1) / (1 - rho_2);
    return is_log<K> ? (rho_1 * multipole + local) / (p + 1)
                     : multipole / (d - target_radius) + local / (d - source_radius);
}

/// Bound of rounding: each of the 2 p steps rounds quantities below those of a positive sum, which
/// the distance of the discs' rims bounds.
template <class K>
double m2l_rounding(int p, std::size_t n, double source_radius, double target_radius, double d) {
    const double gap = d - source_radius - target_radius;
    return (8 * p + static_cast<double>(n)) * roundoff<typename K::Real> *
           (is_log<K> ? 2 + std::abs(std::log(gap)) + std::abs(std::log(d)) : 2 / gap);
}

/// Checks that the local expansion of order p gives the sources' potential at every target, to
/// within `bound` for a unit of strength.
template <class K>
void check_values(
    const Pair<K>& pair, int p, const typename Pair<K>::Coefficients& local, double bound
) {
    for (std::size_t i = 0; i < pair.target.n(); ++i) {
        const Exact z = pair.target.point(i);
        const Exact value = local_value<K>(p, pair.target.frame(0), local.data(), z);
        const auto error =
            static_cast<double>(std::abs(value - pair.source.potential(z, 0, pair.source.n())));
        CHECK(error <= bound * pair.source.total_strength());
    }
}

} // namespace

TEST_CASE_TEMPLATE("m2l: error stays below the bound", K, DOCTEST_TEST_KERNELS) {
    for (const int p : {2, 5, 10, 20, 40}) {
        for (const double theta : {0.3, 0.5, 0.6}) {
            for (const double radius : {1.0, 0.25, 4.0}) {
                Pair<K> pair(theta, 1, radius, p, 61);
                const auto local = pair.m2l(pair.multipole(), bodies<K>());
                const double bound = m2l_bound<K>(p, 1, radius, pair.distance()) +
                                     m2l_rounding<K>(p, 61, 1, radius, pair.distance());
                check_values(pair, p, local, bound);
            }
        }
    }
}

TEST_CASE_TEMPLATE("m2l: error falls like theta^p", K, DOCTEST_TEST_KERNELS) {
    for (const double theta : {0.3, 0.5, 0.6}) {
        for (int p = 1; p <= 30; ++p) {
            // the nearest points of equal discs, where every term has the same sign
            Pair<K> pair(theta, 1, 1, p, 1);
            pair.source.positions = {1, 0};
            pair.source.strengths.assign(pair.source.strengths.size(), 0);
            pair.source.strengths[0] = 1;
            const double d = pair.distance();
            const auto local = pair.m2l(pair.multipole(), bodies<K>());
            const Exact z = d - 1;
            const Exact value = local_value<K>(p, pair.target.frame(0), local.data(), z);
            const auto error =
                static_cast<double>(std::abs(value - pair.source.potential(z, 0, 1)));
            const double low = is_log<K> ? std::pow(theta, p + 1) / (p + 1)
                                         : std::pow(theta, p) / (1 - theta) / (d - 1);
            const double rounding = m2l_rounding<K>(p, 1, 1, 1, d);
            CHECK(error >= low - rounding);
            CHECK(error <= m2l_bound<K>(p, 1, 1, d) + rounding);
        }
    }
}

TEST_CASE_TEMPLATE(
    "m2l: pairs farther apart need fewer terms for as much", K, DOCTEST_TEST_KERNELS
) {
    for (const int p : {5, 10, 20}) {
        for (const double distance : {4.0, 8.0, 64.0, 1e4}) {
            Pair<K> pair(0.5, 1, 1, p, 61);
            pair.place(pair.target, distance, 1);
            const auto local = pair.m2l(pair.multipole(), bodies<K>());
            // truncation at rho^p' = theta^p, one term more or less where p' is rounded
            const int terms = starfmm::TruncationOrders(0.5, p, 0).order(
                pair.source.frame(0), pair.target.frame(0)
            );
            CHECK(terms <= p);
            const double bound =
                m2l_bound<K>(terms, 1, 1, distance) + m2l_rounding<K>(p, 61, 1, 1, distance);
            check_values(pair, p, local, bound);
        }
    }
}

TEST_CASE_TEMPLATE("m2l: linear in strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Pair<K> pair(0.5, 1, 1, 12, 10);
    const std::size_t n = pair.source.no_coefficients().size();
    auto a = Random(1).complex_numbers<Real>(n);
    auto b = Random(2).complex_numbers<Real>(n);
    if (!is_log<K>) {
        a[0] = b[0] = {0, 0}; // no logarithm
    }
    auto sum = a;
    for (std::size_t k = 0; k < n; ++k) {
        sum[k] = {2 * a[k].re + b[k].re, 2 * a[k].im + b[k].im};
    }
    const auto from_a = pair.m2l(a, bodies<K>());
    const auto from_b = pair.m2l(b, bodies<K>());
    const auto from_sum = pair.m2l(sum, bodies<K>());
    // the bound for one term above, with coefficients below 5
    const double rounding = 8 * 12 * 5 * 13 * roundoff<Real>;
    for (std::size_t k = 0; k < 13; ++k) {
        const Exact expected = Exact(2) * exact(from_a[k]) + exact(from_b[k]);
        CHECK(static_cast<double>(std::abs(exact(from_sum[k]) - expected)) <= rounding);
    }
}

TEST_CASE_TEMPLATE(
    "m2l: every entry of every level counts, from any slot", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    const int p = 6;
    Scene<K> scene(2, 16, p);
    scene.args.n_slots = 2;
    scene.args.slots[1] = 1;
    scene.args.theta = 1e-9; // every pair needs all terms
    // a second group, far enough for the first one's every box
    std::vector<double> others = scene.boxes;
    for (std::size_t box = 0; box < scene.n_boxes(); ++box) {
        others[box] += 8;
    }
    auto a = Random(1).complex_numbers<Real>(scene.no_coefficients().size());
    auto b = Random(2).complex_numbers<Real>(a.size());
    for (std::size_t k = 0; k < a.size(); k += p + 1) {
        a[k] = b[k] = {is_log<K> ? Real(1) : Real(0), 0};
    }
    Rows rows(scene.n_boxes());
    rows[0] = {1};          // the root of the other group
    rows[2] = {4 + 3, 4};   // level 1: slot 1, boxes 3 and 0
    rows[5] = {16 + 9, 15}; // level 2: slot 1, box 9, and our own box 15
    scene.args.lists = {scene.n_boxes(), 16, 8, 8};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.far(lists.data()), rows);
    auto locals = scene.no_coefficients();
    call(
        body<starfmm::M2LTask>(bodies<K>()),
        scene.args,
        locals,
        lists,
        scene.boxes,
        a,
        scene.boxes,
        b,
        others
    );

    auto expected = scene.no_coefficients();
    const auto add = [&](std::size_t target, auto& coefficients, auto& boxes, std::size_t source) {
        const std::size_t n = scene.n_boxes();
        const starfmm::Frame<double> from{
            {boxes[source], boxes[n + source]}, boxes[2 * n + source]};
        const auto to = scene.frame(target);
        K::m2l(
            p,
            starfmm::seen_from<Real>(to.centre, from),
            &coefficients[source * (p + 1)],
            starfmm::centred<Real>(to),
            &expected[target * (p + 1)]
        );
    };
    add(0, b, others, 0);
    add(2, b, others, 1 + 3);
    add(2, b, others, 1 + 0);
    add(5, b, others, 5 + 9);
    add(5, a, scene.boxes, 5 + 15);
    for (std::size_t k = 0; k < expected.size(); ++k) {
        // the same formula, in another order of additions
        CHECK(magnitude(locals[k] - expected[k]) <= 200 * roundoff<Real>);
    }
}

TEST_CASE_TEMPLATE("m2l: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(3, 16, 17);
    // Pairs of one batch take as many terms as the one that needs most: how many that is depends on
    // the width of a batch, unless all need the full order.
    scene.args.theta = 1e-9;
    Rows rows(scene.n_boxes());
    for (std::uint32_t box = 0; box < 64; ++box) {
        for (std::uint32_t source = 0; source < 64; ++source) {
            const auto target = scene.frame(21 + box);
            const auto other = scene.frame(21 + source);
            if (starfmm::coupling(other, target, {0.5, false}) == starfmm::Coupling::far) {
                rows[21 + box].push_back(source);
            }
        }
    }
    scene.args.lists = {scene.n_boxes(), 64, 64 * 64, 1};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.far(lists.data()), rows);
    auto a = Random(1).complex_numbers<Real>(scene.no_coefficients().size());
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        auto locals = scene.no_coefficients();
        call(
            body<starfmm::M2LTask>(bodies), scene.args, locals, lists, scene.boxes, a, scene.boxes
        );
        return locals;
    });
}
