// SPDX-License-Identifier: BSD-3-Clause
// Direct sums one block of targets against one block of sources, every pair. O(pairs).
#pragma once

#include "codelets/opencl/pairs.hpp"
#include "codelets/pairs/packed.hpp"
#include "codelets/task/task_views.hpp"

#ifndef __CUDACC__
#include "codelets/pairs/mixed_tile.hpp"
#include "codelets/pairs/pair_tile.hpp"
#endif

#include <algorithm>
#include <string_view>

namespace starfmm {

template <class K>
struct DirectTask;
template <class K, class Isa>
void direct_cpu(const DirectTask<K>& task);
template <class K>
void direct_cuda(const DirectTask<K>& task);

template <class K>
struct DirectTask {
    static constexpr std::string_view name = "direct";
    static constexpr Color color = Color::orange;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    TaskArgs args;
    ValueView<K>
        values; ///< accumulate: results of the target block; zeroed by the first source block
    PointView<D> targets;      ///< R, from DirectArgs::first_target of the buffer
    PointView<D> sources;      ///< R
    StrengthView<K> strengths; ///< R
    std::size_t n_targets;
    std::size_t n_sources;

    template <class Buffers>
    static DirectTask of(Buffers& buffers) {
        DirectTask task{
            buffers.args(), buffers.template accumulate<ValueView<K>>(), {}, {}, {}, 0, 0};
        task.n_targets = buffers.size() / n_value_components<K>;
        task.targets = buffers.template read<PointView<D>>();
        for (double*& x : task.targets.x) {
            x += task.args.direct.first_target;
        }
        task.sources = buffers.template read<PointView<D>>();
        task.n_sources = buffers.size() / D;
        task.strengths = buffers.template read<StrengthView<K>>();
        return task;
    }

    template <class Isa>
    static void cpu(const DirectTask& task) {
        direct_cpu<K, Isa>(task);
    }

    static void cuda(const DirectTask& task) { direct_cuda<K>(task); }

    static void opencl(void* buffers[], const TaskArgs& args) requires(TraceableKernel<K>) {
        direct_opencl(opencl_pairs<K>(), buffers, traced_parameter<K>(args.kernel));
    }
};

#ifndef __CUDACC__
template <class K, class Isa>
void direct_cpu(const DirectTask<K>& task) {
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;
    constexpr std::size_t tile = pair_tile<K, B>;
    if constexpr (has_packed<K>) {
        if (task.args.direct.packed != PackedSums::none) {
            return packed_cpu<K, Isa>(task);
        }
    }
    const auto kernel = kernel_of<K>(task.args.kernel);
    const SourcePiece<K> sources{task.sources, task.strengths, 0, task.n_sources};
    if constexpr (has_mixed_pairs<K>) {
        const auto pieces = [&](const auto& use) { use(sources); };
        const StoredSums<K> sums{task.values, Store::add};
        mixed_sums<K, Isa>(kernel, task.targets, 0, task.n_targets, pieces, sums);
        return;
    }
    for (std::size_t begin = 0; begin < task.n_targets; begin += tile * B::size) {
        LanePoint<K, B> z[tile];
        LaneValue<K, B> sum[tile];
        const auto idle = task.targets[begin];
        for (std::size_t t = 0; t < tile; ++t) {
            const std::size_t i = begin + t * B::size;
            const std::size_t count = i < task.n_targets ? task.n_targets - i : 0;
            z[t] = load_pair_points<Real, B>(task.targets, i, count, idle);
            sum[t] = zero_value<K, B>();
        }
        add_piece<K, B>(kernel, z, sources, sum);
        for (std::size_t t = 0; t < tile && begin + t * B::size < task.n_targets; ++t) {
            const std::size_t i = begin + t * B::size;
            store_values<K, B>(task.values, i, task.n_targets - i, sum[t], Store::add);
        }
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/pairs/direct.cuh"
#endif
