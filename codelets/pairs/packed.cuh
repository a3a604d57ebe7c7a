// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of direct sums over packed bodies.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/task_room.cuh"
#include "codelets/pairs/packed.hpp"

#include <cuda_pipeline.h>

#include <algorithm>
#include <new>

namespace starfmm {

template <class K>
struct DirectTask;

/// The shape of a launch: targets of a thread, whose sums share the loads of a source; threads of a
/// block, as many as there are sources in a stage of shared memory; blocks of a multiprocessor,
/// which bounds the registers. Measured on an H200, more blocks of fewer registers, and more
/// targets in fewer blocks, are 3 to 8 % slower.
template <class P>
struct PackedShape {
    static constexpr int tile = sizeof(typename P::Real) == sizeof(double) ? 2 : 4;
    static constexpr int threads = 256;
    static constexpr int resident = 2;
    static constexpr int unroll = sizeof(typename P::Sum) == sizeof(double) ? 8 : 16;
    static constexpr std::size_t targets = tile * threads;
};

/// A packed body, which is loaded and stored by 16 bytes.
template <class P>
struct alignas(16) PackedBody {
    typename P::Real numbers[P::width];

    __device__ typename P::template Position<typename P::Real> position() const {
        return P::template position<typename P::Real>([this](int k) { return numbers[k]; });
    }

    __device__ typename P::Real mass() const { return numbers[3]; }
};

/// The sources [begin, end) of a task, which pass through shared memory while the stage before is
/// summed.
template <class P>
class SourceStages {
public:
    static constexpr int size = PackedShape<P>::threads;
    using Body = PackedBody<P>;

    __device__ SourceStages(Body (&buffer)[2][size], const Body* sources, std::size_t end)
        : buffer_(buffer), sources_(sources), end_(end) {}

    /// Starts to copy `size` sources from `begin`; places beyond the end are bodies without mass.
    __device__ void fetch(std::size_t begin, int stage) {
        constexpr int bytes = 16;
        const std::size_t i = begin + threadIdx.x;
        const bool exists = i < end_;
        const auto* from = reinterpret_cast<const char*>(sources_ + (exists ? i : 0));
        auto* to = reinterpret_cast<char*>(&buffer_[stage][threadIdx.x]);
#pragma unroll
        for (int part = 0; part < int(sizeof(Body)); part += bytes) {
            __pipeline_memcpy_async(to + part, from + part, bytes, exists ? 0 : bytes);
        }
        __pipeline_commit();
    }

    const __device__ Body (&wait(int stage))[size] {
        __pipeline_wait_prior(0);
        __syncthreads();
        return buffer_[stage];
    }

private:
    Body (&buffer_)[2][size];
    const Body* sources_;
    std::size_t end_;
};

/// The targets of a thread.
template <class Task, Closeness closeness>
class PackedThread {
public:
    using P = typename Task::P;
    using Real = typename Task::Real;
    using Sum = typename Task::Sum;
    using Shape = PackedShape<P>;
    static constexpr int tile = Shape::tile;

    __device__ PackedThread(const Task& task, std::size_t first)
        : epsilon_square_(static_cast<Real>(task.epsilon_square)) {
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            const std::size_t i = first + t * Shape::threads;
            PackedBody<P> target;
            task.pack_target(i < task.n_targets ? i : task.n_targets - 1, target.numbers);
            position_[t] = target.position();
        }
    }

    /// Adds a stage.
    /// \param self  number of sources from the stage's first to the first target itself
    __device__ void add(const PackedBody<P> (&sources)[SourceStages<P>::size], std::int64_t self) {
        Vector3<Real> acceleration[tile] = {};
        Real potential[tile] = {};
#pragma unroll Shape::unroll
        for (int j = 0; j < SourceStages<P>::size; ++j) {
            const PackedBody<P> source = sources[j];
#pragma unroll
            for (int t = 0; t < tile; ++t) {
                Real mass = source.mass();
                if constexpr (Task::has_potential) {
                    mass = self + t * Shape::threads == j ? Real(0) : mass;
                }
                const Real pair = attract<closeness>(
                    displacement(position_[t], source.position()),
                    mass,
                    epsilon_square_,
                    acceleration[t]
                );
                potential[t] += pair;
            }
        }
        // long sums in Real would lose digits
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            total_[t][0] += acceleration[t].x;
            total_[t][1] += acceleration[t].y;
            total_[t][2] += acceleration[t].z;
            if constexpr (Task::has_potential) {
                total_[t][3] += potential[t];
            }
        }
    }

    /// Calls add(target, component, sum).
    template <class Add>
    __device__ void store(std::size_t first, std::size_t n_targets, const Add& add) const {
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            const std::size_t i = first + t * Shape::threads;
            if (i < n_targets) {
#pragma unroll
                for (int c = 0; c < Task::components; ++c) {
                    add(i, c, total_[t][c]);
                }
            }
        }
    }

private:
    Real epsilon_square_;
    typename P::template Position<Real> position_[tile];
    Sum total_[tile][Task::components] = {};
};

/// Packs the sources of a direct task.
template <class K>
__global__ void
pack_kernel(const __grid_constant__ DirectTask<K> task, PackedBody<typename K::Packed>* packed) {
    const std::size_t i = thread_index();
    if (i < task.n_sources) {
        PackedBody<typename K::Packed> body;
        K::Packed::pack(task.sources[i], task.strengths[i], body.numbers);
        packed[i] = body;
    }
}

/// Sums in block (x, y) the x-th tile of targets against the y-th of gridDim.y parts of the
/// sources.
/// \param partial [gridDim.y][components][n_targets], if there are several parts
template <class Task, Closeness closeness>
__global__ void
__launch_bounds__(PackedShape<typename Task::P>::threads, PackedShape<typename Task::P>::resident)
    packed_kernel(const __grid_constant__ Task task, typename Task::Sum* partial) {
    using P = typename Task::P;
    using Shape = PackedShape<P>;
    using Stages = SourceStages<P>;
    __shared__ PackedBody<P> buffer[2][Stages::size];
    const std::size_t first = std::size_t(blockIdx.x) * Shape::targets + threadIdx.x;
    const std::size_t begin = task.n_sources * blockIdx.y / gridDim.y;
    const std::size_t end = task.n_sources * (blockIdx.y + 1) / gridDim.y;
    PackedThread<Task, closeness> targets(task, first);
    Stages stages(buffer, reinterpret_cast<const PackedBody<P>*>(task.sources), end);
    stages.fetch(begin, 0);
    int stage = 0;
    for (std::size_t source = begin; source < end; source += Stages::size, stage ^= 1) {
        const auto& sources = stages.wait(stage);
        stages.fetch(source + Stages::size, stage ^ 1);
        targets.add(sources, task.self + std::int64_t(first) - std::int64_t(source));
    }
    targets.store(first, task.n_targets, [&](std::size_t i, int c, typename Task::Sum sum) {
        if (gridDim.y == 1) {
            task.add(i, c, sum);
        } else {
            partial[(blockIdx.y * Task::components + c) * task.n_targets + i] = sum;
        }
    });
}

/// Adds up the sums over the parts of the sources, in their order.
template <class Task>
__global__ void packed_parts_kernel(
    const __grid_constant__ Task task, const typename Task::Sum* partial, unsigned splits
) {
    const std::size_t i = thread_index();
    if (i >= task.n_targets) {
        return;
    }
    for (int c = 0; c < Task::components; ++c) {
        typename Task::Sum sum = 0;
        for (unsigned split = 0; split < splits; ++split) {
            sum += partial[(split * Task::components + c) * task.n_targets + i];
        }
        task.add(i, c, sum);
    }
}

/// Returns the most parts that have room for their sums: enough to fill a GPU if targets are few,
/// and some to even out the last wave if they are many.
inline std::size_t most_splits(std::size_t n_sums) {
    constexpr std::size_t wanted = std::size_t(1) << 25;
    constexpr std::size_t fewest = 4;
    return std::clamp(wanted / n_sums, fewest, most_packed_splits);
}

/// Returns the number of parts of the sources for which the last wave of blocks is as full as can
/// be.
/// \param slots  blocks that run at once
template <class P>
unsigned
packed_splits(std::size_t tiles, std::size_t n_sources, std::size_t slots, std::size_t most) {
    constexpr std::size_t stage = SourceStages<P>::size;
    constexpr std::size_t overhead = stage / 2; // sources summed in the time that a block starts in
    std::size_t best = 1;
    std::size_t lowest = 0;
    for (std::size_t splits = 1; splits <= most; ++splits) {
        const std::size_t waves = (tiles * splits + slots - 1) / slots;
        const std::size_t part = (n_sources + splits - 1) / splits;
        const std::size_t cost = waves * ((part + stage - 1) / stage * stage + overhead);
        if (splits == 1 || cost < lowest) {
            best = splits;
            lowest = cost;
        }
    }
    return static_cast<unsigned>(best);
}

/// Returns the number of blocks of `kernel` that a multiprocessor holds.
template <class Kernel>
std::size_t resident_blocks(Kernel* kernel, int threads) {
    int blocks = 0;
    check_cuda(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
    );
    return static_cast<std::size_t>(blocks);
}

template <class K>
GravityMachine gravity_machine_cuda() {
    using Shape = PackedShape<typename K::Packed>;
    using Task = PackedTask<K, PackedSums::acceleration>;
    const auto kernel = packed_kernel<Task, Closeness::softened>;
    GravityMachine machine;
    machine.clock = 1e3 * static_cast<double>(device_attribute(cudaDevAttrClockRate));
    machine.multiprocessors = n_multiprocessors();
    machine.lanes = 128; // of Hopper; elsewhere the fit of cycles a pair makes up for it
    machine.block_targets = Shape::targets;
    machine.resident = resident_blocks(kernel, Shape::threads);
    machine.most_source_splits = most_packed_splits;
    machine.latency = 600; // between 400 and 800 [MTM13 sec. 6.1]; hidden where blocks are full
    return machine;
}

/// Sums over the sources of `task` once they are packed in the order of the stream.
template <Closeness closeness, class Task>
void launch_packed(Task part, const DirectTask<typename Task::Kernel>& task) {
    using P = typename Task::P;
    using Shape = PackedShape<P>;
    using Body = PackedBody<P>;
    using Sum = typename Task::Sum;
    const auto kernel = packed_kernel<Task, closeness>;
    const unsigned tiles = n_blocks(part.n_targets, Shape::targets);
    const std::size_t n_sums = Task::components * part.n_targets;
    const std::size_t slots = n_multiprocessors() * resident_blocks(kernel, Shape::threads);
    const unsigned splits = packed_splits<P>(tiles, part.n_sources, slots, most_splits(n_sums));
    const std::size_t n_partial = splits > 1 ? splits * n_sums : 0;
    RoomParts needed(nullptr);
    needed.take<Body>(part.n_sources);
    needed.take<Sum>(n_partial);
    const TaskRoom room(needed.bytes());
    if (room.data() == nullptr) {
        throw std::bad_alloc();
    }
    RoomParts parts(room.data());
    auto* const packed = parts.take<Body>(part.n_sources);
    auto* const partial = parts.take<Sum>(n_partial);
    part.sources = packed->numbers;
    constexpr unsigned threads = Shape::threads;
    pack_kernel<typename Task::Kernel>
        <<<n_blocks(part.n_sources, threads), threads, 0, cuda_stream()>>>(task, packed);
    check_cuda(cudaGetLastError(), "launch of pack_kernel");
    kernel<<<dim3(tiles, splits), threads, 0, cuda_stream()>>>(part, partial);
    check_cuda(cudaGetLastError(), "launch of packed_kernel");
    if (splits > 1) {
        packed_parts_kernel<Task><<<n_blocks(part.n_targets, threads), threads, 0, cuda_stream()>>>(
            part, partial, splits
        );
        check_cuda(cudaGetLastError(), "launch of packed_parts_kernel");
    }
}

/// \pre there are targets
template <class K>
void packed_cuda(const DirectTask<K>& task) {
    if (task.n_sources == 0) {
        return;
    }
    with_packed_task<K>(task, [&](const auto& part) {
        if (part.is_softened()) {
            launch_packed<Closeness::softened>(part, task);
        } else {
            launch_packed<Closeness::any>(part, task);
        }
    });
}

} // namespace starfmm
