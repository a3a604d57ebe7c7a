// SPDX-License-Identifier: BSD-3-Clause
// A kernel of the user's own, with expansions, as a value.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "starfmm/kernels.hpp"

namespace starfmm {

namespace detail {

/// \param epsilon softening length of kernels that have one; unit: the points'
[[nodiscard]] Kernel plugged_in(KernelSet& kernel, double epsilon);

} // namespace detail

/// Returns the kernel K, whose source was added to the program by CMake's starfmm_add_kernel
/// (docs/adding.md). Its components are those of K: a value of one number, of two if it is complex,
/// or of a number and its gradient.
/// \tparam K models PairKernel (core/expansions/expansion.hpp), for near fields and direct sums, or
/// ExpansionKernel, for all
/// \throws InputError for a negative epsilon
template <PairKernel K>
[[nodiscard]] Kernel plug_in(double epsilon = 0) {
    return detail::plugged_in(kernel_set<K>(), epsilon);
}

} // namespace starfmm
