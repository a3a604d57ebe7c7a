// SPDX-License-Identifier: BSD-3-Clause
// The time of a direct sum as a model of the machine predicts it [MTM13 sec. 6].
#pragma once

#include "core/options.hpp"

#include <cstddef>

namespace starfmm {

/// A device as the model sees it. On CPUs a multiprocessor is a core, and its lanes are those of
/// SIMD.
struct GravityMachine {
    double clock = 1e9;                 ///< cycles per second
    std::size_t multiprocessors = 1;    ///< N_SM
    std::size_t lanes = 1;              ///< N_core, pairs that a multiprocessor works on at once
    std::size_t block_targets = 1;      ///< T_tot, targets of a block
    std::size_t resident = 1;           ///< B_SM, blocks that a multiprocessor holds
    std::size_t most_source_splits = 1; ///< parts of the sources, where targets are few
    double latency = 0;                 ///< L, cycles of an access to global memory
};

/// Returns one core, or the current GPU, for a kernel with packed bodies; defined where its operators
/// are compiled.
template <class K, class Backend>
[[nodiscard]] GravityMachine gravity_machine();

/// Returns one core for direct sums in a precision.
[[nodiscard]] GravityMachine gravity_core(Precision precision);

/// Returns the current GPU. \pre there is one
[[nodiscard]] GravityMachine gravity_gpu(Precision precision);

/// The numbers of a device that measurements give.
struct GravityFit {
    double pair_cycles = 0; ///< C_calc, cycles of a lane for one pair
    double start_s = 0;     ///< seconds that a sum takes besides: submission, launches, copies
};

/// Returns the cycles of a device for `n_targets` against `n_sources` [MTM13 Eqs 2 to 5], without
/// C_kernel, which GravityFit::start_s holds. We differ in one point: where targets are too few to
/// fill the device, our blocks take a part of the sources each, as if targets were that many times
/// more.
[[nodiscard]] double gravity_cycles(
    const GravityMachine& machine, double pair_cycles, std::size_t n_targets, std::size_t n_sources
);

/// Returns the fit to the time `start_s` of one body and the time `time_s` of n bodies on one
/// device, where n is large enough that the pairs take most of it.
[[nodiscard]] GravityFit
fit_gravity(const GravityMachine& machine, double start_s, std::size_t n, double time_s);

/// Returns the seconds for n bodies whose targets are shared out evenly among equal devices.
[[nodiscard]] double gravity_time(
    const GravityMachine& machine, const GravityFit& fit, std::size_t n, std::size_t n_devices
);

} // namespace starfmm
