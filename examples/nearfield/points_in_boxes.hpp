// SPDX-License-Identifier: BSD-3-Clause
// Points that fill the boxes of a uniform tree evenly.
#pragma once

#include "core/particles/distributions.hpp"
#include "core/tree/morton.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace starfmm {

/// Makes `per_box` points in every box of a tree over the unit square or cube, in random order.
/// Points are uniform in their boxes, except for the two corners of the domain.
template <int D>
[[nodiscard]] Points<D> points_in_boxes(int height, std::size_t per_box, std::uint64_t seed) {
    const std::size_t n_boxes = std::size_t(1) << (D * height);
    const double side = std::ldexp(1, -height);
    std::mt19937_64 engine(seed);
    std::vector<std::uint32_t> order(n_boxes * per_box);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = order.size(); i > 1; --i) { // std::shuffle's results differ by library
        const double other = uniform01(engine) * static_cast<double>(i);
        std::swap(order[i - 1], order[static_cast<std::size_t>(other)]);
    }
    Points<D> points;
    for (auto& x : points.x) {
        x.resize(order.size());
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto at = z_coordinates<D>(static_cast<ZCode>(i / per_box));
        for (int d = 0; d < D; ++d) {
            points.x[d][order[i]] = side * (at[d] + uniform01(engine));
        }
    }
    for (auto& x : points.x) { // the corners make the tree divide the unit square or cube
        x[order.front()] = 0;
        x[order.back()] = 1;
    }
    return points;
}

} // namespace starfmm
