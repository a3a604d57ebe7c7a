// SPDX-License-Identifier: BSD-3-Clause
// User-side input and output of a sum: structure of arrays, in the user's order.
#pragma once

#include <algorithm>
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

/// A view of points of up to three dimensions, coordinate by coordinate, which must outlive it.
struct PointsRef {
    /// The arrays of the coordinates.
    class Coordinates {
    public:
        template <class Arrays>
        explicit Coordinates(const Arrays& arrays) : n_(std::size(arrays)) {
            std::copy(std::begin(arrays), std::end(arrays), arrays_.begin());
        }

        [[nodiscard]] std::size_t size() const { return n_; }

        std::span<const double> operator[](std::size_t d) const { return arrays_[d]; }

        [[nodiscard]] const std::span<const double>* begin() const { return arrays_.data(); }

        [[nodiscard]] const std::span<const double>* end() const { return arrays_.data() + n_; }

    private:
        std::array<std::span<const double>, 3> arrays_;
        std::size_t n_;
    };

    Coordinates x; ///< x[d][i]: coordinate d of point i
    /// Lengths of the points, of kernels that have them (has_lengths): the distance up to which a
    /// pair differs from what expansions stand for is the larger of both.
    std::span<const double> lengths{};

    template <int D>
    PointsRef(const Points<D>& points) : x(points.x) {} // NOLINT(*-explicit-*): a view

    explicit PointsRef(std::span<const std::vector<double>> coordinates) : x(coordinates) {}

    explicit PointsRef(std::span<const std::span<const double>> coordinates) : x(coordinates) {}

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

/// A view of strengths, which must outlive it.
struct StrengthsRef {
    std::span<const double> re;
    std::span<const double> im;

    StrengthsRef(const Strengths& strengths) // NOLINT(*-explicit-*): a view
        : re(strengths.re), im(strengths.im) {}

    explicit StrengthsRef(std::span<const double> real, std::span<const double> imaginary = {})
        : re(real), im(imaginary) {}

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

/// Views of the arrays of a result's real components, in this order: potential, or its real and its
/// imaginary part, then the derivatives. Those that a kernel does not have are empty.
inline constexpr std::size_t most_result_arrays = 4;
using ResultsRef = std::array<std::span<double>, most_result_arrays>;

/// The arrays of a result's real components; null beyond them.
/// \param n_components 1, 2 for complex potentials, 3 or 4 for real ones with gradients
inline std::array<std::vector<double>*, most_result_arrays>
results_of(Potentials& potentials, int n_components) {
    std::array<std::vector<double>*, most_result_arrays> results{&potentials.re};
    if (n_components == 2) {
        results[1] = &potentials.im;
    }
    for (int c = 1; n_components >= 3 && c < n_components; ++c) {
        results[c] = &potentials.gradient[c - 1];
    }
    return results;
}

/// Views the arrays of results_of(), which have their sizes.
inline ResultsRef results_ref(Potentials& potentials, int n_components) {
    ResultsRef views;
    const auto arrays = results_of(potentials, n_components);
    for (std::size_t c = 0; c < views.size(); ++c) {
        views[c] = arrays[c] != nullptr ? std::span<double>(*arrays[c]) : std::span<double>();
    }
    return views;
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
