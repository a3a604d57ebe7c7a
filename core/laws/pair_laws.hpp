// SPDX-License-Identifier: BSD-3-Clause
// The shipped pairwise laws of near fields.
#pragma once

#include "core/expansions/kernels2d.hpp"
#include "core/host_device.hpp"
#include "core/laws/gravity.hpp"
#include "core/laws/pair_law.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace starfmm {

/// The pairs of a kernel.
template <MutualKernel K>
struct KernelLaw {
    using Real = typename K::Real;
    static constexpr int dimension = dimension_of<K>;
    static constexpr int n_values = n_value_components<K>;
    static constexpr std::string_view name = K::name;

    static constexpr std::array<int, n_values> parity = [] {
        std::array<int, n_values> all{};
        all.fill(has_gradient<K> ? -K::parity : K::parity);
        all[0] = K::parity;
        return all;
    }();

    template <class T>
    STARFMM_HOST_DEVICE static std::array<T, n_values> pair(const std::array<T, dimension>& d) {
        const auto value = K::pair(make_position<dimension>([&](int i) { return d[i]; }));
        std::array<T, n_values> components{};
        visit_components(value, [&](int c, const T& part) { components[c] = part; });
        return components;
    }
};

/// 1 / (z_j - z_i) [GE12 Eq 5.1]: real and imaginary part.
template <class R>
using HarmonicLaw = KernelLaw<Harmonic<R, false>>;

/// log|z_i - z_j|
template <class R>
using LogLaw = KernelLaw<Log<R>>;

/// Unsoftened gravity between unit masses where G = 1 [MTM13 Eq 1]: 1 / |d|, then d / |d|^3, which
/// is both the acceleration and the gradient of 1 / |d| at the target.
template <class T>
STARFMM_HOST_DEVICE std::array<T, 4> attraction(const std::array<T, 3>& d) {
    Vector3<T> acceleration{T(0), T(0), T(0)};
    const T potential =
        attract<Closeness::any>(Vector3<T>{d[0], d[1], d[2]}, T(1), T(0), acceleration);
    return {potential, acceleration.x, acceleration.y, acceleration.z};
}

/// Laplace's kernel in space, 1 / |d|.
template <class R>
struct LaplaceLaw {
    using Real = R;
    static constexpr int dimension = 3;
    static constexpr int n_values = 1;
    static constexpr std::string_view name = "laplace";
    static constexpr std::array<int, 1> parity{1};

    template <class T>
    STARFMM_HOST_DEVICE static std::array<T, 1> pair(const std::array<T, 3>& d) {
        return {attraction(d)[0]};
    }
};

/// d / |d|^3: accelerations, or the gradient of LaplaceLaw at the target.
template <class R>
struct GravityLaw {
    using Real = R;
    static constexpr int dimension = 3;
    static constexpr int n_values = 3;
    static constexpr std::string_view name = "gravity";
    static constexpr std::array<int, 3> parity{-1, -1, -1};

    template <class T>
    STARFMM_HOST_DEVICE static std::array<T, 3> pair(const std::array<T, 3>& d) {
        const std::array<T, 4> all = attraction(d);
        return {all[1], all[2], all[3]};
    }
};

/// LaplaceLaw and its gradient at the target.
template <class R>
struct LaplaceGradientLaw {
    using Real = R;
    static constexpr int dimension = 3;
    static constexpr int n_values = 4;
    static constexpr std::string_view name = "laplace_gradient";
    static constexpr std::array<int, 4> parity{1, -1, -1, -1};

    template <class T>
    STARFMM_HOST_DEVICE static std::array<T, 4> pair(const std::array<T, 3>& d) {
        return attraction(d);
    }
};

} // namespace starfmm
