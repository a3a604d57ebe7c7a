// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/gravity_reference.hpp"

#include "core/error.hpp"
#include "core/laws/spline.hpp"
#include "core/reference/check_indices.hpp"
#include "core/reference/error_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace starfmm {

namespace {

using Real = long double; // its range makes cubes of all doubles representable

struct Sum {
    Real a[3] = {0, 0, 0};
    Real potential = 0;
    Real magnitude = 0;
    Real potential_magnitude = 0;
};

/// [MTM13 Eq 1]
Attraction<Real> attract_by_plummer(Real square, Real mass, Real epsilon) {
    const Real softened = square + epsilon * epsilon;
    if (softened == 0) {
        return {0, 0};
    }
    const Real potential = mass / std::sqrt(softened);
    return {potential, potential / softened};
}

/// Where a sum is taken.
struct Place {
    static constexpr std::size_t none = ~std::size_t(0);

    Place(const PointsRef& points, std::size_t i, std::size_t own_body)
        : x{points.x[0][i], points.x[1][i], points.x[2][i]}, own(own_body) {}

    /// The softening length there, with Softening::splines.
    [[nodiscard]] Real epsilon(const Bodies& bodies) const {
        return own == none ? 0 : bodies.epsilon[own];
    }

    Real x[3];
    std::size_t own; ///< the body that is there and does not act on itself; none: of a target
};

/// \param attract called with a squared distance and a body
template <class Attract>
Sum sum_over_others(const Bodies& bodies, const Place& place, const Attract& attract) {
    Sum sum;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
        const Real d[3] = {
            bodies.x[0][j] - place.x[0], bodies.x[1][j] - place.x[1], bodies.x[2][j] - place.x[2]};
        if (j == place.own) {
            continue;
        }
        const Real square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        const auto [potential, factor] = attract(square, j);
        for (int c = 0; c < 3; ++c) {
            sum.a[c] += factor * d[c];
        }
        sum.potential -= potential;
        sum.magnitude += std::abs(factor) * std::sqrt(square);
        sum.potential_magnitude += std::abs(potential);
    }
    return sum;
}

Sum sum_over_others(const Bodies& bodies, const Place& place, const GravityLaw& law) {
    const Real epsilon = law.epsilon;
    const auto mass = [&](std::size_t body) { return Real(bodies.mass[body]); };
    if (law.softening == Softening::spline) {
        const SplineSoftening<Real> spline(spline_radius * epsilon);
        return sum_over_others(bodies, place, [&](Real square, std::size_t body) {
            return spline.attract(square, mass(body));
        });
    }
    if (law.softening == Softening::splines) {
        const Real own = place.epsilon(bodies);
        return sum_over_others(bodies, place, [&](Real square, std::size_t body) {
            const Real longer = std::max(own, Real(bodies.epsilon[body]));
            return SplineSoftening<Real>(spline_radius * longer).attract(square, mass(body));
        });
    }
    return sum_over_others(bodies, place, [&](Real square, std::size_t body) {
        return attract_by_plummer(square, mass(body), epsilon);
    });
}

/// \param place called with the number of a sum for where it is taken
template <class PlaceOf>
GravityReference
sums_at(const Bodies& bodies, const GravityLaw& law, std::size_t n, const PlaceOf& place) {
    const std::vector<long double> zeros(n);
    GravityReference result{{zeros, zeros, zeros}, zeros, zeros, zeros};
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < n; ++i) {
        const Sum sum = sum_over_others(bodies, place(i), law);
        for (int c = 0; c < 3; ++c) {
            result.a[c][i] = law.g * sum.a[c];
        }
        result.potential[i] = law.g * sum.potential;
        result.magnitude[i] = std::abs(law.g) * sum.magnitude;
        result.potential_magnitude[i] = std::abs(law.g) * sum.potential_magnitude;
    }
    return result;
}

/// Accelerations that cancel to less than this share of their parts are judged by it: there is a
/// body in the middle of any lattice.
constexpr Real least_share = 0.01L;

/// Squared distance and squared norm of one body's acceleration.
struct Squares {
    Real error = 0;
    Real norm = 0;
};

Squares squares(
    const Accelerations& results, const GravityReference& exact, std::size_t body, std::size_t i
) {
    Squares result;
    for (int c = 0; c < 3; ++c) {
        const Real error = results.a[c][body] - exact.a[c][i];
        result.error += error * error;
        result.norm += exact.a[c][i] * exact.a[c][i];
    }
    return result;
}

/// \param share share of the values that are smaller, in [0, 1)
double quantile(std::vector<double>& values, double share) {
    if (values.empty()) {
        return 0;
    }
    const auto n = static_cast<double>(values.size());
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * n);
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

} // namespace

GravityReference gravity_reference(
    const Bodies& bodies, const GravityLaw& law, const std::vector<std::size_t>& which
) {
    check_indices(which, bodies.size(), "bodies");
    static_cast<void>(largest_epsilon(bodies, law.softening));
    const PointsRef points(bodies.x);
    return sums_at(bodies, law, which.size(), [&](std::size_t i) {
        return Place(points, which[i], which[i]);
    });
}

GravityReference gravity_reference(
    const Bodies& bodies,
    const PointsRef& targets,
    const GravityLaw& law,
    const std::vector<std::size_t>& which
) {
    check_indices(which, targets.size(), "targets");
    static_cast<void>(largest_epsilon(bodies, law.softening));
    return sums_at(bodies, law, which.size(), [&](std::size_t i) {
        return Place(targets, which[i], Place::none);
    });
}

GravityErrors compare(
    const Accelerations& results,
    const GravityReference& exact,
    const std::vector<std::size_t>& which
) {
    std::vector<double> errors(which.size());
    GravityErrors norms{0, 0, 0, 0, which.size()};
    Squares total;
    for (std::size_t i = 0; i < which.size(); ++i) {
        const Squares one = squares(results, exact, which[i], i);
        const Real scale = std::max(std::sqrt(one.norm), least_share * exact.magnitude[i]);
        errors[i] = error_ratio(std::sqrt(one.error), scale);
        norms.max_rel = std::max(norms.max_rel, errors[i]);
        total.error += one.error;
        total.norm += one.norm;
        if (!results.potential.empty()) {
            const Real error = std::abs(results.potential[which[i]] - exact.potential[i]);
            norms.potential_max_rel =
                std::max(norms.potential_max_rel, error_ratio(error, std::abs(exact.potential[i])));
        }
    }
    norms.l2_rel = error_ratio(std::sqrt(total.error), std::sqrt(total.norm));
    norms.median_rel = quantile(errors, 0.5);
    norms.p99_rel = quantile(errors, 0.99);
    return norms;
}

} // namespace starfmm
