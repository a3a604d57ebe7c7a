// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/cartesian_order.hpp"

#include "core/expansions/cartesian_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace starfmm {

namespace {

using Orders = std::array<double, largest_cartesian_order>; ///< from 1 on

/// Equal masses of Plummer's model, N = 2e4, leaves of up to 24 bodies, 1000 bodies: larger than
/// those of uniform bodies of N = 2e4 and 2e5 at all but the highest orders, whose errors are the
/// ones here. Cubes become near at these separations (docs/numerics.md#solid-harmonics).
constexpr std::array thetas{0.765, 0.633, 0.547, 0.441};
constexpr std::array<Orders, thetas.size()> medians{{
    {1.3e-1, 2.2e-2, 5.9e-3, 1.9e-3, 7.2e-4, 3.5e-4, 2.1e-4, 1.1e-4},
    {1.2e-1, 1.9e-2, 4.3e-3, 1.4e-3, 6.0e-4, 2.8e-4, 1.5e-4, 7.1e-5},
    {1.0e-1, 1.3e-2, 2.5e-3, 7.0e-4, 2.5e-4, 1.2e-4, 5.7e-5, 2.7e-5},
    {8.0e-2, 7.6e-3, 1.1e-3, 2.2e-4, 6.8e-5, 2.5e-5, 1.0e-5, 3.8e-6},
}};
constexpr std::array<Orders, thetas.size()> p99s{{
    {3.7e-1, 1.4e-1, 5.2e-2, 2.3e-2, 1.1e-2, 5.4e-3, 3.0e-3, 1.7e-3},
    {3.5e-1, 1.3e-1, 4.5e-2, 1.9e-2, 9.0e-3, 4.4e-3, 2.2e-3, 1.2e-3},
    {3.0e-1, 9.5e-2, 3.1e-2, 1.1e-2, 4.2e-3, 2.0e-3, 1.1e-3, 5.6e-4},
    {2.6e-1, 6.9e-2, 1.8e-2, 5.1e-3, 1.5e-3, 4.6e-4, 1.6e-4, 6.4e-5},
}};

/// The same with the largest theta and smaller ones of heavy boxes, of Plummer's model of two seeds
/// and uniform bodies, N = 2e4, and of 2e5 uniform bodies: the largest of them.
constexpr std::array heavy_thetas{0.33, 0.27, 0.22, 0.18};
constexpr std::array<Orders, heavy_thetas.size()> heavy_medians{{
    {1.3e-1, 1.9e-2, 4.0e-3, 1.2e-3, 5.6e-4, 2.7e-4, 1.2e-4, 4.0e-5},
    {1.3e-1, 1.5e-2, 3.1e-3, 1.1e-3, 4.4e-4, 1.6e-4, 6.4e-5, 2.0e-5},
    {1.2e-1, 1.2e-2, 2.5e-3, 9.0e-4, 3.0e-4, 9.6e-5, 3.0e-5, 2.9e-6},
    {1.1e-1, 1.1e-2, 2.2e-3, 6.0e-4, 1.7e-4, 3.5e-5, 4.4e-6, 7.3e-7},
}};
constexpr std::array<Orders, heavy_thetas.size()> heavy_p99s{{
    {3.5e-1, 1.1e-1, 2.9e-2, 8.3e-3, 3.9e-3, 2.0e-3, 9.9e-4, 4.1e-4},
    {3.3e-1, 8.1e-2, 2.5e-2, 7.3e-3, 2.9e-3, 1.1e-3, 5.0e-4, 2.7e-4},
    {3.0e-1, 7.5e-2, 2.4e-2, 6.1e-3, 2.1e-3, 8.2e-4, 2.7e-4, 4.4e-5},
    {2.9e-1, 7.4e-2, 1.8e-2, 4.2e-3, 1.5e-3, 3.3e-4, 4.5e-5, 9.6e-6},
}};

/// By which errors of other seeds, sizes of leaves and samples differ.
constexpr double spread = 1.3;

/// Of the next larger separation: near cubes are no fewer than there.
template <std::size_t n>
std::size_t row_of(const std::array<double, n>& rows, double theta) {
    std::size_t row = 0;
    while (row + 1 < n && rows[row + 1] >= theta) {
        ++row;
    }
    return row;
}

} // namespace

std::span<const double> cartesian_thetas() {
    return thetas;
}

std::span<const double> cartesian_heavy_thetas() {
    return heavy_thetas;
}

AccelerationErrors cartesian_error(int order, double theta, double heavy) {
    if (heavy > 0 && heavy <= heavy_thetas.front()) {
        const std::size_t row = row_of(heavy_thetas, heavy);
        const auto place = static_cast<std::size_t>(order - 1);
        const AccelerationErrors by_theta = cartesian_error(order, theta);
        return {
            std::min(spread * heavy_medians[row][place], by_theta.median),
            std::min(spread * heavy_p99s[row][place], by_theta.p99)};
    }
    const std::size_t row = row_of(thetas, theta);
    const auto place = static_cast<std::size_t>(order - 1);
    // beyond the last, like the first term left out: the gradient of degree p + 1
    const double smaller = theta < thetas.back() ? std::pow(theta / thetas.back(), order) : 1;
    const double factor = smaller * spread;
    return {factor * medians[row][place], factor * p99s[row][place]};
}

int cartesian_order(const AccelerationErrors& most, double theta, double heavy) {
    const auto is_enough = [&](int order) {
        const AccelerationErrors errors = cartesian_error(order, theta, heavy);
        return errors.median <= most.median && errors.p99 <= most.p99;
    };
    int order = 1;
    while (order < largest_cartesian_order && !is_enough(order)) {
        ++order;
    }
    return order;
}

} // namespace starfmm
