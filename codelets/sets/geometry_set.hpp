// SPDX-License-Identifier: BSD-3-Clause
// The shipped geometry codelets, instantiated in the library of each number of dimensions.
#pragma once

#include "codelets/sets/kernel_set.hpp"

namespace starfmm {

template <int D>
GeometrySet& geometry_set() {
    const auto of = [](auto backend) {
        return geometry_bodies<D, typename decltype(backend)::type>();
    };
    // points and boxes are in double in any precision
    static GeometrySet set(
        D == 2 ? "double" : "double_3d", with_best_isa(of), with_cuda_if_any(of)
    );
    return set;
}

} // namespace starfmm
