// SPDX-License-Identifier: BSD-3-Clause
// Point sets of the tests have names: the distributions, and sets that are hard on a tree.
#pragma once

#include "core/particles/distributions.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Names for make_shape: the six distributions, and three sets that are hard on a tree.
inline const std::vector<std::string> shape_names = {
    "uniform",
    "normal",
    "layer",
    "circle",
    "plummer",
    "lattice",
    "line",    ///< all points on one line
    "twice",   ///< every point has a double
    "clusters" ///< two clusters of diameter 1e-8 at distance 1
};

template <int D = 2>
starfmm::Points<D> make_shape(const std::string& name, std::size_t n, std::uint64_t seed) {
    using starfmm::Distribution;
    if (name == "line") {
        auto points = starfmm::make_points<D>(Distribution::uniform, n, 0.1, seed);
        for (std::size_t i = 0; i < (D - 1) * n; ++i) {
            points.x[1 + i / n][i % n] = 0.25 + 0.5 * points.x[i / n][i % n];
        }
        return points;
    }
    if (name == "twice") {
        auto points = starfmm::make_points<D>(Distribution::uniform, (n + 1) / 2, 0.1, seed);
        for (auto& x : points.x) {
            const auto copy = x;
            x.insert(x.end(), copy.begin(), copy.end());
            x.resize(n);
        }
        return points;
    }
    if (name == "clusters") {
        auto points = starfmm::make_points<D>(Distribution::uniform, n, 0.1, seed);
        for (std::size_t i = 0; i < n; ++i) {
            for (auto& x : points.x) {
                x[i] *= 0.7e-8;
            }
            points.x[0][i] += static_cast<double>(i % 2);
        }
        return points;
    }
    return starfmm::make_points<D>(starfmm::parse_distribution(name), n, 0.1, seed);
}
