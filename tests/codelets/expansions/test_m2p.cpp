// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/scene.hpp"

namespace {

/// A leaf of targets, and one random multipole in a second group, whose disc does not contain them.
template <class K>
struct Multipole {
    using Real = typename K::Real;

    Scene<K> target;
    std::vector<double> boxes;
    std::vector<starfmm::Complex<Real>> coefficients;

    /// Makes the multipole, to the left of the targets.
    /// \param theta radius of the multipole's disc over the distance of the nearest target
    Multipole(double theta, int order, std::size_t n) : target(0, n, order) {
        boxes = {-0.25 / theta, 0.5, 0.25};
        coefficients = Random(3).complex_numbers<Real>(order + 1);
        coefficients[0] = {is_log<K> ? Real(0.75) : Real(0), 0};
        target.args.n_slots = 2;
        target.args.slots[1] = 1;
        target.args.lists = {1, 1, 1, 2};
    }

    [[nodiscard]] starfmm::Frame<double> frame() const { return {{boxes[0], boxes[1]}, boxes[2]}; }

    [[nodiscard]] std::vector<Real>
    m2p(const starfmm::KernelBodies& bodies, std::vector<Real> far, const Rows& rows = {{1}}) {
        Words lists(target.args.lists.words());
        fill_list(target.args.lists.m2p(lists.data()), rows);
        auto own = Random(4).complex_numbers<Real>(coefficients.size());
        std::vector<double> own_boxes = target.boxes;
        call(
            body<starfmm::M2PTask>(bodies),
            target.args,
            far,
            lists,
            target.positions,
            target.offsets,
            own,
            own_boxes,
            coefficients,
            boxes
        );
        return far;
    }
};

} // namespace

TEST_CASE_TEMPLATE("m2p: the value of the multipole", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const int p : {1, 2, 17, 40}) {
        for (const double theta : {0.2, 0.5, 0.8}) {
            for (const std::size_t n : {1, 2, 31}) {
                Multipole<K> scene(theta, p, n);
                const auto far = scene.m2p(bodies<K>(), scene.target.no_values());
                // Horner's rule: 2 roundings a step of sums below the coefficients' total
                const double rounding = 8 * (p + 1) * roundoff<Real> *
                                        total(scene.coefficients.data(), p + 1) *
                                        (1 + std::log(2 + 0.25 / theta));
                for (std::size_t i = 0; i < n; ++i) {
                    const Exact expected = multipole_value<K>(
                        p, scene.frame(), scene.coefficients.data(), scene.target.point(i)
                    );
                    const auto error = static_cast<double>(std::abs(element(far, i, n) - expected));
                    CHECK(error <= rounding);
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE(
    "m2p: error against the direct sum falls like theta^p", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    for (const double theta : {0.3, 0.5, 0.7}) {
        for (int p = 1; p <= 30; ++p) {
            // one source of strength 1 on the rim that is nearest to one target
            Multipole<K> scene(theta, p, 1);
            scene.boxes = {0, 0, 1};
            for (int k = 1; k <= p; ++k) {
                scene.coefficients[k] = {is_log<K> ? Real(-1) / Real(k) : Real(-1), 0};
            }
            scene.coefficients[0] = {is_log<K> ? Real(1) : Real(0), 0};
            const double x = 1 / theta;
            scene.target.positions = {x, 0};
            const Exact far = element(scene.m2p(bodies<K>(), scene.target.no_values()), 0, 1);
            const double value = is_log<K> ? std::log(x - 1) : 1 / (1 - x);
            const double error = std::abs(static_cast<double>(far.real()) - value);
            // all terms have one sign: for the harmonic sum the tail is the value times theta^p
            const double low =
                is_log<K> ? std::pow(1 / x, p + 1) / (p + 1) : std::pow(1 / x, p) * -value;
            const double high = is_log<K> ? low / (1 - theta) : low;
            const double rounding = 8 * (p + 2) * roundoff<Real> * 2 / (1 - theta);
            CHECK(error <= high + rounding);
            CHECK(error >= low - rounding);
        }
    }
}

TEST_CASE_TEMPLATE("m2p: adds to the far results, linear in strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Multipole<K> a(0.5, 12, 19);
    Multipole<K> sum = a;
    const auto b = Random(7).complex_numbers<Real>(13);
    for (std::size_t k = 1; k < 13; ++k) {
        sum.coefficients[k] = {
            2 * a.coefficients[k].re + b[k].re, 2 * a.coefficients[k].im + b[k].im};
    }
    sum.coefficients[0].re *= 3;
    Multipole<K> other = a;
    std::copy(b.begin() + 1, b.end(), other.coefficients.begin() + 1);
    const auto before = Random(8).numbers<Real>(a.target.no_values().size());
    const auto together = sum.m2p(bodies<K>(), before);
    const auto apart = other.m2p(bodies<K>(), a.m2p(bodies<K>(), a.m2p(bodies<K>(), before)));
    const double rounding = 8 * 13 * roundoff<Real> * 5 * 13; // 13 steps of 13 coefficients below 5
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(std::abs(together[i] - apart[i]) <= rounding);
        CHECK(together[i] != before[i]);
    }
}

TEST_CASE_TEMPLATE("m2p: a leaf without entries is left alone", K, DOCTEST_TEST_KERNELS) {
    Multipole<K> scene(0.5, 12, 19);
    const auto before = Random(1).numbers<typename K::Real>(scene.target.no_values().size());
    CHECK(scene.m2p(bodies<K>(), before, {{}}) == before);
}

TEST_CASE_TEMPLATE("m2p: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    Multipole<K> scene(0.5, 17, 83);
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return scene.m2p(bodies, scene.target.no_values());
    });
}
