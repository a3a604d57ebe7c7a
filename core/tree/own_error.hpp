// SPDX-License-Identifier: BSD-3-Clause
// Separation by what a pair of boxes leaves out of its targets' own fields: the criterion of [D14],
// relative to each body's acceleration.
//
// For a target within rho of the centre of its box, a source box of mass M, R away, leaves out
// about
//
//     sum_k binomial(p, k) P_k rho^(p - k) / R^(p + 2),   P_k = sum m |x|^k about its centre.
//
// P_k <= M s^k with s = (P_p / M)^(1/p), by Lyapunov's inequality: that is no more than
// M (s + rho)^p / R^(p + 2), which must not exceed a share of the least field of the box's targets.
// With (s + rho)^e taken for 2^(e - 1) (s^e + rho^e), e = p / (p + 2), two numbers a box decide:
// the same for equal sizes, else less, so that up to four times that share is left out.
#pragma once

#include "core/host_device.hpp"

#include <cmath>
#include <limits>

namespace starfmm {

/// Which separations own fields allow, beside theta. Masses are counted in the mass of all sources,
/// lengths in the tasks' unit, fields accordingly.
struct OwnErrorSeparation {
    double error = 0; ///< most that a pair leaves out, relative to the field, (0, 1); 0: anything
    int order = 1;    ///< order of the expansions, >= 1
    double per_mass = 0;         ///< factor of the user's masses
    double per_potential = 0;    ///< factor of sums over 1/r
    double per_acceleration = 0; ///< factor of sums over 1/r^2

    [[nodiscard]] STARFMM_HOST_DEVICE bool varies() const { return error > 0; }

    /// Exponent of a share that a distance depends on.
    [[nodiscard]] STARFMM_HOST_DEVICE double power() const { return 1.0 / (order + 2); }
};

/// Least that the attractions on a body, sum m / r^2, can amount to: |acceleration|, but where they
/// cancel no less than the square of sum m / r, by Cauchy's inequality.
STARFMM_HOST_DEVICE inline double least_field(double potential, double acceleration) {
    const double by_potential = potential * potential;
    return acceleration > by_potential ? acceleration : by_potential;
}

/// x^n, n >= 0.
STARFMM_HOST_DEVICE inline double integer_power(double x, int n) {
    double power = 1;
    for (; n > 0; --n) {
        power *= x;
    }
    return power;
}

/// Sums over a box's bodies, about its centre, from which its BoxPowers follow.
struct PowerSums {
    double mass = 0;
    double power = 0;                                       ///< P_p
    double extent = 0;                                      ///< distance of the farthest
    double field = std::numeric_limits<double>::infinity(); ///< the least
    double length = 0;                                      ///< the largest of bodies' own

    STARFMM_HOST_DEVICE void add(const PowerSums& other) {
        mass += other.mass;
        power += other.power;
        extent = other.extent > extent ? other.extent : extent;
        field = other.field < field ? other.field : field;
        length = other.length > length ? other.length : length;
    }
};

/// What a box is to separations by own error.
struct BoxPowers {
    double mass = 0;
    double size = 0; ///< s
    double extent = 0;
    double field = std::numeric_limits<double>::infinity();
    double length = 0;

    BoxPowers() = default;

    STARFMM_HOST_DEVICE BoxPowers(const PowerSums& sums, int order)
        : mass(sums.mass), size(sums.mass > 0 ? std::pow(sums.power / sums.mass, 1.0 / order) : 0),
          extent(sums.extent), field(sums.field), length(sums.length) {}

    /// Seen from `distance` away, by Minkowski's inequality, where no body is farther off than that
    /// and its distance together.
    [[nodiscard]] STARFMM_HOST_DEVICE PowerSums from(double distance, int order) const {
        return {
            mass, mass * integer_power(distance + size, order), distance + extent, field, length};
    }
};

/// What separations learn of a box from its bodies: the sizes with which it enters the criterion of
/// own errors, as source and as target, which are factors of the distance to the other box, and the
/// largest length of a body, up to which no other box is well separated.
struct OwnReach {
    double source = 0;      ///< mass^(1 / (p + 2))
    double source_size = 0; ///< 2^(e - 1) s^e
    double target = 0;      ///< (share of the field)^(-1 / (p + 2))
    double target_size = 0; ///< 2^(e - 1) rho^e
    double length = 0;

    OwnReach() = default;

    STARFMM_HOST_DEVICE OwnReach(const BoxPowers& box, const OwnErrorSeparation& rule)
        : length(box.length) {
        if (!rule.varies()) {
            return;
        }
        constexpr double least = 1e-300; // fields of zero keep products finite
        const double power = rule.power();
        const double of_lengths = rule.order * power;
        const double half = std::pow(2.0, of_lengths - 1);
        const double most = rule.error * box.field;
        source = std::pow(box.mass, power);
        source_size = half * std::pow(box.size, of_lengths);
        target = std::pow(most > least ? most : least, -power);
        target_size = half * std::pow(box.extent, of_lengths);
    }
};

/// Whether boxes are far enough from each other.
/// \param source_reach, source_size of OwnReach, by which targets meet several boxes
template <class T>
STARFMM_HOST_DEVICE auto are_apart_by_own_error(
    const T& source_reach, const T& source_size, const OwnReach& target, const T& square_distance
) {
    const T reach = T(target.target) * source_reach * (source_size + T(target.target_size));
    return reach * reach <= square_distance;
}

} // namespace starfmm
