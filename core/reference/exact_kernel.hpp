// SPDX-License-Identifier: BSD-3-Clause
// Any kernel's pairs in extended precision, by the kernel's own pair function.
#pragma once

#include "core/expansions/expansion.hpp"
#include "core/expansions/kernel_parameters.hpp"
#include "core/expansions/values.hpp"

namespace starfmm {

/// What direct sums in extended precision need to know of a kernel.
struct ExactKernel {
    using Real = long double; // its range makes squares of all doubles representable

    int dimension; ///< of points
    int n_values;  ///< real components of a value, at most most_components
    bool complex_strength;
    /// Writes the value of one pair, zero if both points coincide and nothing softens them.
    /// \param target,source [dimension]
    /// \param strength [2] if complex, else [1]
    void (*pair
    )(const KernelParameters& parameters,
      const Real* target,
      const Real* source,
      const Real* strength,
      Real* value);
    KernelParameters parameters{};
};

namespace detail {

template <int D>
Position<D, ExactKernel::Real> exact_position(const ExactKernel::Real* x) {
    if constexpr (D == 2) {
        return {x[0], x[1]};
    } else {
        return {x[0], x[1], x[2]};
    }
}

template <ExpansionKernel K>
void exact_pair(
    const KernelParameters& parameters,
    const ExactKernel::Real* target,
    const ExactKernel::Real* source,
    const ExactKernel::Real* strength,
    ExactKernel::Real* value
) {
    using Real = ExactKernel::Real;
    constexpr int D = starfmm::dimension_of<K>;
    typename K::template Strength<Real> q{};
    visit_components(q, [strength](int c, Real& component) { component = strength[c]; });
    const auto found =
        kernel_of<K>(parameters).p2p(exact_position<D>(target), exact_position<D>(source), q);
    visit_components(found, [value](int c, const Real& component) { value[c] = component; });
}

} // namespace detail

/// \param epsilon softening length, of kernels that have one; unit: the points'
template <ExpansionKernel K>
[[nodiscard]] ExactKernel exact_kernel(double epsilon = 0) {
    return {
        dimension_of<K>,
        n_value_components<K>,
        has_complex_strength<K>,
        detail::exact_pair<K>,
        parameters_of<K>(epsilon)};
}

} // namespace starfmm
