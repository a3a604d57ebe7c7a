// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/scene.hpp"

namespace {

/// A leaf of targets, and sources in a second group, outside its disc.
template <class K>
struct Sources {
    using Real = typename K::Real;
    using Coefficients = std::vector<starfmm::Complex<Real>>;

    Scene<K> target;
    Scene<K> sources;

    /// Places the sources to the right of the disc.
    /// \param theta radius of the disc over the distance of the nearest source
    Sources(double theta, int order, std::size_t n)
        : target(0, 61, order), sources(0, n, order, 2) {
        const double radius = target.frame(0).radius;
        for (std::size_t j = 0; j < n; ++j) {
            sources.positions[j] += 0.5 + radius / theta;
        }
        target.args.n_slots = 2;
        target.args.slots[1] = 1;
        target.args.tree = {1, 1, 0};
        target.args.n_sources = 4 * n; // the second group has n, as each group has
        target.args.lists = {1, 1, 1, 2};
    }

    [[nodiscard]] Coefficients
    p2l(const starfmm::KernelBodies& bodies, Coefficients locals, const Rows& rows = {{1}}) {
        Words lists(target.args.lists.words());
        fill_list(target.args.lists.p2l(lists.data()), rows);
        std::vector<double> own_positions(sources.positions.size());
        std::vector<Real> own_strengths(sources.strengths.size(), Real(1));
        call(
            body<starfmm::P2LTask>(bodies),
            target.args,
            locals,
            lists,
            target.boxes,
            own_positions,
            own_strengths,
            sources.positions,
            sources.strengths
        );
        return locals;
    }
};

} // namespace

TEST_CASE_TEMPLATE("p2l: error stays below the bound", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const int p : {1, 5, 10, 20, 40}) {
        for (const double theta : {0.3, 0.5, 0.7}) {
            for (const std::size_t n : {1, 2, 31}) {
                Sources<K> scene(theta, p, n);
                const auto locals = scene.p2l(bodies<K>(), scene.target.no_coefficients());
                const double d = scene.target.frame(0).radius / theta;
                // the tail of the geometric series [GE12 Eq 2.3]
                const double tail = std::pow(theta, p + 1) / (1 - theta) / (is_log<K> ? p + 1 : d);
                const double rounding = (8 * p + static_cast<double>(n)) * roundoff<Real> *
                                        (2 + std::abs(std::log(d)) + 1 / d) / (1 - theta);
                for (std::size_t i = 0; i < 61; ++i) {
                    const Exact z = scene.target.point(i);
                    const Exact value = local_value<K>(p, scene.target.frame(0), locals.data(), z);
                    const Exact expected = scene.sources.potential(z, 0, n);
                    CHECK(
                        static_cast<double>(std::abs(value - expected)) <=
                        (tail + rounding) * scene.sources.total_strength()
                    );
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("p2l: error falls like theta^p", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const double theta : {0.3, 0.5, 0.7}) {
        for (int p = 1; p <= 30; ++p) {
            Sources<K> scene(theta, p, 1);
            const auto frame = scene.target.frame(0);
            scene.sources.positions = {frame.centre.re + frame.radius / theta, frame.centre.im};
            scene.sources.strengths.assign(scene.sources.strengths.size(), 0);
            scene.sources.strengths[0] = 1;
            const auto locals = scene.p2l(bodies<K>(), scene.target.no_coefficients());
            const Exact z = exact(frame.centre) + Exact(frame.radius);
            const Exact expected = scene.sources.potential(z, 0, 1);
            const Exact value = local_value<K>(p, frame, locals.data(), z);
            const double error = static_cast<double>(std::abs(value - expected));
            // all terms have one sign: for the harmonic sum the tail is the value times theta^(p+1)
            const double low =
                std::pow(theta, p + 1) *
                (is_log<K> ? 1.0 / (p + 1) : static_cast<double>(std::abs(expected)));
            const double high = is_log<K> ? low / (1 - theta) : low;
            const double rounding =
                8 * (p + 2) * roundoff<Real> * (2 + 1 / frame.radius) / (1 - theta);
            CHECK(error <= high + rounding);
            CHECK(error >= low - rounding);
        }
    }
}

TEST_CASE_TEMPLATE(
    "p2l: adds to the local expansion, linear in strength", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    Sources<K> a(0.5, 12, 19);
    Sources<K> b = a;
    Sources<K> sum = a;
    b.sources.strengths = Random(7).numbers<Real>(a.sources.strengths.size());
    for (std::size_t i = 0; i < a.sources.strengths.size(); ++i) {
        sum.sources.strengths[i] = 2 * a.sources.strengths[i] + b.sources.strengths[i];
    }
    const auto none = a.target.no_coefficients();
    const auto from_a = a.p2l(bodies<K>(), none);
    const auto expected = b.p2l(bodies<K>(), b.p2l(bodies<K>(), sum.p2l(bodies<K>(), none)));
    const auto from_b = b.p2l(bodies<K>(), none);
    const double rounding = 12 * 19 * 9 * roundoff<Real>; // steps, sources, at most 9 of strength
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const Exact other = Exact(2) * exact(from_a[k]) + Exact(3) * exact(from_b[k]);
        CHECK(static_cast<double>(std::abs(exact(expected[k]) - other)) <= rounding);
    }
}

TEST_CASE_TEMPLATE("p2l: a leaf without entries is left alone", K, DOCTEST_TEST_KERNELS) {
    Sources<K> scene(0.5, 12, 19);
    const auto before = Random(1).complex_numbers<typename K::Real>(13);
    const auto after = scene.p2l(bodies<K>(), before, {{}});
    for (std::size_t k = 0; k < before.size(); ++k) {
        CHECK(after[k].re == before[k].re);
        CHECK(after[k].im == before[k].im);
    }
}

TEST_CASE_TEMPLATE("p2l: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    Sources<K> scene(0.5, 17, 83);
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return scene.p2l(bodies, scene.target.no_coefficients());
    });
}
