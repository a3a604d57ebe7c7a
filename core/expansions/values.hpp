// SPDX-License-Identifier: BSD-3-Clause
// Values that kernels sum up, of one to four real components.
#pragma once

#include "core/complex.hpp"
#include "core/host_device.hpp"
#include "core/position.hpp"

#include <type_traits>

namespace starfmm {

/// A real potential and its gradient at the target.
template <class T, int D = 2>
struct WithGradient {
    T potential;
    Position<D, T> gradient; ///< derivatives by each coordinate

    STARFMM_HOST_DEVICE WithGradient& operator+=(const WithGradient& other) {
        potential = potential + other.potential;
        gradient += other.gradient;
        return *this;
    }
};

template <class V>
inline constexpr bool is_complex_value = false;
template <class T>
inline constexpr bool is_complex_value<Complex<T>> = true;

template <class V>
inline constexpr bool has_gradient_value = false;
template <class T, int D>
inline constexpr bool has_gradient_value<WithGradient<T, D>> = true;

/// The number of real components of a value.
template <class V>
inline constexpr int n_components_of = is_complex_value<V> ? 2 : 1;
template <class T, int D>
inline constexpr int n_components_of<WithGradient<T, D>> = 1 + D;

/// The most components that any value has.
inline constexpr int most_components = 4;

/// Calls use(c, component) for each component: one `c` a call, so that arrays of components stay in
/// registers.
template <class V, class Use>
STARFMM_HOST_DEVICE void visit_components(V& value, const Use& use) {
    using Plain = std::remove_const_t<V>;
    if constexpr (n_components_of<Plain> == 4) {
        use(0, value.potential);
        use(1, value.gradient.x);
        use(2, value.gradient.y);
        use(3, value.gradient.z);
    } else if constexpr (has_gradient_value<Plain>) {
        use(0, value.potential);
        use(1, value.gradient.re);
        use(2, value.gradient.im);
    } else if constexpr (is_complex_value<Plain>) {
        use(0, value.re);
        use(1, value.im);
    } else {
        use(0, value);
    }
}

/// Returns what a real or complex strength makes of the value of a unit one.
template <class T>
STARFMM_HOST_DEVICE T times(const T& q, const T& value) {
    return q * value;
}

template <class T>
STARFMM_HOST_DEVICE Complex<T> times(const T& q, const Complex<T>& value) {
    return q * value;
}

template <class T>
STARFMM_HOST_DEVICE Complex<T> times(const Complex<T>& q, const Complex<T>& value) {
    return q * value;
}

template <class T, int D>
STARFMM_HOST_DEVICE WithGradient<T, D> times(const T& q, const WithGradient<T, D>& value) {
    return {q * value.potential, q * value.gradient};
}

} // namespace starfmm
