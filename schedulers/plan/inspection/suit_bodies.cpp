// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/suit_bodies.hpp"

#include "core/error.hpp"
#include "core/expansions/cartesian_index.hpp"
#include "schedulers/plan/inspection/pair_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>

namespace starfmm {

namespace {

constexpr Inspection looked_at{2048, 4096};

/// Bodies of usual models leave out up to 1.3 times what spread ones do.
constexpr double most_left_out = 2;

/// Mean square over directions of the gradient that order p leaves out of 1 / |y - x|, in units of
/// 1 / d^2: of degree n it is n rate^(2n - 2), since r^n P_n is harmonic.
/// \param rate2 square of the points' distances from their centres, added, over that of the centres
double square_left_out(int p, double rate2) {
    return (p + 1 + rate2 / (1 - rate2)) * std::pow(rate2, p) / (1 - rate2);
}

/// Of a point anywhere in a cube: the square of its distance from the centre, in sides.
double spread_square(std::mt19937& random) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double x = static_cast<double>(random()) * 0x1p-32 - 0.5;
        square += x * x;
    }
    return square;
}

} // namespace

double
left_out_of_bodies(const PointsRef& points, int roots, const CartesianChoice& choice, int rule) {
    PairSample sample(points, points, roots, looked_at);
    sample.meet(choice.theta);
    std::mt19937 random(1); // the same choice for the same bodies
    double of_bodies = 0;
    double of_spread = 0;
    // each pair by its own force: a few close ones would hide all others
    for (const FarPair& pair : sample.far()) {
        const double spread =
            (spread_square(random) + spread_square(random)) / static_cast<double>(pair.distance2);
        of_bodies += square_left_out(choice.order, pair.source2 + pair.target2);
        of_spread += square_left_out(rule, spread);
    }
    return of_spread > 0 ? std::sqrt(of_bodies / of_spread) : 0;
}

CartesianChoice suit_bodies(
    const PointsRef& points,
    int roots,
    const AccelerationErrors& most,
    const CartesianChoice& rule,
    bool may_lower_theta
) {
    for (const double theta : cartesian_thetas()) {
        const bool is_asked = theta == rule.theta || !may_lower_theta;
        if (!is_asked && theta > rule.theta) {
            continue;
        }
        CartesianChoice choice{is_asked ? rule.theta : theta, 0, rule.heavy};
        const int first = cartesian_order(most, choice.theta, choice.heavy);
        for (choice.order = first; choice.order <= largest_cartesian_order; ++choice.order) {
            if (left_out_of_bodies(points, roots, choice, first) <= most_left_out) {
                return choice;
            }
        }
        if (!may_lower_theta) {
            break;
        }
    }
    std::ostringstream message;
    message.precision(2);
    message << "tolerance = " << most.median << ": with theta " << rule.theta << " no order up to "
            << largest_cartesian_order
            << " serves bodies that lie upon the corners of an octree's cubes: use a larger "
               "tolerance, or an order of your own";
    throw InputError(message.str());
}

} // namespace starfmm
