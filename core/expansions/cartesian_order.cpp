// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/cartesian_order.hpp"

#include "core/expansions/cartesian_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace starfmm {

namespace {

using Orders = std::array<double, largest_cartesian_order>; ///< by order, from 1 on

struct ErrorRow {
    double angle;
    Orders medians;
    Orders p99s;
};

/// Rows by angle, falling.
using ErrorTable = std::array<ErrorRow, 4>;

/// Errors where one theta serves all boxes, at 1000 bodies of Plummer's model with equal masses, N
/// = 2e4, leaves of up to 24 bodies. They are larger than those of uniform bodies of N = 2e4 and
/// 2e5 at all but the highest orders, for which the latter stand here. Cubes become near at these
/// separations (docs/numerics.md#solid-harmonics).
constexpr ErrorTable by_theta{{
    {0.765,
     {1.3e-1, 2.2e-2, 5.9e-3, 1.9e-3, 7.2e-4, 3.5e-4, 2.1e-4, 1.1e-4},
     {3.7e-1, 1.4e-1, 5.2e-2, 2.3e-2, 1.1e-2, 5.4e-3, 3.0e-3, 1.7e-3}},
    {0.633,
     {1.2e-1, 1.9e-2, 4.3e-3, 1.4e-3, 6.0e-4, 2.8e-4, 1.5e-4, 7.1e-5},
     {3.5e-1, 1.3e-1, 4.5e-2, 1.9e-2, 9.0e-3, 4.4e-3, 2.2e-3, 1.2e-3}},
    {0.547,
     {1.0e-1, 1.3e-2, 2.5e-3, 7.0e-4, 2.5e-4, 1.2e-4, 5.7e-5, 2.7e-5},
     {3.0e-1, 9.5e-2, 3.1e-2, 1.1e-2, 4.2e-3, 2.0e-3, 1.1e-3, 5.6e-4}},
    {0.441,
     {8.0e-2, 7.6e-3, 1.1e-3, 2.2e-4, 6.8e-5, 2.5e-5, 1.0e-5, 3.8e-6},
     {2.6e-1, 6.9e-2, 1.8e-2, 5.1e-3, 1.5e-3, 4.6e-4, 1.6e-4, 6.4e-5}},
}};

/// Errors where heavy boxes have a smaller theta beside the largest one of all others: the largest
/// of those of Plummer's model of two seeds and uniform bodies, N = 2e4, and 2e5 uniform bodies.
constexpr ErrorTable by_heavy_theta{{
    {0.33,
     {1.3e-1, 1.9e-2, 4.0e-3, 1.2e-3, 5.6e-4, 2.7e-4, 1.2e-4, 4.0e-5},
     {3.5e-1, 1.1e-1, 2.9e-2, 8.3e-3, 3.9e-3, 2.0e-3, 9.9e-4, 4.1e-4}},
    {0.27,
     {1.3e-1, 1.5e-2, 3.1e-3, 1.1e-3, 4.4e-4, 1.6e-4, 6.4e-5, 2.0e-5},
     {3.3e-1, 8.1e-2, 2.5e-2, 7.3e-3, 2.9e-3, 1.1e-3, 5.0e-4, 2.7e-4}},
    {0.22,
     {1.2e-1, 1.2e-2, 2.5e-3, 9.0e-4, 3.0e-4, 9.6e-5, 3.0e-5, 2.9e-6},
     {3.0e-1, 7.5e-2, 2.4e-2, 6.1e-3, 2.1e-3, 8.2e-4, 2.7e-4, 4.4e-5}},
    {0.18,
     {1.1e-1, 1.1e-2, 2.2e-3, 6.0e-4, 1.7e-4, 3.5e-5, 4.4e-6, 7.3e-7},
     {2.9e-1, 7.4e-2, 1.8e-2, 4.2e-3, 1.5e-3, 3.3e-4, 4.5e-5, 9.6e-6}},
}};

/// With orders up to 5, whose translations are unrolled, the largest theta beside smaller ones of
/// heavy boxes costs least. Where these orders do not suffice follow the smallest theta that was
/// measured, and then smaller ones with the largest order.
constexpr CartesianChoice by_share[]{
    {0.765, 1, 0.33},
    {0.765, 2, 0.33},
    {0.765, 3, 0.33},
    {0.765, 4, 0.33},
    {0.765, 5, 0.33},
    {0.765, 5, 0.27},
    {0.765, 5, 0.22},
    {0.765, 5, 0.18},
    {0.441, 5},
    {0.441, 6},
    {0.441, 7},
    {0.441, 8},
    {0.765, 8, 0.18},
    {0.33, 8},
    {0.27, 8},
    {0.22, 8},
    {0.18, 8}};

constexpr CartesianChoice by_one_theta[]{
    {0.765, 1},
    {0.765, 2},
    {0.765, 3},
    {0.765, 4},
    {0.765, 5},
    {0.547, 5},
    {0.441, 5},
    {0.441, 6},
    {0.441, 7},
    {0.441, 8},
    {0.33, 8},
    {0.27, 8},
    {0.22, 8},
    {0.18, 8}};

/// Factor by which errors of other seeds, sizes of leaves and samples differ.
constexpr double spread = 1.3;

/// The errors at the next larger angle of the table: near cubes are no fewer than there.
AccelerationErrors errors_of(const ErrorTable& table, double angle, int order) {
    std::size_t row = 0;
    while (row + 1 < table.size() && table[row + 1].angle >= angle) {
        ++row;
    }
    const auto place = static_cast<std::size_t>(order - 1);
    return {spread * table[row].medians[place], spread * table[row].p99s[place]};
}

} // namespace

std::span<const CartesianChoice> cartesian_choices(CartesianSeparation separation) {
    if (separation == CartesianSeparation::by_share) {
        return by_share;
    }
    return by_one_theta;
}

AccelerationErrors cartesian_error(int order, double theta, double heavy) {
    constexpr double smallest = by_theta.back().angle;
    // beyond the last, like the first term left out: the gradient of degree p + 1
    const double smaller = theta < smallest ? std::pow(theta / smallest, order) : 1;
    const AccelerationErrors all = errors_of(by_theta, theta, order);
    AccelerationErrors errors{smaller * all.median, smaller * all.p99};
    if (heavy > 0 && heavy <= by_heavy_theta.front().angle) {
        const AccelerationErrors least = errors_of(by_heavy_theta, heavy, order);
        errors = {std::min(least.median, errors.median), std::min(least.p99, errors.p99)};
    }
    return errors;
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
