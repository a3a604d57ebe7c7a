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
#include <limits>
#include <string_view>

namespace starfmm {

template <class K>
struct DirectTask;
template <class K, class Isa>
void direct_cpu(const DirectTask<K>& task);
template <class K>
void direct_cuda(const DirectTask<K>& task);

/// The points of a direct sum. Their lengths, of kernels that have them, lie behind the coordinates.
template <class K>
struct DirectPoints {
    static constexpr int D = dimension_of<K>;
    static constexpr std::size_t parts = D + (has_lengths<K> ? 1 : 0);
    PointView<D> points;
    const double* lengths = nullptr;
    std::size_t n = 0;

    static DirectPoints of(void* buffer) {
        DirectPoints all;
        all.n = buffer_size(buffer) / parts;
        auto* const data = buffer_data<double>(buffer);
        for (int d = 0; d < D; ++d) {
            all.points.x[d] = data + d * all.n;
        }
        if constexpr (has_lengths<K>) {
            all.lengths = data + D * all.n;
        }
        return all;
    }
};

template <class K>
struct DirectTask {
    static constexpr std::string_view name = "direct";
    static constexpr Color color = Color::orange;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    TaskArgs args;
    ValueView<K>
        values; ///< accumulate: results of the target block; zeroed by the first source block
    PointView<D> targets;         ///< R, from DirectArgs::first_target of the buffer
    const double* target_lengths; ///< behind the targets; null of kernels without
    PointView<D> sources;         ///< R
    StrengthView<K> strengths;    ///< R
    std::size_t n_targets;
    std::size_t n_sources;

    template <class Buffers>
    static DirectTask of(Buffers& buffers) {
        DirectTask task{
            buffers.args(), buffers.template accumulate<ValueView<K>>(), {}, nullptr, {}, {}, 0, 0};
        task.n_targets = buffers.size() / n_value_components<K>;
        const auto targets = buffers.template read<DirectPoints<K>>();
        task.targets = targets.points;
        for (double*& x : task.targets.x) {
            x += task.args.direct.first_target;
        }
        if constexpr (has_lengths<K>) {
            task.target_lengths = targets.lengths + task.args.direct.first_target;
        }
        const auto sources = buffers.template read<DirectPoints<K>>();
        task.sources = sources.points;
        task.n_sources = sources.n;
        task.strengths = buffers.template read<StrengthView<K>>();
        return task;
    }

    template <class Isa>
    static void cpu(const DirectTask& task) {
        direct_cpu<K, Isa>(task);
    }

    static void cuda(const DirectTask& task) { direct_cuda<K>(task); }

    static void opencl(void* buffers[], const TaskArgs& args) requires(TraceableKernel<K>) {
        direct_opencl(opencl_pairs<K>(), buffers, args, traced_parameter<K>(args.kernel));
    }
};

#ifndef __CUDACC__
/// The sources whose sum is added to the values at once: long sums in single precision lose digits.
template <class Real>
inline constexpr std::size_t direct_chunk = sizeof(Real) == sizeof(float)
                                                ? 256
                                                : std::numeric_limits<std::size_t>::max();

/// Adds all sources to one tile of targets, the first of which is `begin`.
template <class K, class B>
void add_direct_tile(const DirectTask<K>& task, const SourcePiece<K>& sources, std::size_t begin) {
    using Real = typename K::Real;
    constexpr std::size_t tile = pair_tile<K, B>;
    const auto kernel = kernel_of<K>(task.args.kernel);
    LanePoint<K, B> z[tile];
    LaneLengths<K, B, tile> lengths;
    const auto idle = task.targets[begin];
    for (std::size_t t = 0; t < tile; ++t) {
        const std::size_t i = begin + t * B::size;
        const std::size_t count = i < task.n_targets ? task.n_targets - i : 0;
        z[t] = load_pair_points<Real, B>(task.targets, i, count, idle);
        lengths.load(t, task.target_lengths, i, count);
    }
    for (std::size_t j = 0, end = 0; j < task.n_sources; j = end) {
        end = j + std::min(direct_chunk<Real>, task.n_sources - j);
        LaneValue<K, B> sum[tile];
        for (auto& lanes : sum) {
            lanes = zero_value<K, B>();
        }
        add_piece<K, B>(kernel, z, begin, sources.part(j, end), sum, lengths);
        for (std::size_t t = 0; t < tile && begin + t * B::size < task.n_targets; ++t) {
            const std::size_t i = begin + t * B::size;
            store_values<K, B>(task.values, i, task.n_targets - i, sum[t], Store::add);
        }
    }
}

template <class K, class Isa>
void direct_cpu(const DirectTask<K>& task) {
    using B = Batch<typename K::Real, Isa>;
    if constexpr (has_packed<K>) {
        if (task.args.direct.packed != PackedSums::none) {
            return packed_cpu<K, Isa>(task);
        }
    }
    const SourcePiece<K> sources{
        task.sources, task.strengths, 0, task.n_sources, task.args.direct.self};
    if constexpr (has_mixed_pairs<K>) {
        const auto kernel = kernel_of<K>(task.args.kernel);
        const auto pieces = [&](const auto& use) { use(sources); };
        const StoredSums<K> sums{task.values, Store::add};
        mixed_sums<K, Isa>(kernel, task.targets, 0, task.n_targets, pieces, sums);
        return;
    }
    constexpr std::size_t n_lanes = pair_tile<K, B> * B::size;
    for (std::size_t begin = 0; begin < task.n_targets; begin += n_lanes) {
        add_direct_tile<K, B>(task, sources, begin);
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/pairs/direct.cuh"
#endif
