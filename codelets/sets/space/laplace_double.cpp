// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the Laplace kernels of space in double precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/kernels3d.hpp"

namespace starfmm {

using OfPotentials = PointOperators<Laplace<double>>; // of mixed kernels, too
using OfGradients = PointOperators<LaplaceGradient<double>>;

template KernelBodies kernel_bodies<Laplace<double>, CurrentBackend>();
template KernelBodies kernel_bodies<LaplaceGradient<double>, CurrentBackend>();

template <>
OfPotentials::Bodies bodies<OfPotentials, CurrentBackend>() {
    return OfPotentials::compiled<CurrentBackend>();
}

template <>
OfGradients::Bodies bodies<OfGradients, CurrentBackend>() {
    return OfGradients::compiled<CurrentBackend>();
}

} // namespace starfmm
