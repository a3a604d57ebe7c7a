// SPDX-License-Identifier: BSD-3-Clause
// Lists of the far boxes that send plane waves to a target box: those whose parents touch its
// parent and are cubes of one size on one lattice, if all of their children that are far from each
// other are in the lists. The other far boxes are put into lists of their own.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/expansions/solid3d/wave_arrays.cuh"
#include "core/expansions/wave_sources.hpp"

#include <cub/block/block_scan.cuh>

#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int wave_list_threads = 128;
inline constexpr int wave_list_warps = wave_list_threads / warp_lanes;

/// Finds the octants of all targets, where targets are no sources.
template <int threads>
__global__ void __launch_bounds__(threads)
    wave_octant_kernel(BoxView<3> boxes, std::size_t room, std::uint8_t* octants) {
    const std::size_t box = thread_index();
    const Orthtree<3> tree = boxes.orthtree();
    if (box < room && box < tree.total_boxes()) {
        const std::size_t parent = tree.parent(box);
        octants[box] = octant_of(boxes.disc(parent), boxes.disc(box));
    }
}

/// Marks the boxes of other slots that are in lists, where their rows will be noted.
template <class K, int threads>
__global__ void __launch_bounds__(threads) wave_heard_kernel(
    const __grid_constant__ M2LTask<K> task, const __grid_constant__ WaveArrays lists
) {
    const ListView far = task.far();
    const FarReferences references = task.references(0);
    const std::size_t n = far.offsets[n_boxes_of<3>(task.args)];
    for (std::size_t i = thread_index(); i < n; i += std::size_t(gridDim.x) * blockDim.x) {
        const std::uint32_t slot = references.slot(far.boxes[i]);
        if (slot > 0) {
            lists.set_heard({slot, static_cast<std::uint32_t>(references.box(far.boxes[i]))});
        }
    }
}

/// Finds the octants of all source boxes, a slot a row of blocks; foreign boxes that are in lists
/// get rows for their waves. Boxes that are not to send waves get no octant: nor do children of
/// boxes that groups share, of which there are few, and several at one place.
template <class K, int threads>
__global__ void __launch_bounds__(threads) wave_source_kernel(
    const __grid_constant__ M2LTask<K> task, const __grid_constant__ WaveArrays lists
) {
    const std::uint32_t slot = blockIdx.y;
    const auto box = static_cast<std::uint32_t>(thread_index());
    const BoxView<3>& boxes = task.sources[slot];
    const Orthtree<3> tree = boxes.orthtree();
    const std::uint32_t room = lists.first_box[slot + 1] - lists.first_box[slot];
    if (box >= room || box >= tree.total_boxes()) {
        return;
    }
    const Frame<double, 3> parent = boxes.disc(tree.parent(box));
    std::uint8_t octant = octant_of(parent, boxes.disc(box));
    if (task.args.is_group && tree.n_shared(tree.parent(box)) > 0) {
        octant = no_octant;
    }
    if (slot > 0 && octant != no_octant &&
        !(lists.is_heard({slot, box}) && lists.add_foreign({slot, box}))) {
        octant = no_octant;
    }
    lists.octants(slot)[box] = octant;
}

/// The results that a warp finds out of one parent of targets.
struct WaveListRoom {
    int pairs[parent_neighbours];
    SlotBox parents[parent_neighbours];
};

/// The far boxes of one parent's children.
template <class K>
class WaveParent {
public:
    __device__ WaveParent(const M2LTask<K>& task, const WaveArrays& lists, std::size_t parent)
        : task_(task), lists_(lists), children_(task.boxes.orthtree().children(parent)),
          disc_(task.boxes.disc(parent)) {}

    /// Returns the neighbour that a far box of a row is a child of, if it may send waves, else -1.
    [[nodiscard]] __device__ int neighbour(std::size_t row, BoxReference reference) const {
        const SlotBox source = named(reference);
        const std::uint8_t target_octant = lists_.target_octants[row];
        const std::uint8_t source_octant = lists_.octants(source.slot)[source.box];
        if (target_octant == no_octant || source_octant == no_octant) {
            return -1;
        }
        const SlotBox other = parent(source);
        const int number = neighbour_of(disc_, task_.sources[other.slot].disc(other.box));
        return number >= 0 && are_far_children(number, source_octant, target_octant) ? number : -1;
    }

    /// Returns the neighbours that send waves: those all of whose far children are in the lists.
    __device__ unsigned find_regular(WaveListRoom& room) const {
        for (int i = lane(); i < parent_neighbours; i += warp_lanes) {
            room.pairs[i] = 0;
        }
        __syncwarp();
        visit_entries([&](std::size_t row, BoxReference reference) {
            const int number = neighbour(row, reference);
            if (number >= 0) {
                atomicAdd(room.pairs + number, 1);
                room.parents[number] = parent(named(reference));
            }
        });
        __syncwarp();
        bool regular = false;
        if (lane() < parent_neighbours && room.pairs[lane()] > 0) {
            const SlotBox& other = room.parents[lane()];
            const unsigned children = octants(
                task_.sources[other.slot].orthtree().children(other.box), lists_.octants(other.slot)
            );
            const unsigned own = octants(children_, lists_.target_octants);
            regular = room.pairs[lane()] == n_far_children(lane(), children, own);
        }
        return __ballot_sync(0xffffffffU, regular);
    }

    /// Whether the parent's neighbours send all that the children get.
    [[nodiscard]] __device__ bool is_complete(unsigned regular, const WaveListRoom& room) const {
        const ListView far = task_.far();
        const bool sends = (regular >> lane() & 1U) != 0;
        const int pairs = sum_lanes<warp_lanes>(sends ? room.pairs[lane()] : 0);
        const std::uint32_t all = far.offsets[children_.end] - far.offsets[children_.begin];
        return static_cast<std::uint32_t>(pairs) == all;
    }

    /// Adds the parent's children to those that get waves.
    __device__ void put_family(unsigned regular, const WaveListRoom& room) const {
        std::uint32_t index = 0;
        if (lane() == 0) {
            index = atomicAdd(&lists_.counts->families, 1U);
            lists_.families[index] = add_targets();
        }
        index = from_lane(index, 0);
        std::uint32_t* places = lists_.places + std::size_t(index) * all_wave_places;
        for (int i = lane(); i < all_wave_places; i += warp_lanes) {
            places[i] = no_wave_box;
        }
        __syncwarp();
        for (int i = lane(); i < 8 * parent_neighbours; i += warp_lanes) {
            if ((regular >> i / 8 & 1U) != 0) {
                put_place(i / 8, room.parents[i / 8], i % 8, places);
            }
        }
    }

    [[nodiscard]] __device__ bool is_leaf() const { return children_.begin == children_.end; }

    /// Counts the other far boxes of each row.
    /// \param none  whether it is known that there are none
    __device__ void count_others(unsigned regular, bool none) const {
        for (std::size_t row = children_.begin; row < children_.end; ++row) {
            unsigned n = 0;
            if (none) {
                put_count(row, 0);
                continue;
            }
            visit_row(row, [&](BoxReference reference) {
                n += is_other(regular, row, reference) ? 1U : 0U;
            });
            put_count(row, sum_lanes<warp_lanes>(n));
        }
    }

    [[nodiscard]] __device__ bool
    is_other(unsigned regular, std::size_t row, BoxReference reference) const {
        const int number = neighbour(row, reference);
        return number < 0 || (regular >> number & 1U) == 0;
    }

private:
    [[nodiscard]] __device__ SlotBox named(BoxReference reference) const {
        const FarReferences references = task_.references(0);
        return {references.slot(reference), static_cast<std::uint32_t>(references.box(reference))};
    }

    [[nodiscard]] __device__ SlotBox parent(const SlotBox& source) const {
        const Orthtree<3> tree = task_.sources[source.slot].orthtree();
        return {source.slot, static_cast<std::uint32_t>(tree.parent(source.box))};
    }

    __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_lanes); }

    __device__ void put_count(std::size_t row, unsigned n) const {
        if (lane() == 0) {
            lists_.others[row] = n;
        }
    }

    template <class Visit>
    __device__ void visit_row(std::size_t row, const Visit& visit) const {
        const ListView far = task_.far();
        const std::uint32_t end = far.offsets[row + 1];
        for (std::uint32_t e = far.offsets[row] + static_cast<unsigned>(lane()); e < end;
             e += warp_lanes) {
            visit(far.boxes[e]);
        }
    }

    template <class Visit>
    __device__ void visit_entries(const Visit& visit) const {
        for (std::size_t row = children_.begin; row < children_.end; ++row) {
            visit_row(row, [&](BoxReference reference) { visit(row, reference); });
        }
    }

    /// Returns the octants that there are.
    __device__ static unsigned octants(const BoxRange& range, const std::uint8_t* octants) {
        unsigned bits = 0;
        for (std::size_t box = range.begin; box < range.end; ++box) {
            bits |= octants[box] == no_octant ? 0U : 1U << octants[box];
        }
        return bits;
    }

    /// Adds the targets; is to be called by one lane.
    [[nodiscard]] __device__ WaveFamily add_targets() const {
        WaveFamily family;
        std::uint8_t n = 0;
        for (std::uint8_t& target : family.target) {
            target = no_octant;
        }
        for (std::size_t row = children_.begin; row < children_.end; ++row) {
            const std::uint8_t octant = lists_.target_octants[row];
            if (octant != no_octant) {
                family.target[octant] = n++;
            }
        }
        family.first = atomicAdd(&lists_.counts->targets, static_cast<std::uint32_t>(n));
        std::uint32_t next = family.first;
        for (std::size_t row = children_.begin; row < children_.end; ++row) {
            if (lists_.target_octants[row] != no_octant) {
                lists_.targets[next++] = static_cast<std::uint32_t>(row);
            }
        }
        return family;
    }

    /// Puts the place of a neighbour's child.
    /// \param child  child of the neighbour, as the tree numbers them
    __device__ void
    put_place(int neighbour, const SlotBox& parent, int child, std::uint32_t* places) const {
        const BoxRange children = task_.sources[parent.slot].orthtree().children(parent.box);
        const std::size_t box = children.begin + static_cast<std::size_t>(child);
        const std::uint8_t* octants = lists_.octants(parent.slot);
        if (box < children.end && octants[box] != no_octant) {
            const SlotBox source{parent.slot, static_cast<std::uint32_t>(box)};
            const int octant = octants[box];
            const auto at = [&](int d) {
                return 2 * neighbour_at(neighbour, d) + (octant >> d & 1);
            };
            places[wave_place(at(0), at(1), at(2))] = lists_.number(source);
        }
    }

    const M2LTask<K>& task_;
    const WaveArrays& lists_;
    BoxRange children_;
    Frame<double, 3> disc_;
};

/// Takes parents of targets, one a warp: finds their families, and how many far boxes of each row
/// are others.
template <class K>
__global__ void __launch_bounds__(wave_list_threads) wave_list_kernel(
    const __grid_constant__ M2LTask<K> task, const __grid_constant__ WaveArrays lists
) {
    __shared__ WaveListRoom rooms[wave_list_warps];
    const std::size_t parent = thread_index() / warp_lanes;
    if (parent >= n_boxes_of<3>(task.args)) {
        return;
    }
    if (parent == 0) { // which has no parent
        const ListView far = task.far();
        lists.others[0] = far.offsets[1] - far.offsets[0];
    }
    const WaveParent<K> children(task, lists, parent);
    if (children.is_leaf()) {
        return;
    }
    WaveListRoom& room = rooms[threadIdx.x / warp_lanes];
    const unsigned regular = children.find_regular(room);
    if (threadIdx.x % warp_lanes == 0) {
        lists.regular[parent] = regular;
    }
    if (regular != 0) {
        children.put_family(regular, room);
    }
    children.count_others(regular, children.is_complete(regular, room));
}

inline constexpr int wave_scan_threads = 1024;

/// Makes counts of rows the offsets of their entries, by one block.
/// \param counts [n + 1]
template <int threads>
__global__ void __launch_bounds__(threads)
    wave_offset_kernel(std::uint32_t* counts, std::size_t n) {
    using Scan = cub::BlockScan<std::uint32_t, threads>;
    __shared__ typename Scan::TempStorage scan;
    constexpr unsigned each = 8; // of a thread, whose loads are under way at once
    std::uint32_t before = 0;
    for (std::size_t first = 0; first < n; first += std::size_t(threads) * each) {
        const std::size_t begin = first + threadIdx.x * each;
        std::uint32_t count[each];
        for (unsigned k = 0; k < each; ++k) {
            count[k] = begin + k < n ? counts[begin + k] : 0;
        }
        std::uint32_t total = 0;
        Scan(scan).ExclusiveSum(count, count, total);
        for (unsigned k = 0; k < each; ++k) {
            if (begin + k < n) {
                counts[begin + k] = before + count[k];
            }
        }
        before += total;
        __syncthreads(); // the scan's storage serves the next rows
    }
    if (threadIdx.x == 0) {
        counts[n] = before;
    }
}

/// Puts the entries of the others, in the order of the lists, one row a warp.
template <class K>
__global__ void __launch_bounds__(wave_list_threads) wave_others_kernel(
    const __grid_constant__ M2LTask<K> task, const __grid_constant__ WaveArrays lists
) {
    const std::size_t row = thread_index() / warp_lanes;
    if (row >= n_boxes_of<3>(task.args)) {
        return;
    }
    const ListView others = lists.others_of(task.args.lists);
    std::uint32_t out = others.offsets[row];
    if (out == others.offsets[row + 1]) {
        return;
    }
    const ListView far = task.far();
    const std::size_t parent = task.boxes.orthtree().parent(row);
    const WaveParent<K> siblings(task, lists, parent);
    const unsigned regular = row == 0 ? 0 : lists.regular[parent];
    const unsigned lane = threadIdx.x % warp_lanes;
    for (std::uint32_t first = far.offsets[row]; first < far.offsets[row + 1];
         first += warp_lanes) {
        const std::uint32_t e = first + lane;
        const bool wanted =
            e < far.offsets[row + 1] && siblings.is_other(regular, row, far.boxes[e]);
        const unsigned all = __ballot_sync(0xffffffffU, wanted);
        if (wanted) {
            others.boxes[out + static_cast<unsigned>(__popc(all & ((1U << lane) - 1U)))] =
                far.boxes[e];
        }
        out += static_cast<unsigned>(__popc(all));
    }
}

} // namespace starfmm
