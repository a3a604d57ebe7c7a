// SPDX-License-Identifier: BSD-3-Clause
// How a kernel's potentials change where all lengths are multiplied by one factor.
#pragma once

#include <cstdint>

namespace starfmm {

/// How a kernel scales with the unit of length. G(d) is the potential of a unit strength, as a
/// function of the difference d of two points.
struct ScalingLaw {
    enum class Form : std::uint8_t {
        unknown,     ///< nothing is known
        homogeneous, ///< G(s d) = s^degree G(d)
        logarithmic  ///< G(s d) = G(d) + log(s)
    };

    Form form = Form::unknown;
    int degree = 0;

    static constexpr ScalingLaw homogeneous(int degree) { return {Form::homogeneous, degree}; }

    static constexpr ScalingLaw logarithmic() { return {Form::logarithmic, 0}; }
};

/// What kernel `K` says of itself.
template <class K>
constexpr ScalingLaw scaling_law() {
    if constexpr (requires { K::scaling; }) {
        return K::scaling;
    } else {
        return {};
    }
}

} // namespace starfmm
