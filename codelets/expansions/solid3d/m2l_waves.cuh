// SPDX-License-Identifier: BSD-3-Clause
// M2L of solid harmonics by plane waves [GR97], of octrees, whose boxes are cubes: multipoles to
// waves in six directions, waves from box to box, waves to local expansions. What is no neighbour
// on a lattice goes by expansions. Waves are in single precision where the tolerance allows that.
#pragma once

#include "codelets/expansions/solid3d/solid_m2l.cuh"
#include "codelets/expansions/solid3d/wave_conversions.cuh"
#include "codelets/expansions/solid3d/wave_forming.cuh"
#include "codelets/expansions/solid3d/wave_lists.cuh"
#include "codelets/expansions/solid3d/wave_receiving.cuh"
#include "codelets/expansions/solid3d/wave_room.cuh"
#include "codelets/expansions/solid3d/wave_translation.cuh"
#include "core/expansions/plane_waves.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Least tolerance of waves in single precision: their roundings, 6e-8 each, add up to a tenth of
/// it.
inline constexpr double least_single_waves = 5e-7;

/// Batches of tiles, so that their waves fit into memory; one tile's are always treated at once.
struct WaveBatches {
    std::size_t n_sources; ///< boxes
    std::size_t n_targets;
    int tiles; ///< of the largest batch

    template <class W>
    static WaveBatches
    of(const DeviceWaves<W>& constants, std::size_t n_sources, std::size_t n_targets) {
        constexpr std::size_t parts = 12; // three axes, two directions, real and imaginary
        const std::size_t bytes = (n_sources + n_targets) * parts * tile_waves * sizeof(W);
        const auto all = static_cast<std::size_t>(constants.shape.tiles);
        const std::size_t at_once = std::clamp(constants.most_bytes / bytes, std::size_t(1), all);
        const std::size_t n = (all + at_once - 1) / at_once;
        return {n_sources, n_targets, static_cast<int>((all + n - 1) / n)};
    }

    /// Waves of the largest one, of sources or of targets.
    [[nodiscard]] std::size_t entries(std::size_t n_rows) const {
        return 12 * n_rows * static_cast<std::size_t>(tiles * tile_waves);
    }
};

/// Boxes of the sources that there may be.
template <class K>
std::size_t n_source_boxes(const M2LTask<K>& task) {
    const bool is_own = task.sources[0].radius == task.boxes.radius;
    return is_own ? n_boxes_of<3>(task.args) : task.sources[0].capacity();
}

/// One task's.
/// \tparam W of the waves
template <class K, class W>
class WaveFarField {
public:
    WaveFarField(const M2LTask<K>& task, int n, const DeviceWaves<W>& constants)
        : task_(task), n_(n), constants_(constants), n_sources_(n_source_boxes(task)),
          n_targets_(n_boxes_of<3>(task.args)),
          batches_(WaveBatches::of(constants, n_sources_, n_targets_)) {}

    /// \returns false, and does nothing, if the device has too little memory left
    bool run() {
        RoomParts size(nullptr);
        place(size);
        const TaskRoom room(size.bytes());
        if (room.data() == nullptr) {
            return false;
        }
        RoomParts parts(room.data());
        place(parts);
        find_lists();
        translate_others();
        for (int first = 0; first < constants_.shape.tiles; first += batches_.tiles) {
            run_batch(first);
        }
        return true;
    }

private:
    [[nodiscard]] std::size_t n_parents() const { return n_targets_ - n_leaves_of<3>(task_.args); }

    [[nodiscard]] bool has_own_sources() const {
        return task_.sources[0].radius == task_.boxes.radius;
    }

    void place(RoomParts& parts) {
        lists_.counts = parts.take<std::uint32_t>(2);
        lists_.target_octants = parts.take<std::uint8_t>(n_targets_);
        lists_.source_octants =
            has_own_sources() ? lists_.target_octants : parts.take<std::uint8_t>(n_sources_);
        lists_.regular = parts.take<std::uint32_t>(n_targets_);
        lists_.families = parts.take<WaveFamily>(n_parents());
        lists_.places = parts.take<std::uint32_t>(n_parents() * all_wave_places);
        lists_.targets = parts.take<std::uint32_t>(n_targets_);
        lists_.others =
            parts.take<std::uint32_t>(task_.args.lists.n_boxes + 1 + task_.args.lists.far_capacity);
        sent_ = parts.take<W>(batches_.entries(n_sources_));
        received_ = parts.take<W>(batches_.entries(n_targets_));
    }

    void find_octants(const BoxView<3>& boxes, std::size_t n, std::uint8_t* octants) const {
        const unsigned blocks = n_blocks(n, wave_list_threads);
        const auto kernel = wave_octant_kernel<wave_list_threads>;
        kernel<<<blocks, wave_list_threads, 0, cuda_stream()>>>(boxes, n, octants);
        check_cuda(cudaGetLastError(), "launch of wave_octant_kernel");
    }

    void find_lists() const {
        check_cuda(
            cudaMemsetAsync(lists_.counts, 0, 2 * sizeof(std::uint32_t), cuda_stream()),
            "cudaMemsetAsync"
        );
        find_octants(task_.boxes, n_targets_, lists_.target_octants);
        if (!has_own_sources()) {
            find_octants(task_.sources[0], n_sources_, lists_.source_octants);
        }
        const unsigned blocks = n_blocks(n_targets_, wave_list_warps);
        wave_list_kernel<K><<<blocks, wave_list_threads, 0, cuda_stream()>>>(task_, lists_);
        check_cuda(cudaGetLastError(), "launch of wave_list_kernel");
        const auto add_up = wave_offset_kernel<wave_scan_threads>;
        add_up<<<1, wave_scan_threads, 0, cuda_stream()>>>(lists_.others, n_targets_);
        check_cuda(cudaGetLastError(), "launch of wave_offset_kernel");
        wave_others_kernel<K><<<blocks, wave_list_threads, 0, cuda_stream()>>>(task_, lists_);
        check_cuda(cudaGetLastError(), "launch of wave_others_kernel");
    }

    /// Overwrites all locals.
    void translate_others() const {
        M2LTask<K> others = task_;
        others.lists = lists_.others;
        solid_m2l(others, n_);
    }

    void run_batch(int first) const {
        const int tiles = std::min(batches_.tiles, constants_.shape.tiles - first);
        const WaveBatch<W> sent{first, tiles, sent_, n_sources_};
        const WaveBatch<W> received{first, tiles, received_, n_targets_};
        // a multiprocessor is to have two blocks
        const bool takes_two = 2 * receiving_bytes<W, 2>(constants_.shape) <= block_shared_bytes();
        with_lowest<1, 2>(takes_two ? 2 : 1, [&](auto pieces) {
            form<pieces()>(sent);
            translate(sent, received);
            receive<pieces()>(received);
        });
    }

    template <int pieces>
    void form(const WaveBatch<W>& sent) const {
        const auto kernel = form_waves_kernel<K, W, pieces>;
        const std::size_t bytes = conversion_bytes(constants_.shape, pieces);
        allow_shared_bytes(kernel, bytes);
        const unsigned blocks = n_blocks(n_sources_, pieces * piece_rows);
        kernel<<<blocks, conversion_threads, bytes, cuda_stream()>>>(task_, n_, constants_, sent);
        check_cuda(cudaGetLastError(), "launch of form_waves_kernel");
    }

    void translate(const WaveBatch<W>& sent, const WaveBatch<W>& received) const {
        const dim3 blocks(n_blocks(n_parents(), translation_warps), 6);
        translate_waves_kernel<W>
            <<<blocks, translation_threads, 0, cuda_stream()>>>(constants_, sent, received, lists_);
        check_cuda(cudaGetLastError(), "launch of translate_waves_kernel");
    }

    template <int pieces>
    void receive(const WaveBatch<W>& received) const {
        const WaveShape& shape = constants_.shape;
        int slots = 0;
        for (int c = 0; c < wave_classes; ++c) {
            slots = std::max(slots, shape.class_begin[c + 1] - shape.class_begin[c]);
        }
        const std::size_t bytes = receiving_bytes<W, pieces>(shape);
        const unsigned blocks = n_blocks(n_targets_, pieces * piece_rows);
        with_lowest<2, 4, 6, 10>(slots / slot_step, [&](auto tiles) {
            const auto kernel = receive_waves_kernel<K, W, pieces, tiles()>;
            allow_shared_bytes(kernel, bytes);
            kernel<<<blocks, conversion_threads, bytes, cuda_stream()>>>(
                task_, n_, constants_, received, lists_, slots
            );
            check_cuda(cudaGetLastError(), "launch of receive_waves_kernel");
        });
    }

    const M2LTask<K>& task_;
    int n_;
    const DeviceWaves<W>& constants_;
    std::size_t n_sources_;
    std::size_t n_targets_;
    WaveBatches batches_;
    WaveArrays lists_{};
    W* sent_ = nullptr;
    W* received_ = nullptr;
};

/// \returns false, and does nothing, where the device has too little memory for it
template <class K, class W>
bool try_waves(const M2LTask<K>& task, int n) {
    const auto& constants = device_waves<W>(wave_rule(task.args.tolerance), task.args.order);
    if (receiving_bytes<W, 1>(constants.shape) > block_shared_bytes() ||
        device_attribute(cudaDevAttrMemoryPoolsSupported) == 0) {
        return false;
    }
    return WaveFarField<K, W>(task, n, constants).run();
}

/// Whether the task is one of those that plane waves are for.
template <class K>
bool takes_waves(const M2LTask<K>& task) {
    return task.args.plane_waves && task.args.n_slots == 1 && has_cells<3>(task.args) &&
           n_leaves_of<3>(task.args) < n_boxes_of<3>(task.args);
}

/// By plane waves where the task asks for them and the device has the memory, else by expansions.
template <class K>
void solid_or_wave_m2l(const M2LTask<K>& task, int n) {
    using Real = typename K::Real;
    bool is_done = false;
    if (takes_waves(task)) {
        if constexpr (sizeof(Real) == sizeof(double)) {
            is_done = task.args.tolerance < least_single_waves ? try_waves<K, double>(task, n)
                                                               : try_waves<K, float>(task, n);
        } else {
            is_done = try_waves<K, float>(task, n);
        }
    }
    if (!is_done) {
        solid_m2l(task, n);
    }
}

} // namespace starfmm
