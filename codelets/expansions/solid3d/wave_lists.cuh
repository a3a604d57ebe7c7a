// SPDX-License-Identifier: BSD-3-Clause
// Which far boxes reach a target box by plane waves: those whose parents touch its parent, cubes of
// one size on one lattice, all of which that are far from each other are in the lists. The others
// are put into lists of their own.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/solid3d/wave_neighbours.hpp"
#include "core/expansions/wave_sources.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Children of one parent that get waves.
struct WaveFamily {
    std::uint32_t first;    ///< among the targets of waves
    std::uint8_t target[8]; ///< of each octant, from the first; or no_octant
};

/// All lists, in a task's own memory.
struct WaveArrays {
    std::uint32_t* counts;        ///< [2] families, targets
    std::uint8_t* source_octants; ///< [source boxes]
    std::uint8_t* target_octants; ///< [rows]
    std::uint32_t* regular;       ///< [rows], of parents: neighbours whose children send waves
    WaveFamily* families;         ///< [parents]
    std::uint32_t* places;        ///< [parents][all_wave_places] source boxes, or no_wave_box
    std::uint32_t* targets;       ///< [rows] of targets
    std::uint32_t* others;        ///< offsets and entries, as ListLayout's far list

    [[nodiscard]] STARFMM_HOST_DEVICE ListView others_of(const ListLayout& layout) const {
        return layout.far(others);
    }
};

inline constexpr int wave_list_threads = 128;
inline constexpr int wave_list_warps = wave_list_threads / warp_lanes;

/// Of all boxes of a tree.
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

/// What a warp finds out of one parent of targets.
struct WaveListRoom {
    int pairs[parent_neighbours];
    std::uint32_t parents[parent_neighbours];
};

/// The far boxes of one parent's children.
template <class K>
class WaveParent {
public:
    __device__ WaveParent(const M2LTask<K>& task, const WaveArrays& lists, std::size_t parent)
        : task_(task), lists_(lists), sources_(task.sources[0].orthtree()),
          children_(task.boxes.orthtree().children(parent)), disc_(task.boxes.disc(parent)) {}

    /// Neighbour that a far box of a row is a child of, if it may send waves, else -1.
    [[nodiscard]] __device__ int neighbour(std::size_t row, BoxReference reference) const {
        const std::size_t source = task_.references(0).box(reference);
        const std::uint8_t target_octant = lists_.target_octants[row];
        const std::uint8_t source_octant = lists_.source_octants[source];
        if (target_octant == no_octant || source_octant == no_octant) {
            return -1;
        }
        const int number = neighbour_of(disc_, task_.sources[0].disc(sources_.parent(source)));
        return number >= 0 && are_far_children(number, source_octant, target_octant) ? number : -1;
    }

    /// Which neighbours send waves: those all of whose far children are in the lists.
    __device__ unsigned find_regular(WaveListRoom& room) const {
        for (int i = lane(); i < parent_neighbours; i += warp_lanes) {
            room.pairs[i] = 0;
        }
        __syncwarp();
        visit_entries([&](std::size_t row, BoxReference reference) {
            const int number = neighbour(row, reference);
            if (number >= 0) {
                atomicAdd(room.pairs + number, 1);
                room.parents[number] =
                    static_cast<std::uint32_t>(sources_.parent(task_.references(0).box(reference)));
            }
        });
        __syncwarp();
        bool regular = false;
        if (lane() < parent_neighbours && room.pairs[lane()] > 0) {
            const unsigned children =
                octants(sources_.children(room.parents[lane()]), lists_.source_octants);
            const unsigned own = octants(children_, lists_.target_octants);
            regular = room.pairs[lane()] == n_far_children(lane(), children, own);
        }
        return __ballot_sync(0xffffffffU, regular);
    }

    /// Whether its neighbours send all that the children get.
    [[nodiscard]] __device__ bool is_complete(unsigned regular, const WaveListRoom& room) const {
        const ListView far = task_.far();
        const bool sends = (regular >> lane() & 1U) != 0;
        const int pairs = sum_lanes<warp_lanes>(sends ? room.pairs[lane()] : 0);
        const std::uint32_t all = far.offsets[children_.end] - far.offsets[children_.begin];
        return static_cast<std::uint32_t>(pairs) == all;
    }

    /// Adds its children to those that get waves.
    __device__ void put_family(unsigned regular, const WaveListRoom& room) const {
        std::uint32_t index = 0;
        if (lane() == 0) {
            index = atomicAdd(lists_.counts, 1U);
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

    /// Counts the others of each row.
    /// \param none whether it is known that there are none
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

    /// Which octants there are.
    __device__ static unsigned octants(const BoxRange& range, const std::uint8_t* octants) {
        unsigned bits = 0;
        for (std::size_t box = range.begin; box < range.end; ++box) {
            bits |= octants[box] == no_octant ? 0U : 1U << octants[box];
        }
        return bits;
    }

    /// By one lane.
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
        family.first = atomicAdd(lists_.counts + 1, static_cast<std::uint32_t>(n));
        std::uint32_t next = family.first;
        for (std::size_t row = children_.begin; row < children_.end; ++row) {
            if (lists_.target_octants[row] != no_octant) {
                lists_.targets[next++] = static_cast<std::uint32_t>(row);
            }
        }
        return family;
    }

    /// \param child of the neighbour, as the tree numbers them
    __device__ void
    put_place(int neighbour, std::size_t parent, int child, std::uint32_t* places) const {
        const BoxRange children = sources_.children(parent);
        const std::size_t box = children.begin + static_cast<std::size_t>(child);
        if (box < children.end && lists_.source_octants[box] != no_octant) {
            const int octant = lists_.source_octants[box];
            const auto at = [&](int d) {
                return 2 * neighbour_at(neighbour, d) + (octant >> d & 1);
            };
            places[wave_place(at(0), at(1), at(2))] = static_cast<std::uint32_t>(box);
        }
    }

    const M2LTask<K>& task_;
    const WaveArrays& lists_;
    Orthtree<3> sources_;
    BoxRange children_;
    Frame<double, 3> disc_;
};

/// Parents of targets, one a warp: their families, and how many far boxes of each row are others.
template <class K>
__global__ void __launch_bounds__(wave_list_threads)
    wave_list_kernel(const __grid_constant__ M2LTask<K> task, const WaveArrays lists) {
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
    __shared__ std::uint32_t of_warp[threads / warp_lanes];
    const unsigned lane = threadIdx.x % warp_lanes;
    const unsigned warp = threadIdx.x / warp_lanes;
    constexpr unsigned each = 8; // of a thread, whose loads are under way at once
    std::uint32_t before = 0;
    for (std::size_t first = 0; first < n; first += std::size_t(threads) * each) {
        const std::size_t begin = first + threadIdx.x * each;
        std::uint32_t count[each];
        std::uint32_t own = 0;
        for (unsigned k = 0; k < each; ++k) {
            count[k] = begin + k < n ? counts[begin + k] : 0;
        }
        for (unsigned k = 0; k < each; ++k) {
            own += count[k];
        }
        std::uint32_t sum = own;
        for (unsigned offset = 1; offset < warp_lanes; offset *= 2) {
            const std::uint32_t other = __shfl_up_sync(0xffffffffU, sum, offset);
            sum += lane >= offset ? other : 0;
        }
        if (lane == warp_lanes - 1) {
            of_warp[warp] = sum;
        }
        __syncthreads();
        std::uint32_t total = 0;
        for (unsigned w = 0; w < threads / warp_lanes; ++w) {
            before += w < warp ? of_warp[w] : 0;
            total += w < warp ? 0 : of_warp[w];
        }
        std::uint32_t offset = before + sum - own;
        for (unsigned k = 0; k < each; ++k) {
            if (begin + k < n) {
                counts[begin + k] = offset;
            }
            offset += count[k];
        }
        before += total; // with what the warps before had, all that the block has seen
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        counts[n] = before;
    }
}

/// Entries of the others, in the order of the lists, one row a warp.
template <class K>
__global__ void __launch_bounds__(wave_list_threads)
    wave_others_kernel(const __grid_constant__ M2LTask<K> task, const WaveArrays lists) {
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
