// SPDX-License-Identifier: BSD-3-Clause
// M2L of solid harmonics by plane waves [GR97] in octrees, whose boxes are cubes: multipoles to
// waves in six directions, waves from box to box, waves to local expansions. Boxes that are no
// neighbours on a lattice go by expansions. Waves are in single precision where the tolerance
// allows that.
#pragma once

#include "codelets/cuda/task_room.cuh"
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

/// Batches of tiles, so that their waves fit into memory; one tile's are always treated at once.
struct WaveBatches {
    std::size_t n_sources; ///< rows of waves
    std::size_t n_targets;
    int tiles; ///< tiles of all batches but the last

    template <class W>
    static WaveBatches
    of(const DeviceWaves<W>& constants, std::size_t n_sources, std::size_t n_targets) {
        constexpr std::size_t parts = 12; // three axes, two directions, real and imaginary
        const std::size_t bytes = (n_sources + n_targets) * parts * tile_waves * sizeof(W);
        const auto all = static_cast<std::size_t>(constants.shape.tiles);
        const std::size_t at_once = std::clamp(constants.most_bytes / bytes, std::size_t(1), all);
        constexpr std::size_t warp_tiles = warp_lanes * lane_waves<W> / tile_waves;
        if (at_once < all && at_once >= warp_tiles) { // of which no lane is idle
            return {n_sources, n_targets, static_cast<int>(at_once / warp_tiles * warp_tiles)};
        }
        return {n_sources, n_targets, static_cast<int>(at_once)};
    }

    /// Returns the number of waves of the largest batch, of sources or of targets.
    [[nodiscard]] std::size_t entries(std::size_t n_rows) const {
        return 12 * n_rows * static_cast<std::size_t>(tiles * tile_waves);
    }
};

/// M2L of one task by plane waves.
/// \tparam W  type of the waves
template <class K, class W>
class WaveFarField {
public:
    WaveFarField(const M2LTask<K>& task, int n, const DeviceWaves<W>& constants)
        : task_(task), n_(n), constants_(constants), n_targets_(n_boxes_of<3>(task.args)),
          n_sources_(count_sources()), batches_(WaveBatches::of(constants, n_rows(), n_targets_)) {}

    /// Runs M2L. \returns false, and does nothing, if the device has too little memory left
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

    /// Returns the most boxes that all slots may have.
    std::size_t count_sources() {
        std::size_t n = 0;
        for (std::uint32_t slot = 0; slot < task_.args.n_slots; ++slot) {
            lists_.first_box[slot] = static_cast<std::uint32_t>(n);
            n += task_.n_source_boxes(slot);
        }
        lists_.first_box[task_.args.n_slots] = static_cast<std::uint32_t>(n);
        return n;
    }

    [[nodiscard]] std::size_t n_foreign() const { return n_sources_ - lists_.first_box[1]; }

    /// Returns the room for boxes of other slots: those at the border are far fewer than those
    /// within, or there are few of both.
    [[nodiscard]] std::size_t foreign_room() const {
        constexpr std::size_t few = 4096;
        return std::min(n_foreign(), 2 * n_targets_ + few);
    }

    /// Returns the number of rows of the sources' waves.
    [[nodiscard]] std::size_t n_rows() const { return lists_.first_box[1] + foreign_room(); }

    void place(RoomParts& parts) {
        lists_.counts = parts.take<WaveCounts>(1);
        lists_.source_octants = parts.take<std::uint8_t>(n_sources_);
        lists_.target_octants =
            has_own_sources() ? lists_.source_octants : parts.take<std::uint8_t>(n_targets_);
        lists_.foreign_rows = parts.take<std::uint32_t>(n_foreign());
        lists_.foreign = parts.take<SlotBox>(foreign_room());
        lists_.foreign_room = static_cast<std::uint32_t>(foreign_room());
        lists_.regular = parts.take<std::uint32_t>(n_targets_);
        lists_.families = parts.take<WaveFamily>(n_parents());
        lists_.places = parts.take<std::uint32_t>(n_parents() * all_wave_places);
        lists_.targets = parts.take<std::uint32_t>(n_targets_);
        lists_.others =
            parts.take<std::uint32_t>(task_.args.lists.n_boxes + 1 + task_.args.lists.far_capacity);
        sent_ = parts.take<W>(batches_.entries(n_rows()));
        received_ = parts.take<W>(batches_.entries(n_targets_));
    }

    void find_heard() const {
        const std::size_t n_bytes = n_foreign() * sizeof(*lists_.foreign_rows);
        check_cuda(
            cudaMemsetAsync(lists_.foreign_rows, 0, n_bytes, cuda_stream()), "cudaMemsetAsync"
        );
        const unsigned blocks = n_blocks(task_.args.lists.far_capacity, 16 * wave_list_threads);
        const auto of_lists = wave_heard_kernel<K, wave_list_threads>;
        of_lists<<<blocks, wave_list_threads, 0, cuda_stream()>>>(task_, lists_);
        check_cuda(cudaGetLastError(), "launch of wave_heard_kernel");
    }

    void find_octants() const {
        if (n_foreign() > 0) {
            find_heard();
        }
        std::uint32_t most = 0;
        for (std::uint32_t slot = 0; slot < task_.args.n_slots; ++slot) {
            most = std::max(most, lists_.first_box[slot + 1] - lists_.first_box[slot]);
        }
        const dim3 blocks(n_blocks(most, wave_list_threads), task_.args.n_slots);
        const auto of_sources = wave_source_kernel<K, wave_list_threads>;
        of_sources<<<blocks, wave_list_threads, 0, cuda_stream()>>>(task_, lists_);
        check_cuda(cudaGetLastError(), "launch of wave_source_kernel");
        if (!has_own_sources()) {
            const auto of_targets = wave_octant_kernel<wave_list_threads>;
            of_targets<<<
                n_blocks(n_targets_, wave_list_threads),
                wave_list_threads,
                0,
                cuda_stream()>>>(task_.boxes, n_targets_, lists_.target_octants);
            check_cuda(cudaGetLastError(), "launch of wave_octant_kernel");
        }
    }

    void find_lists() const {
        check_cuda(
            cudaMemsetAsync(lists_.counts, 0, sizeof(WaveCounts), cuda_stream()), "cudaMemsetAsync"
        );
        find_octants();
        const unsigned blocks = n_blocks(n_targets_, wave_list_warps);
        wave_list_kernel<K><<<blocks, wave_list_threads, 0, cuda_stream()>>>(task_, lists_);
        check_cuda(cudaGetLastError(), "launch of wave_list_kernel");
        const auto add_up = wave_offset_kernel<wave_scan_threads>;
        add_up<<<1, wave_scan_threads, 0, cuda_stream()>>>(lists_.others, n_targets_);
        check_cuda(cudaGetLastError(), "launch of wave_offset_kernel");
        wave_others_kernel<K><<<blocks, wave_list_threads, 0, cuda_stream()>>>(task_, lists_);
        check_cuda(cudaGetLastError(), "launch of wave_others_kernel");
    }

    /// Translates the boxes that waves do not serve, and overwrites all locals.
    void translate_others() const {
        M2LTask<K> others = task_;
        others.lists = lists_.others;
        solid_m2l(others, n_);
    }

    void run_batch(int first) const {
        const int tiles = std::min(batches_.tiles, constants_.shape.tiles - first);
        const WaveBatch<W> sent{first, tiles, sent_, n_rows()};
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
        const unsigned blocks = n_blocks(n_rows(), pieces * piece_rows);
        kernel<<<blocks, conversion_threads, bytes, cuda_stream()>>>(
            task_, n_, constants_, lists_, sent
        );
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
    WaveArrays lists_{};
    std::size_t n_targets_;
    std::size_t n_sources_; ///< source boxes of all slots
    WaveBatches batches_;
    W* sent_ = nullptr;
    W* received_ = nullptr;
};

/// Tries M2L by plane waves.
/// \returns false, and does nothing, where the device has too little memory
template <class K, class W>
bool try_waves(const M2LTask<K>& task, int n) {
    const auto& rule = wave_rule(task.args.tolerance);
    const auto& constants = device_waves<W>(rule, task.args.order);
    if (receiving_bytes<W, 1>(constants.shape) > block_shared_bytes() ||
        device_attribute(cudaDevAttrMemoryPoolsSupported) == 0) {
        return false;
    }
    return WaveFarField<K, W>(task, n, constants).run();
}

/// Whether plane waves serve the task.
template <class K>
bool takes_waves(const M2LTask<K>& task) {
    return task.args.plane_waves && task.args.n_slots > 0 && has_cells<3>(task.args) &&
           n_leaves_of<3>(task.args) < n_boxes_of<3>(task.args);
}

/// Runs M2L by plane waves where the task asks for them and the device has the memory, else by
/// expansions.
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
