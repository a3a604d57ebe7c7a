// SPDX-License-Identifier: BSD-3-Clause
// M2L of Cartesian Taylor expansions of low order on GPUs: a row a warp, a far box a lane, with all
// coefficients in registers.
//
// Far boxes lie anywhere: what M2L reads of a far box is first packed in a record, which a warp
// copies to shared memory in pieces of 16 bytes, next to each other. If each lane read the
// coefficients and the four numbers of a frame from its own box, they would take ten times as many
// transactions as pairs take instructions.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/task_room.cuh"
#include "codelets/expansions/cartesian3d/taylor_order.cuh"
#include "codelets/expansions/m2l.hpp"

#include <cuda_pipeline.h>

namespace starfmm {

/// The numbers that M2L reads of a source box, in an odd number of pieces: no two lanes that read
/// at once want the same bank.
template <class Real, int P>
struct alignas(16) FarRecord {
    static constexpr int piece = 16; ///< bytes
    static constexpr int n = n_cartesian(P);
    static constexpr int head = 4 * sizeof(double) / piece;
    static constexpr int pieces =
        (head + (n * static_cast<int>(sizeof(Real)) + piece - 1) / piece) | 1;
    static constexpr int room = (pieces - head) * piece / static_cast<int>(sizeof(Real));
    Frame<double, 3> frame;
    Real multipole[room];
};

/// The records of all slots' boxes, one slot after the other.
template <class Record>
struct FarRecords {
    Record* records;
    std::uint32_t first[max_slots];
};

inline constexpr unsigned far_record_threads = 128;

/// Packs a record a thread.
template <class K, int P>
__global__ void __launch_bounds__(far_record_threads) far_record_kernel(
    BoxView<3> boxes, const typename K::Real* multipoles, FarRecord<typename K::Real, P>* records
) {
    using Record = FarRecord<typename K::Real, P>;
    const std::size_t box = thread_index();
    if (box >= boxes.orthtree().total_boxes()) {
        return;
    }
    Record record;
    record.frame = expansion_frame<typename K::Real>(boxes, box);
#pragma unroll
    for (int k = 0; k < Record::room; ++k) {
        record.multipole[k] = k < Record::n ? multipoles[box * Record::n + k] : 0;
    }
    records[box] = record;
}

/// The warps of a block: their stages have room in what shared memory a block gets without asking.
template <class Real, int P>
inline constexpr unsigned taylor_m2l_warps = FarRecord<Real, P>::pieces <= 24 ? 4 : 2;

/// The far boxes of a warp's row, 32 at a time.
template <class K, int P>
class StagedFarBoxes {
public:
    using Record = FarRecord<typename K::Real, P>;

    /// Begins to copy the records of entries [e, e + n) to the warp's stage.
    __device__ static void fetch(
        const FarRecords<Record>& all,
        const FarReferences& named,
        const BoxReference* entries,
        unsigned n,
        Record* stage
    ) {
        const unsigned lane = threadIdx.x % warp_lanes;
        const BoxReference entry = entries[lane < n ? lane : 0];
        const auto index =
            static_cast<std::uint32_t>(all.first[named.slot(entry)] + named.box(entry));
#pragma unroll
        for (int k = 0; k < Record::pieces; ++k) {
            const unsigned piece = k * warp_lanes + lane;
            const unsigned which = piece / Record::pieces;
            const std::uint32_t from = __shfl_sync(0xffffffffU, index, static_cast<int>(which));
            if (which < n) {
                __pipeline_memcpy_async(
                    reinterpret_cast<uint4*>(stage) + piece,
                    reinterpret_cast<const uint4*>(all.records + from) + piece % Record::pieces,
                    Record::piece
                );
            }
        }
        __pipeline_commit();
    }
};

/// The blocks that a multiprocessor should run at once: as many as leave registers for two
/// expansions.
template <class Real, int P>
inline constexpr int taylor_m2l_blocks = FarRecord<Real, P>::pieces <= 11   ? 4
                                         : FarRecord<Real, P>::pieces <= 17 ? 3
                                                                            : 2;

/// Does what K::m2l() does by loops, whose coefficients are in memory.
template <class K, int P>
__device__ __noinline__ void m2l_by_loops(
    const K& kernel,
    const Frame<typename K::Real, 3>& source,
    const typename K::Real* a,
    const Frame<typename K::Real, 3>& target,
    typename K::Real (&sum)[n_cartesian(P)]
) {
    for (typename K::Real& coefficient : sum) {
        coefficient = 0;
    }
    kernel.m2l(CartesianOrder<0>{P}, source, a, target, sum);
}

/// Adds boxes of very different size, which are rare.
template <class K, int P>
__device__ void add_of_any_size(
    const K& kernel,
    const Frame<typename K::Real, 3>& source,
    const typename K::Real* a,
    const Frame<typename K::Real, 3>& target,
    typename K::Real (&sum)[n_cartesian(P)]
) {
    typename K::Real own[n_cartesian(P)];
    m2l_by_loops<K, P>(kernel, source, a, target, own);
#pragma unroll
    for (int k = 0; k < n_cartesian(P); ++k) {
        sum[k] += own[k];
    }
}

/// Adds the far boxes of one row a warp.
template <class K, int P>
__global__ void
__launch_bounds__(taylor_m2l_warps<typename K::Real, P>* warp_lanes, taylor_m2l_blocks<typename K::Real, P>)
    taylor_m2l_kernel(
        const __grid_constant__ M2LTask<K> task,
        const __grid_constant__ FarRecords<FarRecord<typename K::Real, P>> all
    ) {
    using Real = typename K::Real;
    using Record = FarRecord<Real, P>;
    __shared__ Record stages[taylor_m2l_warps<Real, P>][warp_lanes];
    const std::size_t row = thread_index() / warp_lanes;
    if (row >= n_boxes_of<3>(task.args)) {
        return;
    }
    Record* const stage = stages[threadIdx.x / warp_lanes];
    const unsigned lane = threadIdx.x % warp_lanes;
    const auto kernel = kernel_of<K>(task.args.kernel);
    const FarReferences named = task.references(0);
    const ListView far = task.far();
    const auto target = expansion_frame<Real>(task.boxes, row);
    const std::uint32_t end = far.offsets[row + 1];
    Real sum[Record::n] = {};
    for (std::uint32_t e = far.offsets[row]; e < end; e += warp_lanes) {
        const unsigned n = end - e < warp_lanes ? end - e : warp_lanes;
        StagedFarBoxes<K, P>::fetch(all, named, far.boxes + e, n, stage);
        __pipeline_wait_prior(0);
        __syncwarp();
        if (lane < n) {
            const auto source = seen_from<Real>(target.centre, stage[lane].frame);
            const auto to = centred<Real>(target);
            if (source.radius <= K::most_like_size * to.radius) {
                kernel.m2l_of_like_size(
                    CartesianOrder<P>{P}, source, stage[lane].multipole, to, sum
                );
            } else {
                add_of_any_size<K, P>(kernel, source, stage[lane].multipole, to, sum);
            }
        }
        __syncwarp();
    }
    reduce_registers<Record::n, warp_lanes>(sum, Record::n, [&](int k, Real value) {
        task.locals[row * Record::n + k] = value;
    });
}

template <class K, int P>
bool packed_taylor_m2l(const M2LTask<K>& task) {
    using Record = FarRecord<typename K::Real, P>;
    FarRecords<Record> all{};
    std::size_t n = 0;
    for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
        all.first[slot] = static_cast<std::uint32_t>(n);
        n += task.n_source_boxes(slot);
    }
    const TaskRoom room(n * sizeof(Record));
    if (room.data() == nullptr) {
        return false;
    }
    all.records = static_cast<Record*>(room.data());
    for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
        const std::size_t n_boxes = task.n_source_boxes(slot);
        far_record_kernel<K, P>
            <<<n_blocks(n_boxes, far_record_threads), far_record_threads, 0, cuda_stream()>>>(
                task.sources[slot], task.multipoles[slot], all.records + all.first[slot]
            );
        check_cuda(cudaGetLastError(), "launch of far_record_kernel");
    }
    constexpr unsigned warps = taylor_m2l_warps<typename K::Real, P>;
    const unsigned blocks = n_blocks(n_boxes_of<3>(task.args), warps);
    constexpr unsigned threads = warps * warp_lanes;
    taylor_m2l_kernel<K, P><<<blocks, threads, 0, cuda_stream()>>>(task, all);
    check_cuda(cudaGetLastError(), "launch of taylor_m2l_kernel");
    return true;
}

/// Runs M2L.
/// \returns false, and does nothing, for orders too high for it, for a pyramid, or if the device
/// has too little memory left
template <class K>
bool taylor_m2l(const M2LTask<K>& task) {
    bool is_done = false;
    if (task.args.has_orthtree()) {
        with_taylor_order<K>(task.args.order, [&](auto order) {
            is_done = packed_taylor_m2l<K, order()>(task);
        });
    }
    return is_done;
}

} // namespace starfmm
