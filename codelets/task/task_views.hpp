// SPDX-License-Identifier: BSD-3-Clause
// What lies inside the arrays that tasks exchange: the one place that knows their layout.
#pragma once

#include "codelets/task/operator.hpp"
#include "core/complex.hpp"
#include "core/expansions/expansion.hpp"
#include "core/host_device.hpp"
#include "core/tree/geometry.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

template <class T>
T* buffer_data(void* buffer) {
    return reinterpret_cast<T*>(static_cast<starpu_vector_interface*>(buffer)->ptr);
}

inline std::size_t buffer_size(void* buffer) {
    return static_cast<starpu_vector_interface*>(buffer)->nx;
}

/// Positions of a group's points in tree order: all x, then all y. Unit: the user's. Double in any
/// precision: what operators compute with are differences of points near each other.
struct PointView {
    double* x = nullptr;
    double* y = nullptr;

    static PointView of(void* buffer) {
        auto* data = buffer_data<double>(buffer);
        return {data, data + buffer_size(buffer) / 2};
    }

    STARFMM_HOST_DEVICE Complex<double> operator[](std::size_t i) const { return {x[i], y[i]}; }
};

/// Frames of a subtree's boxes: all centre x, all centre y, all radii; radius -1 marks a box
/// without points. Double in any precision, as positions are.
struct BoxView {
    double* x = nullptr;
    double* y = nullptr;
    double* radius = nullptr;

    static BoxView of(void* buffer) {
        auto* data = buffer_data<double>(buffer);
        const std::size_t n = buffer_size(buffer) / 3;
        return {data, data + n, data + 2 * n};
    }

    /// The disc as the separation criterion sees it.
    STARFMM_HOST_DEVICE Frame<double> disc(std::size_t box) const {
        return {{x[box], y[box]}, radius[box]};
    }

    STARFMM_HOST_DEVICE void set(std::size_t box, const Frame<double>& disc) const {
        x[box] = disc.centre.re;
        y[box] = disc.centre.im;
        radius[box] = disc.radius;
    }
};

/// The frame in which a box's expansions are written.
/// \tparam Real of the expansions, which bounds how small a radius may scale them
template <class Real>
STARFMM_HOST_DEVICE Frame<double> expansion_frame(const BoxView& boxes, std::size_t box) {
    constexpr auto smallest = smallest_radius<Real>();
    const Frame<double> disc = boxes.disc(box);
    return {disc.centre, disc.radius < smallest ? smallest : disc.radius};
}

/// Strengths of a group's sources in tree order: real parts, then, if complex, imaginary parts.
template <class K>
struct StrengthView {
    using Real = typename K::Real;
    Real* re = nullptr;
    Real* im = nullptr;

    static StrengthView of(void* buffer) {
        Real* data = buffer_data<Real>(buffer);
        return {data, has_complex_strength<K> ? data + buffer_size(buffer) / 2 : nullptr};
    }

    STARFMM_HOST_DEVICE typename K::template Strength<Real> operator[](std::size_t i) const {
        if constexpr (has_complex_strength<K>) {
            return {re[i], im[i]};
        } else {
            return re[i];
        }
    }
};

/// Near or far results of a group's targets in tree order, component by component: real parts, then
/// imaginary parts, if complex; potentials, then gradients' x and y, if there are.
template <class K>
struct ValueView {
    using Real = typename K::Real;
    using Value = typename K::template Value<Real>;
    static constexpr int n = n_value_components<K>;
    Real* of_component[n] = {};

    static ValueView of(void* buffer) {
        ValueView view;
        for (int c = 0; c < n; ++c) {
            view.of_component[c] = buffer_data<Real>(buffer) + c * (buffer_size(buffer) / n);
        }
        return view;
    }

    STARFMM_HOST_DEVICE Value operator[](std::size_t i) const {
        Value value{};
        visit_components(value, [&](int c, Real& part) { part = of_component[c][i]; });
        return value;
    }

    STARFMM_HOST_DEVICE void set(std::size_t i, const Value& value) const {
        visit_components(value, [&](int c, const Real& part) { of_component[c][i] = part; });
    }

    STARFMM_HOST_DEVICE void add(std::size_t i, const Value& value) const {
        visit_components(value, [&](int c, const Real& part) { of_component[c][i] += part; });
    }
};

/// First target of each leaf of a group, counted from the group's first target, and one past the
/// last.
using TargetOffsets = const std::uint32_t*;

/// One median split: points with (coordinate[direction], index) below the plane's go to the lower
/// half.
struct SplitPlane {
    double value;
    std::uint32_t direction;
};

/// Position of a node in the array of planes of a task that splits `depth` deep: root first.
STARFMM_HOST_DEVICE constexpr std::size_t plane_index(int depth, std::size_t node) {
    return (std::size_t(1) << depth) - 1 + node;
}

} // namespace starfmm
