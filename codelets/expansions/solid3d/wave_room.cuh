// SPDX-License-Identifier: BSD-3-Clause
// The memory of M2L by plane waves: constants of a rule and an order, which a device keeps.
#pragma once

#include "codelets/cuda/kept_on_devices.cuh"
#include "codelets/expansions/solid3d/wave_conversions.cuh"
#include "core/expansions/wave_matrices.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace starfmm {

/// Returns the bytes that waves of one batch may take on the current device: less would form and
/// receive them in more batches, each of which reads all multipoles and adds to all locals anew.
inline std::size_t most_wave_bytes() {
    std::size_t left = 0;
    std::size_t all = 0;
    check_cuda(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
    return std::max(all / 16, std::size_t(1) << 30);
}

/// Returns the constants of the current device, made once.
template <class W>
const DeviceWaves<W>& device_waves(const WaveRule& rule, int order) {
    using Key = std::pair<int, int>; // nodes, order
    static KeptOnDevices<Key, DeviceWaves<W>> kept;
    return kept.of({rule.size, order}, [&] {
        const WaveMatrices matrices = make_wave_matrices(rule, order);
        const auto rounded = [](const std::vector<double>& values) {
            return copy_of_constants(std::vector<W>(values.begin(), values.end()));
        };
        return DeviceWaves<W>{
            matrices.shape,
            copy_of_constants(matrices.slot_of),
            copy_of_constants(matrices.outgoing),
            copy_of_constants(matrices.incoming),
            rounded(matrices.phases),
            rounded(matrices.decays),
            most_wave_bytes()};
    });
}

} // namespace starfmm
