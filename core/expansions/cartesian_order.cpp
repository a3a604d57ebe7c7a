// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/cartesian_order.hpp"

#include "core/expansions/cartesian_index.hpp"

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

/// By which errors of other seeds, sizes of leaves and samples differ.
constexpr double spread = 1.3;

/// Of the next larger separation: near cubes are no fewer than there.
std::size_t row_of(double theta) {
    std::size_t row = 0;
    while (row + 1 < thetas.size() && thetas[row + 1] >= theta) {
        ++row;
    }
    return row;
}

} // namespace

std::span<const double> cartesian_thetas() {
    return thetas;
}

AccelerationErrors cartesian_error(int order, double theta) {
    const std::size_t row = row_of(theta);
    const auto place = static_cast<std::size_t>(order - 1);
    // beyond the last, like the first term left out: the gradient of degree p + 1
    const double smaller = theta < thetas.back() ? std::pow(theta / thetas.back(), order) : 1;
    const double factor = smaller * spread;
    return {factor * medians[row][place], factor * p99s[row][place]};
}

int cartesian_order(const AccelerationErrors& most, double theta) {
    const auto is_enough = [&](int order) {
        const AccelerationErrors errors = cartesian_error(order, theta);
        return errors.median <= most.median && errors.p99 <= most.p99;
    };
    int order = 1;
    while (order < largest_cartesian_order && !is_enough(order)) {
        ++order;
    }
    return order;
}

} // namespace starfmm
