// SPDX-License-Identifier: BSD-3-Clause
// Points into the order of the Z-order curve of the deepest level [SL13 Sec III.A]. O(N) passes of
// a radix sort, or as rank does it.
//
// The order is unique: by place on the curve, then by user index. Every body gives the same bits.
#pragma once

#include "codelets/task/task_views.hpp"
#include "codelets/tree/sort_task.hpp"
#include "core/tree/orthtree.hpp"

#ifndef __CUDACC__
#include <boost/sort/spreadsort/integer_sort.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// Bytes of scratch that `curve` needs for n points, on any worker: on a CPU 16 a point, on a GPU
/// what `rank` needs.
constexpr std::size_t curve_scratch_bytes(std::size_t n) {
    return rank_scratch_bytes(n);
}

struct CurveTask;
template <class Isa>
void curve_cpu(const CurveTask& task);
void curve_cuda(const CurveTask& task);

struct CurveTask {
    static constexpr std::string_view name = "curve";
    static constexpr Color color = Color::brown;
    PointView positions;        ///< W   [n], order of the curve
    std::uint32_t* permutation; ///< W   [n], order of the curve to user order
    DeepCode* codes;            ///< W   [n], ascending
    std::byte* scratch;         ///< scratch [curve_scratch_bytes(n)]
    const Domain<2>* domain;    ///< R   [1]
    const double* x;            ///< R   [n], user order
    const double* y;            ///< R   [n]
    std::size_t n;

    template <class Buffers>
    static CurveTask of(Buffers& buffers) {
        CurveTask task{};
        task.positions = buffers.template write<PointView>();
        task.permutation = buffers.template write<std::uint32_t>();
        task.n = buffers.size();
        task.codes = buffers.template write<DeepCode>();
        task.scratch = buffers.template scratch<std::byte>();
        task.domain = buffers.template read<Domain<2>>();
        task.x = buffers.template read<double>();
        task.y = buffers.template read<double>();
        return task;
    }

    template <class Isa>
    static void cpu(const CurveTask& task) {
        curve_cpu<Isa>(task);
    }

    static void cuda(const CurveTask& task) { curve_cuda(task); }

    [[nodiscard]] STARFMM_HOST_DEVICE DeepCode code_of(std::size_t i) const {
        return deep_code_of<2>(*domain, {x[i], y[i]});
    }

    /// Adding zero turns -0 into +0, as the pyramid's sort does.
    STARFMM_HOST_DEVICE void set_position(std::size_t i, std::uint32_t index) const {
        positions.x[i] = x[index] + 0.0;
        positions.y[i] = y[index] + 0.0;
    }
};

#ifndef __CUDACC__
/// A point's place, and which one it is.
struct CurvePoint {
    DeepCode code;
    std::uint32_t index;
};

template <class Isa>
void curve_cpu(const CurveTask& task) {
    auto* points = reinterpret_cast<CurvePoint*>(task.scratch);
    for (std::size_t i = 0; i < task.n; ++i) {
        points[i] = {task.code_of(i), static_cast<std::uint32_t>(i)};
    }
    const auto digits = [](const CurvePoint& point, unsigned shift) { return point.code >> shift; };
    const auto is_before = [](const CurvePoint& a, const CurvePoint& b) {
        return a.code < b.code || (a.code == b.code && a.index < b.index);
    };
    boost::sort::spreadsort::integer_sort(points, points + task.n, digits, is_before);
    // It takes points of one place for sorted.
    for (std::size_t begin = 0; begin < task.n;) {
        std::size_t end = begin + 1;
        while (end < task.n && points[end].code == points[begin].code) {
            ++end;
        }
        if (end - begin > 1) {
            std::sort(points + begin, points + end, is_before);
        }
        begin = end;
    }
    for (std::size_t i = 0; i < task.n; ++i) {
        task.codes[i] = points[i].code;
        task.permutation[i] = points[i].index;
        task.set_position(i, points[i].index);
    }
}
#endif

} // namespace starfmm
