// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose operators can be written down: those without a parameter, and those whose parameter
// may be a number that writes down what is done to it. The parameter is then an argument of what is
// written, which serves all its values.
#pragma once

#include "codelets/opencl/traced.hpp"
#include "core/expansions/kernel_parameters.hpp"

#include <concepts>

namespace starfmm {

namespace detail {

template <class K>
struct WithTracedParameter {};

/// The kernel whose parameter, of type `P` = `R`, is a traced one.
template <template <class, class> class K, class R>
struct WithTracedParameter<K<R, R>> {
    using type = K<R, Traced<R>>;
};

} // namespace detail

template <class K>
using TracedKernel = typename detail::WithTracedParameter<K>::type;

template <class K>
concept TraceableParameter = ParametricKernel<K> &&
    requires(const K& kernel, const Traced<typename K::Real>& parameter) {
    { kernel.parameter() } -> std::convertible_to<typename K::Real>;
    TracedKernel<K>(parameter);
};

template <class K>
concept TraceableKernel = !ParametricKernel<K> || TraceableParameter<K>;

/// Returns the kernel whose operators are to be called. What is written names the parameter
/// `parameter`.
template <TraceableKernel K>
auto traced_kernel(TracedStatements& statements) {
    if constexpr (ParametricKernel<K>) {
        return TracedKernel<K>(Traced<typename K::Real>(statements, "parameter"));
    } else {
        return K{};
    }
}

/// Returns the value of `parameter`; 0 for kernels that have none.
template <TraceableKernel K>
double traced_parameter([[maybe_unused]] const KernelParameters& parameters) {
    if constexpr (ParametricKernel<K>) {
        return K::of(parameters).parameter();
    } else {
        return 0;
    }
}

} // namespace starfmm
