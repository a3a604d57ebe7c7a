// SPDX-License-Identifier: BSD-3-Clause
// User-side input and output of a sum: structure of arrays, in the user's order.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// Positions in D dimensions, one array per coordinate, all of the same length.
template <int D>
struct Points {
    std::array<std::vector<double>, D> x; ///< x[d][i]: coordinate d of point i

    [[nodiscard]] std::size_t size() const { return x[0].size(); }
};

/// A view of points of any number of dimensions, which must outlive it.
struct PointsRef {
    std::span<const std::vector<double>> x;

    template <int D>
    PointsRef(const Points<D>& points) : x(points.x) {} // NOLINT(*-explicit-*): a view

    explicit PointsRef(std::span<const std::vector<double>> coordinates) : x(coordinates) {}

    [[nodiscard]] std::size_t size() const { return x[0].size(); }

    [[nodiscard]] int dimension() const { return static_cast<int>(x.size()); }
};

/// Points of a number of dimensions that is known when the program runs.
struct AnyPoints {
    std::vector<std::vector<double>> x; ///< an array a dimension; empty: no points of any

    AnyPoints() = default;

    template <int D>
    AnyPoints(Points<D> points) // NOLINT(*-explicit-*): the same points
        : x(std::make_move_iterator(points.x.begin()), std::make_move_iterator(points.x.end())) {}

    [[nodiscard]] std::size_t size() const { return x.empty() ? 0 : x[0].size(); }

    operator PointsRef() const { return PointsRef(x); } // NOLINT(*-explicit-*): a view
};

/// Names of coordinates, in messages.
inline constexpr std::array<const char*, 3> coordinate_names{"x", "y", "z"};

/// Strengths of the sources: real (`im` empty) or complex (`im` of the length of `re`).
struct Strengths {
    std::vector<double> re;
    std::vector<double> im;

    [[nodiscard]] std::size_t size() const { return re.size(); }

    [[nodiscard]] bool is_complex() const { return !im.empty(); }
};

/// Results in the user's order of the targets: real potentials (`im` empty) or complex ones, and
/// the gradients of real ones, if the kernel gives them.
struct Potentials {
    std::vector<double> re;
    std::vector<double> im;
    std::array<std::vector<double>, 3> gradient{}; ///< gradient[d][i]: derivative by coordinate d

    [[nodiscard]] std::size_t size() const { return re.size(); }
};

/// The arrays of a result's real components; null beyond them.
/// \param n_components 1, 2 for complex potentials, 3 or 4 for real ones with gradients
inline std::array<std::vector<double>*, 4> results_of(Potentials& potentials, int n_components) {
    std::array<std::vector<double>*, 4> results{&potentials.re};
    if (n_components == 2) {
        results[1] = &potentials.im;
    }
    for (int c = 1; n_components >= 3 && c < n_components; ++c) {
        results[c] = &potentials.gradient[c - 1];
    }
    return results;
}

/// Largest magnitude of a coordinate or strength where nothing scales them: squares of distances
/// must stay finite.
/// \param single whether arithmetic is in single precision
constexpr double max_magnitude(bool single) {
    return single ? 1e17 : 1e150;
}

/// \throws InputError naming `what` and the first index whose value is not finite or exceeds
/// `limit`.
void check_finite(std::span<const double> values, const std::string& what, double limit);

/// Copies `size` values by several cores.
void copy_values(const double* values, std::size_t size, double* out);

/// \throws InputError if coordinate arrays differ in length, or as check_finite does.
template <int D>
void check_points(const Points<D>& points, const std::string& what, double limit);

} // namespace starfmm
