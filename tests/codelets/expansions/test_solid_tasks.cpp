// SPDX-License-Identifier: BSD-3-Clause
// Tests compare the bodies of Laplace's kernels in space with loops over the kernels' own
// functions.
#include "core/expansions/kernels3d.hpp"
#include "core/expansions/truncation.hpp"
#include "tests/support/space/rounded_locals.hpp"
#include "tests/support/space/space_checks.hpp"

#define DOCTEST_TEST_SOLID_KERNELS                                                                 \
    starfmm::Laplace<double>, starfmm::Laplace<float>, starfmm::LaplaceGradient<double>,           \
        starfmm::LaplaceGradient<float>

using starfmm::PairTerms;

namespace {

constexpr std::size_t n_leaves = 64;
constexpr std::size_t first_leaf = 9;
const std::array orders{1, 2, 6, 13};

template <class K>
using Run = SpaceRun<Buffers, K>;

/// Frames and points of a pyramid of two levels below the root, relative to the middle of the root.
template <class K>
struct Seen {
    using Real = typename K::Real;
    using Coefficients = typename Run<K>::Coefficients;
    static constexpr starfmm::Vector3<double> middle{0.5, 0.5, 0.5};
    const Scene<K>& scene;

    [[nodiscard]] auto frame(std::size_t box) const {
        return starfmm::seen_from<Real>(middle, scene.frame(box));
    }

    [[nodiscard]] auto point(std::size_t i) const {
        return starfmm::seen_from<Real>(middle, scene.position(i));
    }

    template <class C>
    [[nodiscard]] C* row(std::vector<C>& coefficients, std::size_t box) const {
        return coefficients.data() + box * static_cast<std::size_t>(scene.n_coefficients());
    }

    /// Calls use(i) for the points of a leaf.
    template <class Use>
    void visit(std::size_t leaf, const Use& use) const {
        for (std::size_t i = scene.offsets[leaf]; i < scene.offsets[leaf + 1]; ++i) {
            use(i);
        }
    }

    [[nodiscard]] bool separated(std::size_t box, std::size_t other) const {
        const auto a = scene.frame(box);
        const auto b = scene.frame(other);
        const double d = starfmm::length(a.centre - b.centre);
        return a.radius + scene.args.theta * b.radius <= scene.args.theta * d;
    }

    /// Returns for each leaf the leaves that are well separated from it.
    [[nodiscard]] Rows far_leaves() const {
        Rows rows(n_leaves);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            for (std::size_t other = 0; other < n_leaves; ++other) {
                if (separated(first_leaf + leaf, first_leaf + other)) {
                    rows[leaf].push_back(static_cast<starfmm::BoxReference>(other));
                }
            }
        }
        return rows;
    }
};

/// Checks that differences are small beside the largest value: sums have fewer than a few hundred
/// terms.
template <class Real, class T>
void check_near(const std::vector<T>& values, const std::vector<T>& expected) {
    double largest = 0;
    double difference = 0;
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, magnitude(expected[i]));
        const double error = magnitude(values[i] - expected[i]);
        difference = std::isfinite(error) ? std::max(difference, error) : 1e300;
    }
    CHECK(largest > 0);
    CHECK(difference <= 500 * roundoff<Real> * largest);
}

template <class K>
std::vector<typename K::Real> components(
    const Scene<K>& scene, const std::vector<typename K::template Value<typename K::Real>>& values
) {
    auto parts = scene.no_values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        starfmm::visit_components(values[i], [&](int c, const auto& part) {
            parts[static_cast<std::size_t>(c) * scene.n() + i] = part;
        });
    }
    return parts;
}

template <class K>
using Values = std::vector<typename K::template Value<typename K::Real>>;

/// Makes random coefficients of all boxes.
template <class K>
auto random_coefficients(const Scene<K>& scene, std::uint64_t seed) {
    return Random(seed).coefficients<K>(scene.no_coefficients().size());
}

/// Compares M2L with translations of single pairs.
template <class K>
void check_m2l(int order, PairTerms kind) {
    Run<K> run(bodies<K>(), Scene<K>(2, 300, order));
    run.scene.args.terms = kind;
    const Seen<K> seen{run.scene};
    const auto terms = kind == PairTerms::all
                           ? starfmm::TruncationOrders::none(order)
                           : starfmm::TruncationOrders::of<K>(run.scene.args.theta, order);
    auto multipoles = random_coefficients(run.scene, 5);
    auto expected = run.scene.no_coefficients();
    const Rows far = seen.far_leaves();
    Rows rows(first_leaf);
    rows.insert(rows.end(), far.begin(), far.end());
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        const auto target = seen.frame(first_leaf + leaf);
        for (const auto other : far[leaf]) {
            const auto source = seen.frame(first_leaf + other);
            K::m2l_truncated(
                order,
                static_cast<typename K::Real>(terms.order(source, target)),
                source,
                seen.row(multipoles, first_leaf + other),
                target,
                seen.row(expected, first_leaf + leaf)
            );
        }
    }
    auto boxes = run.scene.boxes;
    auto locals = run.m2l(rows, multipoles, boxes);
    locals.resize(run.scene.total_coefficients());
    expected.resize(locals.size());
    check_near<typename K::Real>(locals, expected);
}

} // namespace

TEST_CASE_TEMPLATE("solid_tasks: P2M and M2M", K, DOCTEST_TEST_SOLID_KERNELS) {
    for (const int order : orders) {
        CAPTURE(order);
        Run<K> run(bodies<K>(), Scene<K>(2, 300, order));
        const Seen<K> seen{run.scene};
        auto expected = run.scene.no_coefficients();
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            for (const std::size_t box : {first_leaf + leaf, 1 + leaf / 8, std::size_t(0)}) {
                seen.visit(leaf, [&](std::size_t i) {
                    auto* const row = seen.row(expected, box);
                    K::p2m(order, seen.frame(box), seen.point(i), run.scene.strengths[i], row);
                });
            }
        }
        check_near<typename K::Real>(run.m2m(run.p2m()), expected);
    }
}

TEST_CASE_TEMPLATE("solid_tasks: L2L and L2P", K, DOCTEST_TEST_SOLID_KERNELS) {
    for (const int order : orders) {
        CAPTURE(order);
        Run<K> run(bodies<K>(), Scene<K>(2, 300, order));
        const Seen<K> seen{run.scene};
        auto locals = random_coefficients(run.scene, 4);
        Values<K> expected(run.scene.n());
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            for (const std::size_t box : {first_leaf + leaf, 1 + leaf / 8, std::size_t(0)}) {
                seen.visit(leaf, [&](std::size_t i) {
                    const auto* const row = seen.row(locals, box);
                    expected[i] += K::l2p(order, seen.frame(box), row, seen.point(i));
                });
            }
        }
        check_near<typename K::Real>(run.l2p(run.l2l(locals)), components<K>(run.scene, expected));
    }
}

TEST_CASE_TEMPLATE(
    "solid_tasks: M2L, of as many terms as each pair needs, or all", K, DOCTEST_TEST_SOLID_KERNELS
) {
    for (const int order : orders) {
        CAPTURE(order);
        check_m2l<K>(order, PairTerms::by_distance);
        check_m2l<K>(order, PairTerms::all);
    }
}

TEST_CASE_TEMPLATE("solid_tasks: P2L", K, DOCTEST_TEST_SOLID_KERNELS) {
    for (const int order : orders) {
        CAPTURE(order);
        Run<K> run(bodies<K>(), Scene<K>(2, 300, order));
        Scene<K>& scene = run.scene;
        const Seen<K> seen{scene};
        const Rows far = seen.far_leaves();
        run.make_room(0, n_leaves * n_leaves);
        fill_list(scene.args.lists.p2l(run.lists.data()), far);
        auto locals = scene.no_coefficients();
        auto expected = scene.no_coefficients();
        auto boxes = scene.boxes;
        run.template run<starfmm::P2LTask>(
            locals, run.lists, scene.boxes, scene.positions, scene.strengths, boxes
        );
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            const std::size_t box = first_leaf + leaf;
            for (const auto other : far[leaf]) {
                seen.visit(other, [&](std::size_t i) {
                    auto* const row = seen.row(expected, box);
                    K::p2l(order, seen.frame(box), seen.point(i), scene.strengths[i], row);
                });
            }
        }
        check_near<typename K::Real>(locals, expected);
    }
}

TEST_CASE_TEMPLATE("solid_tasks: M2P", K, DOCTEST_TEST_SOLID_KERNELS) {
    for (const int order : orders) {
        CAPTURE(order);
        Run<K> run(bodies<K>(), Scene<K>(2, 300, order));
        Scene<K>& scene = run.scene;
        const Seen<K> seen{scene};
        const Rows far = seen.far_leaves();
        run.make_room(0, n_leaves * n_leaves);
        fill_list(scene.args.lists.m2p(run.lists.data()), far);
        auto multipoles = random_coefficients(scene, 6);
        auto values = scene.no_values();
        auto boxes = scene.boxes;
        run.template run<starfmm::M2PTask>(
            values, run.lists, scene.positions, scene.offsets, multipoles, boxes
        );
        Values<K> expected(scene.n());
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            for (const auto other : far[leaf]) {
                const std::size_t box = first_leaf + other;
                seen.visit(leaf, [&](std::size_t i) {
                    const auto* const row = seen.row(multipoles, box);
                    expected[i] += K::m2p(order, seen.frame(box), row, seen.point(i));
                });
            }
        }
        check_near<typename K::Real>(values, components<K>(scene, expected));
    }
}

TEST_CASE_TEMPLATE("solid_tasks: a top above eight groups", K, DOCTEST_TEST_SOLID_KERNELS) {
    check_top<Buffers, K>(bodies<K>());
    check_below_top<Buffers, K>(bodies<K>());
}

TEST_CASE_TEMPLATE("solid_tasks: instruction sets agree", K, DOCTEST_TEST_SOLID_KERNELS) {
    for (const int order : {3, 10, 40}) {
        CAPTURE(order);
        check_variants<K>([&](const starfmm::KernelBodies& bodies) {
            Run<K> run(bodies, Scene<K>(2, 333, order));
            Rows rows(first_leaf);
            const Rows far = Seen<K>{run.scene}.far_leaves();
            rows.insert(rows.end(), far.begin(), far.end());
            return run.far_results(rows);
        });
    }
}

TEST_CASE("solid_tasks: mixed kernels round local expansions, in units of their own") {
    check_rounded_locals<Buffers>([](auto kernel) { return bodies<decltype(kernel)>(); });
}
