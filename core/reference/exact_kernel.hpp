// SPDX-License-Identifier: BSD-3-Clause
// Direct sums of any kernel in extended precision, by the kernel's own pair function.
#pragma once

#include "core/expansions/expansion.hpp"
#include "core/expansions/kernel_parameters.hpp"
#include "core/expansions/values.hpp"
#include "core/particles/points.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace starfmm {

/// The exact value of one target, summed up.
struct ExactSum {
    using Real = long double; // its range makes squares of all doubles representable
    using Components = std::array<Real, most_components>;

    Components re{};             ///< what real parts of strengths make, or complex strengths
    Components im{};             ///< what imaginary parts make, with kernels of real strengths
    Real magnitude = 0;          ///< sum of the magnitudes of potentials
    Real gradient_magnitude = 0; ///< sum of the magnitudes of gradients
};

/// What direct sums in extended precision need to know of a kernel.
struct ExactKernel {
    using Real = ExactSum::Real;

    int dimension; ///< of points
    int n_values;  ///< real components of a value, at most most_components
    /// Sums over all sources but those at the target's place, unless something softens them.
    /// \param target [dimension]
    ExactSum (*sum
    )(const KernelParameters& parameters,
      const Real* target,
      const PointsRef& sources,
      const StrengthsRef& strengths);
    KernelParameters parameters{};
};

namespace detail {

template <int D, class Coordinate>
Position<D, ExactKernel::Real> exact_position(const Coordinate& coordinate) {
    if constexpr (D == 2) {
        return {coordinate(0), coordinate(1)};
    } else {
        return {coordinate(0), coordinate(1), coordinate(2)};
    }
}

/// Squares of a value's parts.
struct PartSquares {
    ExactKernel::Real potential = 0;
    ExactKernel::Real gradient = 0;
};

/// Adds a value to its sum, and the squares of its parts to `squares`.
template <class V>
void add_exactly(const V& value, ExactSum::Components& sum, PartSquares& squares) {
    using Real = ExactKernel::Real;
    constexpr int n_of_potential = is_complex_value<V> ? 2 : 1;
    visit_components(value, [&](int c, const Real& component) {
        sum[c] += component;
        (c < n_of_potential ? squares.potential : squares.gradient) += component * component;
    });
}

template <PairKernel K>
ExactSum exact_sum(
    const KernelParameters& parameters,
    const ExactKernel::Real* at,
    const PointsRef& sources,
    const StrengthsRef& strengths
) {
    using Real = ExactKernel::Real;
    constexpr int D = starfmm::dimension_of<K>;
    const K kernel = kernel_of<K>(parameters);
    const auto target = exact_position<D>([at](int d) { return at[d]; });
    const bool is_complex = strengths.is_complex();
    ExactSum sum;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const auto source = exact_position<D>([&](int d) { return Real(sources.x[d][j]); });
        const Real re = strengths.re[j];
        const Real im = is_complex ? strengths.im[j] : 0;
        PartSquares squares;
        if constexpr (has_complex_strength<K>) {
            add_exactly(kernel.p2p(target, source, Complex<Real>{re, im}), sum.re, squares);
        } else {
            add_exactly(kernel.p2p(target, source, re), sum.re, squares);
            if (is_complex) {
                add_exactly(kernel.p2p(target, source, im), sum.im, squares);
            }
        }
        sum.magnitude += std::sqrt(squares.potential);
        sum.gradient_magnitude += std::sqrt(squares.gradient);
    }
    return sum;
}

} // namespace detail

/// \param epsilon softening length, of kernels that have one; unit: the points'
template <PairKernel K>
[[nodiscard]] ExactKernel exact_kernel(double epsilon = 0) {
    return {
        dimension_of<K>, n_value_components<K>, detail::exact_sum<K>, parameters_of<K>(epsilon)};
}

} // namespace starfmm
