// SPDX-License-Identifier: BSD-3-Clause
// The memory of M2L by plane waves: constants of a rule and an order, which a device keeps.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/kept_on_devices.cuh"
#include "codelets/cuda/task_room.cuh"
#include "codelets/expansions/solid3d/wave_conversions.cuh"
#include "core/expansions/wave_matrices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// The constants of one rule and order in the memory of the current device, which keeps them.
template <class W>
class WaveConstants {
public:
    /// Copies the constants, and waits for that: other streams will use them.
    explicit WaveConstants(const WaveMatrices& matrices) {
        RoomParts size(nullptr);
        place(matrices, size);
        void* data = nullptr;
        check_cuda(cudaMalloc(&data, size.bytes()), "cudaMalloc");
        RoomParts parts(data);
        place(matrices, parts);
        put(view_.slot_of, matrices.slot_of);
        put(view_.outgoing, matrices.outgoing);
        put(view_.incoming, matrices.incoming);
        const std::vector<W> phases(matrices.phases.begin(), matrices.phases.end());
        const std::vector<W> decays(matrices.decays.begin(), matrices.decays.end());
        view_.most_bytes = most_wave_bytes();
        put(view_.phases, phases);
        put(view_.decays, decays);
        check_cuda(cudaStreamSynchronize(cuda_stream()), "cudaStreamSynchronize");
    }

    [[nodiscard]] const DeviceWaves<W>& view() const { return view_; }

private:
    void place(const WaveMatrices& matrices, RoomParts& parts) {
        view_.shape = matrices.shape;
        view_.slot_of = parts.take<std::uint16_t>(matrices.slot_of.size());
        view_.outgoing = parts.take<double>(matrices.outgoing.size());
        view_.incoming = parts.take<double>(matrices.incoming.size());
        view_.phases = parts.take<W>(matrices.phases.size());
        view_.decays = parts.take<W>(matrices.decays.size());
    }

    template <class T>
    static void put(const T* to, const std::vector<T>& from) {
        check_cuda(
            cudaMemcpyAsync(
                const_cast<T*>(to),
                from.data(),
                from.size() * sizeof(T),
                cudaMemcpyHostToDevice,
                cuda_stream()
            ),
            "copy of wave matrices"
        );
    }

    DeviceWaves<W> view_;
};

/// Returns the constants of the current device, made once.
template <class W>
const DeviceWaves<W>& device_waves(const WaveRule& rule, int order) {
    using Key = std::pair<int, int>; // nodes, order
    static KeptOnDevices<Key, DeviceWaves<W>> kept;
    return kept.of({rule.size, order}, [&] {
        return WaveConstants<W>(make_wave_matrices(rule, order)).view();
    });
}

} // namespace starfmm
