// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/scene.hpp"

namespace {

template <class K>
auto l2l(
    Scene<K>& scene,
    const starfmm::KernelBodies& bodies,
    std::vector<starfmm::Complex<typename K::Real>> locals
) {
    scene.args.n_slots = 0;
    call(body<starfmm::L2LTask>(bodies), scene.args, locals, scene.boxes);
    return locals;
}

/// Makes random coefficients of the root; all others are zero.
template <class K>
auto root_local(const Scene<K>& scene) {
    auto locals = scene.no_coefficients();
    const auto root = Random(4).complex_numbers<typename K::Real>(scene.n_coefficients());
    std::copy(root.begin(), root.end(), locals.begin());
    return locals;
}

/// Returns the values of box `box` at the scene's points of leaf `leaf`.
template <class K, class Coefficients>
std::vector<Exact>
values(const Scene<K>& scene, const Coefficients& locals, std::size_t box, std::size_t leaf) {
    std::vector<Exact> values;
    for (std::size_t i = scene.offsets[leaf]; i < scene.offsets[leaf + 1]; ++i) {
        values.push_back(local_value<K>(
            scene.args.order,
            scene.frame(box),
            &locals[box * scene.n_coefficients()],
            scene.point(i)
        ));
    }
    return values;
}

} // namespace

TEST_CASE_TEMPLATE("l2l: shifting equals expanding about the new centre", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const int p : {0, 1, 3, 16, 40}) {
        Scene<K> scene(2, 160, p);
        const auto locals = l2l(scene, bodies<K>(), root_local(scene));
        // A polynomial of degree p: two shifts, p roundings each, of sums that stay below the
        // coefficients' total because shift and shrinkage add to 1.
        const double rounding = 2 * 8 * (p + 1) * roundoff<Real> * total(locals.data(), p + 1);
        for (std::size_t leaf = 0; leaf < 16; ++leaf) {
            const auto expected = values(scene, locals, 0, leaf);
            const auto parent = values(scene, locals, 1 + leaf / 4, leaf);
            const auto shifted = values(scene, locals, scene.leaf_box(leaf), leaf);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                CHECK(static_cast<double>(std::abs(parent[i] - expected[i])) <= rounding);
                CHECK(static_cast<double>(std::abs(shifted[i] - expected[i])) <= rounding);
            }
        }
    }
}

TEST_CASE_TEMPLATE("l2l: adds to what the child has", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(1, 16, 9);
    auto before = Random(6).complex_numbers<Real>(scene.no_coefficients().size());
    auto alone = before;
    std::fill(alone.begin() + 10, alone.end(), starfmm::Complex<Real>{0, 0});
    const auto together = l2l(scene, bodies<K>(), before);
    const auto shifted = l2l(scene, bodies<K>(), alone);
    for (std::size_t k = 10; k < scene.total_coefficients(); ++k) {
        const auto expected = before[k] + shifted[k]; // one rounding for each part of sums below 16
        CHECK(magnitude(together[k] - expected) <= 2 * 16 * roundoff<Real>);
    }
}

TEST_CASE_TEMPLATE("l2l: a shift by zero keeps the expansion", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(1, 16, 10);
    for (std::size_t box = 0; box < 5; ++box) {
        scene.set_frame(box, {{0.5, 0.5}, 0.5}); // 0.5 / 0.5 is exact
    }
    const auto locals = l2l(scene, bodies<K>(), root_local(scene));
    for (std::size_t k = 0; k < scene.total_coefficients(); ++k) {
        CHECK(locals[k].re == locals[k % 11].re);
        CHECK(locals[k].im == locals[k % 11].im);
    }
}

TEST_CASE_TEMPLATE("l2l: linear in strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(2, 16, 12);
    const std::size_t n = scene.no_coefficients().size();
    auto a = Random(1).complex_numbers<Real>(n);
    auto b = Random(2).complex_numbers<Real>(n);
    auto sum = a;
    for (std::size_t k = 0; k < n; ++k) {
        sum[k] = {2 * a[k].re + b[k].re, 2 * a[k].im + b[k].im};
    }
    const auto from_a = l2l(scene, bodies<K>(), a);
    const auto from_b = l2l(scene, bodies<K>(), b);
    const auto from_sum = l2l(scene, bodies<K>(), sum);
    // a leaf gathers 3 boxes' 13 coefficients of at most 5, through two shifts
    const double rounding = 3 * 13 * 5 * (8 * 12) * roundoff<Real>;
    for (std::size_t k = 0; k < scene.total_coefficients(); ++k) {
        const Exact expected = Exact(2) * exact(from_a[k]) + exact(from_b[k]);
        CHECK(static_cast<double>(std::abs(exact(from_sum[k]) - expected)) <= rounding);
    }
}

TEST_CASE_TEMPLATE(
    "l2l: a group below a top adds its box of the top to what P2L left", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    Scene<K> scene(1, 16, 9);
    auto locals = Random(3).complex_numbers<Real>(scene.no_coefficients().size());
    auto expected = locals;
    std::vector<double> boxes = scene.boxes;
    auto top = Random(8).complex_numbers<Real>(5 * 10);
    for (int l = 0; l < 10; ++l) {
        expected[l] += top[(1 + 3) * 10 + l];
    }
    scene.args.tree = {1, 2, 3}; // below box 3 of level 1
    scene.args.top_box = 1 + 3;
    scene.args.n_slots = 1;
    call(body<starfmm::L2LTask>(bodies<K>()), scene.args, locals, boxes, top);
    scene.args.tree = {0, 1, 0};
    expected = l2l(scene, bodies<K>(), expected);
    for (std::size_t k = 0; k < expected.size(); ++k) {
        CHECK(locals[k].re == expected[k].re);
        CHECK(locals[k].im == expected[k].im);
    }
}

TEST_CASE_TEMPLATE("l2l: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(3, 64, 17);
    const auto locals = Random(1).complex_numbers<typename K::Real>(scene.no_coefficients().size());
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return l2l(scene, bodies, locals);
    });
}
