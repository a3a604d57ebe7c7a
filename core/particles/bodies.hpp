// SPDX-License-Identifier: BSD-3-Clause
// Point masses, what gravity does to them, and units in which no number is large.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// Point masses in the user's order and units.
struct Bodies {
    std::array<std::vector<double>, 3> x; ///< x[d][i]: coordinate d of body i
    std::vector<double> mass;             ///< masses of any sign; 0: a test body
    std::vector<double> epsilon{};        ///< softening lengths, of Softening::splines; else empty

    [[nodiscard]] std::size_t size() const { return mass.size(); }
};

/// A view of bodies, which must outlive it.
struct BodiesRef {
    std::array<std::span<const double>, 3> x;
    std::span<const double> mass;
    std::span<const double> epsilon{};

    BodiesRef() = default;

    BodiesRef(const Bodies& bodies) // NOLINT(*-explicit-*): a view
        : x{bodies.x[0], bodies.x[1], bodies.x[2]}, mass(bodies.mass), epsilon(bodies.epsilon) {}

    [[nodiscard]] std::size_t size() const { return mass.size(); }
};

/// Results in the order of the bodies, or of targets.
struct Accelerations {
    std::array<std::vector<double>, 3> a; ///< a[d][i]: component d of body i's acceleration
    /// Potential at each body, without its own mass, or at each target; empty: not asked for.
    std::vector<double> potential;

    [[nodiscard]] std::size_t size() const { return a[0].size(); }
};

/// A view of results, which must outlive it.
struct AccelerationsRef {
    std::array<std::span<double>, 3> a;
    std::span<double> potential;

    AccelerationsRef() = default;

    AccelerationsRef(Accelerations& results) // NOLINT(*-explicit-*): a view
        : a{results.a[0], results.a[1], results.a[2]}, potential(results.potential) {}

    [[nodiscard]] std::size_t size() const { return a[0].size(); }
};

/// What the bodies are within epsilon of each other: points are the limit of both.
enum class Softening {
    plummer, ///< Plummer's model, which is softer at any distance [MTM13 Eq 1]
    spline,  ///< balls of a cubic spline, Newton's points beyond 2.8 epsilon (core/laws/spline.hpp)
    splines  ///< the same with Bodies::epsilon: a pair has the larger one, at a target the source's
};

/// Powers of two that scaling by is exact.
struct GravityUnits {
    double length = 1; ///< at least every coordinate's magnitude, and epsilon
    double mass = 1;   ///< at least every mass's magnitude
};

/// Smallest power of two that is at least `largest`; 1 for 0.
[[nodiscard]] double unit_of(double largest);

/// Largest of some lengths; 0 of none.
/// \throws InputError naming `what` and the first that is not in [0, 1e150]
[[nodiscard]] double largest_length(std::span<const double> lengths, const std::string& what);

/// Largest of the bodies' own softening lengths; 0 where there are none.
/// \throws InputError unless bodies have as many as masses, in [0, 1e150], with Softening::splines,
/// and none with another softening
[[nodiscard]] double largest_epsilon(const BodiesRef& bodies, Softening softening);

/// Units for these bodies; those of several sets of bodies are the larger of each. O(N).
/// \throws InputError if arrays differ in length, or a value is not finite or exceeds 1e150
[[nodiscard]] GravityUnits gravity_units(const BodiesRef& bodies, double epsilon);

/// How sums over all other bodies become potentials and accelerations.
struct SumFactors {
    double potential;
    double acceleration;
};

/// Multiplies sums by the factors. O(n)
void scale_sums(const SumFactors& factors, const AccelerationsRef& out);

} // namespace starfmm
