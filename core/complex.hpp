// SPDX-License-Identifier: BSD-3-Clause
// A complex number over any arithmetic type: double, float, or a SIMD batch of either.
#pragma once

#include "core/host_device.hpp"

namespace starfmm {

/// A complex number `re + i im`. Unlike std::complex it works in device code and over SIMD batches,
/// and its product has no NaN recovery: inputs are checked for finiteness once, at the API
/// boundary.
template <class T>
struct Complex {
    T re;
    T im;

    Complex() = default;

    // NOLINTNEXTLINE(modernize-pass-by-value): numbers, but where operations are noted as text
    STARFMM_HOST_DEVICE constexpr Complex(T real, T imaginary) : re(real), im(imaginary) {}

    STARFMM_HOST_DEVICE constexpr explicit Complex(T real) : re(real), im(T(0)) {}

    STARFMM_HOST_DEVICE constexpr Complex& operator+=(const Complex& b) {
        re = re + b.re;
        im = im + b.im;
        return *this;
    }

    STARFMM_HOST_DEVICE constexpr Complex& operator-=(const Complex& b) {
        re = re - b.re;
        im = im - b.im;
        return *this;
    }
};

template <class T>
STARFMM_HOST_DEVICE constexpr Complex<T> operator+(const Complex<T>& a, const Complex<T>& b) {
    return {a.re + b.re, a.im + b.im};
}

template <class T>
STARFMM_HOST_DEVICE constexpr Complex<T> operator-(const Complex<T>& a, const Complex<T>& b) {
    return {a.re - b.re, a.im - b.im};
}

template <class T>
STARFMM_HOST_DEVICE constexpr Complex<T> operator-(const Complex<T>& a) {
    return {-a.re, -a.im};
}

template <class T>
STARFMM_HOST_DEVICE constexpr Complex<T> operator*(const Complex<T>& a, const Complex<T>& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T>
STARFMM_HOST_DEVICE constexpr Complex<T> operator*(const T& a, const Complex<T>& b) {
    return {a * b.re, a * b.im};
}

template <class T>
STARFMM_HOST_DEVICE constexpr Complex<T> conj(const Complex<T>& a) {
    return {a.re, -a.im};
}

template <class T>
STARFMM_HOST_DEVICE constexpr T norm(const Complex<T>& a) {
    return a.re * a.re + a.im * a.im;
}

/// Returns 1 / a, for `a != 0` with `|a|^2` representable.
template <class T>
STARFMM_HOST_DEVICE constexpr Complex<T> reciprocal(const Complex<T>& a) {
    const T scale = T(1) / norm(a);
    return {a.re * scale, -(a.im * scale)};
}

} // namespace starfmm
