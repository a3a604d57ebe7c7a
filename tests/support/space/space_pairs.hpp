// SPDX-License-Identifier: BSD-3-Clause
// P2P and direct sums of Laplace's kernel of space are compared here with sums in extended
// precision, by bodies of any kind of worker.
#pragma once

#include "core/expansions/kernels3d.hpp"
#include "tests/support/scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using PotentialDouble = starfmm::Laplace<double>;
using PotentialMixed = starfmm::MixedLaplace;
using LaplaceDouble = starfmm::LaplaceGradient<double>;
using LaplaceSingle = starfmm::LaplaceGradient<float>;
using LaplaceMixed = starfmm::MixedLaplaceGradient;

#define DOCTEST_TEST_LAPLACE_KERNELS                                                               \
    PotentialDouble, PotentialMixed, LaplaceDouble, LaplaceSingle, LaplaceMixed

using Vector = starfmm::Vector3<double>;

/// One component of a sum, and the bound of its rounding.
struct PairSum {
    long double value = 0;
    double bound = 0;
};

template <class K>
using PairSumsOf = std::array<PairSum, starfmm::n_value_components<K>>;

/// Relative error of one pair at distance `d` of points that lie in a cube of side `extent`, times
/// the power of the distance in the pair. There are 16 roundings, and 2 more of a seed. With mixed
/// precision, coordinates of up to `extent` + d are rounded, unless d is below 2^-5 of them.
template <class K>
double pair_error(long double d, double extent) {
    using Pair = starfmm::PairReal<K>;
    const double own = 16 * roundoff<Pair>;
    if constexpr (starfmm::has_mixed_pairs<K>) {
        const auto ratio = static_cast<double>(extent / d);
        return own + std::min(4 * roundoff<Pair> * (1 + ratio), 0x1p-15);
    }
    // single: points of the unit cube have 48 bits
    return own + (std::is_same_v<Pair, float> ? 0x1p-47 / static_cast<double>(d) : 0);
}

/// Number of terms that are added up in the precision of pairs.
template <class K>
std::size_t longest_sum(std::size_t n) {
    return starfmm::has_mixed_pairs<K> ? std::min<std::size_t>(n, 256) : n;
}

/// Points [begin, end) of a scene.
struct PointRange {
    std::size_t begin;
    std::size_t end;
};

/// Components of the sum at `target` over points of the scene.
/// \param extent extent of the targets that are taken together
template <class K>
PairSumsOf<K>
exact_pairs(const Scene<K>& scene, const PointRange& range, const Vector& target, double extent) {
    PairSumsOf<K> sums{};
    const double additions = static_cast<double>(longest_sum<K>(range.end - range.begin)) *
                             roundoff<starfmm::PairReal<K>>;
    for (std::size_t j = range.begin; j < range.end; ++j) {
        const auto source = scene.position(j);
        std::array<long double, 3> d{};
        long double square = 0;
        for (int k = 0; k < 3; ++k) {
            d[k] = static_cast<long double>(coordinate(source, k)) - coordinate(target, k);
            square += d[k] * d[k];
        }
        if (square == 0) {
            continue;
        }
        const long double potential = scene.strengths[j] / std::sqrt(square);
        const double error = pair_error<K>(std::sqrt(square), extent) + additions;
        for (std::size_t c = 0; c < sums.size(); ++c) {
            const long double scale = c == 0 ? potential : potential / std::sqrt(square);
            sums[c].value += c == 0 ? potential : potential / square * d[c - 1];
            sums[c].bound += 3 * error * std::abs(static_cast<double>(scale));
        }
    }
    return sums;
}

/// Returns the values of target `i`.
template <class K, class Values>
void check_target(
    const Scene<K>& targets, std::size_t i, const Values& values, const PairSumsOf<K>& expected
) {
    for (std::size_t c = 0; c < expected.size(); ++c) {
        CAPTURE(i);
        CAPTURE(c);
        const double error =
            std::abs(static_cast<double>(values[c * targets.n() + i] - expected[c].value));
        CHECK(error <= expected[c].bound);
    }
}

template <class K>
void check_exact_pairs(
    const Scene<K>& targets,
    const Scene<K>& sources,
    const std::vector<typename K::Real>& values,
    double extent = 2
) {
    for (std::size_t i = 0; i < targets.n(); ++i) {
        const PointRange all{0, sources.n()};
        check_target(targets, i, values, exact_pairs(sources, all, targets.position(i), extent));
    }
}

/// Bodies under test, whose buffers are of kind `BufferSet`.
template <class BufferSet, class K>
class PairBodies {
public:
    using Real = typename K::Real;

    explicit PairBodies(const starfmm::KernelBodies& bodies) : bodies_(bodies) {}

    /// Returns P2P where every leaf meets every leaf.
    std::vector<Real> p2p(Scene<K>& scene) const { return p2p(scene, all_rows(scene)); }

    std::vector<Real> p2p(Scene<K>& scene, const Rows& rows) const {
        auto near = Random(9).numbers<Real>(scene.no_values().size()); // to be overwritten
        run<starfmm::P2PTask>(scene, rows, near, scene.strengths);
        return near;
    }

    /// Returns P2P of up to four right-hand sides, one after the other.
    std::vector<Real> p2p(Scene<K>& scene, std::vector<std::vector<Real>> columns) const {
        scene.args.columns = static_cast<std::uint32_t>(columns.size());
        std::vector<Real> near(columns.size() * scene.no_values().size());
        columns.resize(starfmm::max_columns);
        if (scene.args.columns == 3) {
            run<starfmm::P2PColumnsTask>(
                scene, all_rows(scene), near, columns[0], columns[1], columns[2]
            );
        }
        scene.args.columns = 1;
        return near;
    }

    /// Returns direct sums, added to the values.
    std::vector<Real> direct(Scene<K>& targets, Scene<K>& sources, std::vector<Real> values) const {
        BufferSet buffers;
        buffers.add(values).add(targets.positions).add(sources.positions).add(sources.strengths);
        buffers.call(body<starfmm::DirectTask>(bodies_), targets.args);
        return values;
    }

private:
    static Rows all_rows(const Scene<K>& scene) {
        Rows::value_type all(n_leaves_of<3>(scene.args));
        std::iota(all.begin(), all.end(), 0U);
        Rows rows(all.size(), all);
        return rows;
    }

    template <template <class> class Op, class... Strengths>
    void
    run(Scene<K>& scene, const Rows& rows, std::vector<Real>& near, Strengths&... strengths) const {
        std::size_t n_entries = 0;
        for (const auto& row : rows) {
            n_entries += row.size();
        }
        scene.args.lists = {scene.n_boxes(), rows.size(), 1, n_entries};
        Words lists(scene.args.lists.words());
        fill_list(scene.args.lists.near(lists.data()), rows);
        BufferSet buffers;
        buffers.add(near).add(lists).add(scene.positions).add(scene.offsets).add(scene.positions);
        (buffers.add(strengths), ...);
        buffers.call(body<Op>(bodies_), scene.args);
    }

    starfmm::KernelBodies bodies_;
};

/// Checks P2P over pyramids' leaves of up to a few hundred points.
template <class Bodies, class K>
void check_p2p(const Bodies& bodies) {
    for (const std::size_t n : {1, 2, 3, 31, 257, 1500}) {
        for (const int levels : {0, 1}) {
            CAPTURE(n);
            CAPTURE(levels);
            Scene<K> scene(levels, n, 1);
            check_exact_pairs(scene, scene, bodies.p2p(scene));
        }
    }
}

/// Checks leaves that meet one other leaf, in a number that suits any way of sharing work.
template <class Bodies, class K>
void check_many_leaves(const Bodies& bodies) {
    for (const std::size_t mean : {5, 18, 30, 35, 39}) { // points a leaf
        const std::size_t n = mean * 4096 + (mean == 30 ? 0 : 77);
        Scene<K> scene(4, n, 1);
        Rows rows(4096);
        for (std::uint32_t leaf = 0; leaf < rows.size(); ++leaf) {
            rows[leaf] = {leaf, leaf ^ 1U};
        }
        const auto near = bodies.p2p(scene, rows);
        const std::size_t step = mean < 10 ? 2 : 16; // exact sums take long
        for (std::size_t leaf = 0; leaf < rows.size(); leaf += step) {
            const PointRange two{scene.offsets[leaf], scene.offsets[leaf + 2]};
            for (std::size_t i = two.begin; i < two.end; ++i) {
                check_target(scene, i, near, exact_pairs(scene, two, scene.position(i), 0.2));
            }
        }
    }
}

/// Checks direct sums of the same points, or of other points.
template <class Bodies, class K>
void check_direct(const Bodies& bodies) {
    for (const std::size_t m : {1, 2, 31, 131, 500}) {
        for (const std::size_t n : {1, 2, 100, 500}) {
            CAPTURE(m);
            CAPTURE(n);
            Scene<K> targets(0, m, 1);
            Scene<K> sources(0, n, 1, m == n ? 1 : 2);
            check_exact_pairs(
                targets, sources, bodies.direct(targets, sources, targets.no_values())
            );
        }
    }
}

/// Checks that three right-hand sides together give what they give one by one.
template <class Bodies, class K>
void check_columns(const Bodies& bodies) {
    using Real = typename K::Real;
    Scene<K> scene(1, 700, 1);
    const std::vector columns{
        Random(5).numbers<Real>(700), Random(6).numbers<Real>(700), Random(7).numbers<Real>(700)};
    const auto all = bodies.p2p(scene, columns);
    const std::size_t n = scene.no_values().size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
        scene.strengths = columns[c];
        const std::vector<Real> own(all.begin() + c * n, all.begin() + (c + 1) * n);
        check_exact_pairs(scene, scene, own);
    }
}

/// Checks points that are all in one place, then with one elsewhere.
template <class Bodies, class K>
void check_coincident(const Bodies& bodies) {
    Scene<K> scene(1, 180, 1);
    for (int d = 0; d < 3; ++d) {
        std::fill_n(scene.positions.begin() + d * 180, 180, 0.1 + d);
    }
    for (const auto value : bodies.p2p(scene)) {
        CHECK(value == 0);
    }
    for (const auto value : bodies.direct(scene, scene, scene.no_values())) {
        CHECK(value == 0);
    }
    scene.positions[100] = 0.25; // all targets have one source, and one target has all
    check_exact_pairs(scene, scene, bodies.p2p(scene));
    check_exact_pairs(scene, scene, bodies.direct(scene, scene, scene.no_values()));
}

/// Checks pairs of points ever closer to each other, in one leaf and in two: below 2^-24 they would
/// coincide in single precision.
template <class Bodies, class K>
void check_close(const Bodies& bodies) {
    constexpr bool is_single = std::is_same_v<typename K::Real, float>;
    for (int e = 1; e <= (is_single ? 30 : 45); ++e) { // single: cubes of distances stay in range
        CAPTURE(e);
        Scene<K> scene(1, 400, 1);
        const double distance = std::ldexp(0.7, -e);
        for (const std::size_t i : {0, 3, 17, 120, 301}) {
            for (int d = 0; d < 3; ++d) { // a neighbour in the leaf, one in another
                double* x = scene.positions.data() + d * 400;
                x[i + 1] = x[i] + (d == 1 ? distance : 0);
                x[i + 60] = x[i] - (d == 0 ? distance : 0);
            }
        }
        check_exact_pairs(scene, scene, bodies.p2p(scene));
        Scene<K> copy = scene;
        check_exact_pairs(scene, scene, bodies.direct(copy, scene, scene.no_values()));
    }
}

/// Checks one close pair, at any two places of the first two leaves, whether or not a warp meets
/// them side by side, as it meets some in its share of its own leaf. Four warps have twelve of each
/// leaf, a number with which no round of theirs begins.
template <class Bodies, class K>
void check_close_places(const Bodies& bodies) {
    constexpr std::size_t n = std::size_t{8} * 48;
    const Scene<K> apart(1, n, 1);
    const std::size_t middle = apart.offsets[1];
    for (std::size_t i = 0; i < middle; ++i) {
        for (std::size_t j = middle; j < apart.offsets[2]; ++j) {
            Scene<K> scene = apart;
            for (int d = 0; d < 3; ++d) {
                double* x = scene.positions.data() + static_cast<std::size_t>(d) * n;
                x[j] = x[i] + std::ldexp(0.7, -20);
            }
            const auto near = bodies.p2p(scene);
            for (const std::size_t target : {i, j}) {
                check_target(
                    scene, target, near, exact_pairs(scene, {0, n}, scene.position(target), 1)
                );
            }
        }
    }
}

/// Checks that other units give the same digits.
template <class Bodies, class K>
void check_units(const Bodies& bodies) {
    for (const int length : {-90, 70}) {
        for (const int strength : {-100, 100}) {
            Scene<K> scene(1, 700, 1);
            const auto expected = bodies.p2p(scene);
            for (double& x : scene.positions) {
                x = std::ldexp(x, length);
            }
            for (auto& q : scene.strengths) {
                q = std::ldexp(q, strength);
            }
            const auto values = bodies.p2p(scene);
            for (std::size_t i = 0; i < values.size(); ++i) {
                const int power = strength - length * (i < scene.n() ? 1 : 2);
                CHECK(values[i] == std::ldexp(expected[i], power));
            }
        }
    }
}

/// Checks sources that differ from the first: without strength, much stronger, or far away.
template <class Bodies, class K>
void check_outliers(const Bodies& bodies) {
    for (const double strength : {0.0, 1e-30, 1e12}) {
        for (const double place : {0.4, 1e4, 1e9}) {
            CAPTURE(strength);
            CAPTURE(place);
            Scene<K> scene(1, 700, 1);
            for (std::size_t i = 0; i < 700; i += 5) {
                scene.strengths[i] *= strength;
            }
            scene.positions[77] = place;
            check_exact_pairs(scene, scene, bodies.p2p(scene), 2 * place + 2);
        }
    }
}
