// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/spread.hpp"

#include "core/parallel_copy.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace starfmm {

double evenness(const std::vector<double>& masses) {
    const auto n = static_cast<std::ptrdiff_t>(masses.size());
    const double* const m = masses.data();
    double largest = 0;
    double sum = 0;
    double squares = 0;
#pragma omp parallel num_threads(copy_threads(n)) if (n > few_values)
    {
#pragma omp for schedule(static) reduction(max : largest)
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            largest = std::max(largest, std::abs(m[i]));
        }
        const double unit = largest > 0 ? 1 / largest : 0; // squares stay in range
#pragma omp for schedule(static) reduction(+ : sum, squares)
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            const double share = m[i] * unit;
            sum += share;
            squares += share * share;
        }
    }
    return squares > 0 ? sum * sum / (static_cast<double>(n) * squares) : 1;
}

double filled_dimensions(const PointsRef& points) {
    constexpr std::size_t n_pairs = 4096;
    constexpr std::size_t few = n_pairs / 64;
    constexpr std::size_t many = n_pairs / 8;
    const std::size_t n = points.size();
    if (n < 2) {
        return 3;
    }
    std::mt19937_64 random(1); // the same for the same bodies
    std::vector<double> distances(n_pairs);
    for (double& distance : distances) {
        const std::size_t i = random() % n;
        const std::size_t j = (i + 1 + random() % (n - 1)) % n;
        for (const std::vector<double>& x : points.x) {
            distance = std::hypot(distance, x[i] - x[j]);
        }
    }
    std::sort(distances.begin(), distances.end());
    const double near = distances[few];
    const double far = distances[many];
    return near > 0 ? std::log2(static_cast<double>(many) / few) / std::log2(far / near) : 0;
}

} // namespace starfmm
