// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/spread.hpp"

#include "core/parallel_copy.hpp"
#include "core/particles/value_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>

namespace starfmm {

namespace {

/// Sums of masses and of their squares, in a unit of mass.
struct MassSums {
    double sum = 0;
    double squares = 0;
};

MassSums sums_of(std::span<const double> masses, double unit) {
    const auto n = static_cast<std::ptrdiff_t>(masses.size());
    const double* const m = masses.data();
    double sum = 0;
    double squares = 0;
#pragma omp parallel for simd num_threads(copy_threads(n)) if (parallel : n > few_values) \
    reduction(+ : sum, squares)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        const double share = m[i] * unit;
        sum += share;
        squares += share * share;
    }
    return {sum, squares};
}

/// Distances of random pairs, the same for the same number of points. Their places are not in any
/// cache, so that several cores look at them.
template <std::size_t n_pairs>
std::array<double, n_pairs> sampled_distances(const PointsRef& points) {
    const std::size_t n = points.size();
    std::mt19937_64 random(1);
    std::array<std::pair<std::size_t, std::size_t>, n_pairs> pairs;
    for (auto& [i, j] : pairs) {
        i = random() % n;
        j = (i + 1 + random() % (n - 1)) % n;
    }
    std::array<double, n_pairs> distances;
#pragma omp parallel for num_threads(copy_threads(n_pairs)) if (n > few_values) schedule(static)
    for (std::size_t k = 0; k < n_pairs; ++k) {
        std::array<double, 3> d{};
        for (std::size_t c = 0; c < points.x.size(); ++c) {
            d[c] = points.x[c][pairs[k].first] - points.x[c][pairs[k].second];
        }
        distances[k] = std::hypot(d[0], d[1], d[2]);
    }
    return distances;
}

} // namespace

double evenness(std::span<const double> masses) {
    const auto of = [n = static_cast<double>(masses.size())](const MassSums& sums) {
        return sums.squares > 0 ? sums.sum * sums.sum / (n * sums.squares) : 1;
    };
    const MassSums sums = sums_of(masses, 1);
    if (std::isnormal(sums.squares) && std::isnormal(sums.sum * sums.sum)) {
        return of(sums);
    }
    const double largest = largest_magnitude(masses); // squares stay in range in its unit
    return of(sums_of(masses, largest > 0 ? 1 / largest : 0));
}

double filled_dimensions(const PointsRef& points) {
    constexpr std::size_t n_pairs = 4096;
    constexpr std::size_t few = n_pairs / 64;
    constexpr std::size_t many = n_pairs / 8;
    if (points.size() < 2) {
        return 3;
    }
    auto distances = sampled_distances<n_pairs>(points);
    std::nth_element(distances.begin(), distances.begin() + many, distances.end());
    const double far = distances[many];
    std::nth_element(distances.begin(), distances.begin() + few, distances.begin() + many);
    const double near = distances[few];
    return near > 0 ? std::log2(static_cast<double>(many) / few) / std::log2(far / near) : 0;
}

} // namespace starfmm
