// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of gather.
#pragma once

#include "codelets/cuda/index_kernel.cuh"
#include "codelets/exchange/gather.hpp"

#include <algorithm>

namespace starfmm {

template <class Real>
__device__ void set_strengths(const StrengthsTask<Real>& task, std::size_t i) {
    const std::uint32_t user = task.permutation[i];
    for (std::size_t part = 0; part < task.parts.n; ++part) {
        task.strengths[part * task.n + i] = static_cast<Real>(task.parts.of[part].at(user));
    }
}

/// The places [begin, end) in the user's order.
struct Window {
    std::size_t begin;
    std::size_t end;
};

/// Scatters one part of a point's results if they belong to a window, 8 bytes. What is read only
/// once leaves the second cache to them.
template <class Real>
__device__ void
scatter(const GatherTask<Real>& task, std::size_t part, const Window& window, std::size_t i) {
    const std::uint32_t user = __ldcs(task.permutation + i);
    if (user >= window.begin && user < window.end) {
        const std::size_t j = part * task.n + i;
        const Real far = task.far == nullptr ? Real(0) : __ldcs(task.far + j);
        task.parts.of[part].at(user) =
            static_cast<double>(__ldcs(task.near + j)) + static_cast<double>(far);
    }
}

/// The number of results from which on a window is cleared before its part is scattered, where the
/// group has all of them: the window's lines then lie whole in the second cache, one part after the
/// other. 2949120 points take 0.108 ms, 0.133 if both parts are cleared at once, and 0.176 without
/// clearing; fewer results stay in the cache as they are.
inline constexpr std::size_t cleared_results = std::size_t(1) << 20;

/// The most results of a window: 32 MB of the second cache's 60.
inline constexpr std::size_t window_results = std::size_t(4) << 20;

/// The most windows, each of which reads all places. 1e7 points take 0.48 ms in three windows and
/// 1.10 in one; 1e8 points take 22.7 ms in 24 windows and 13.3 in one.
inline constexpr std::size_t most_windows = 8;

/// Returns the number of windows that the results of a group that has all of them are scattered in.
inline std::size_t n_windows(std::size_t n_results) {
    const std::size_t n = (n_results + window_results - 1) / window_results;
    return n <= most_windows ? n : 1;
}

inline void clear(const Pieces& pieces, const Window& window) {
    for (std::uint32_t i = 0; i < pieces.n; ++i) {
        const std::size_t begin = std::max<std::size_t>(window.begin, pieces.begin[i]);
        const std::size_t end = std::min<std::size_t>(window.end, pieces.begin[i + 1]);
        if (begin < end) {
            double* first = pieces.data[i] + (begin - pieces.begin[i]);
            const std::size_t bytes = (end - begin) * sizeof(double);
            check_cuda(cudaMemsetAsync(first, 0, bytes, cuda_stream()), "cudaMemsetAsync");
        }
    }
}

template <class Real>
void StrengthsTask<Real>::cuda(const StrengthsTask& task) {
    launch_for_each<set_strengths<Real>>(task.n, task);
}

template <class Real>
void GatherTask<Real>::cuda(const GatherTask& task) {
    const std::size_t n_results = task.parts.of[0].n_values();
    const bool has_all = task.n == n_results && task.n >= cleared_results;
    const std::size_t n = has_all ? n_windows(n_results) : 1;
    for (std::size_t part = 0; part < task.parts.n; ++part) {
        for (std::size_t w = 0; w < n; ++w) {
            const Window window{n_results * w / n, n_results * (w + 1) / n};
            if (has_all) {
                clear(task.parts.of[part], window);
            }
            launch_for_each<scatter<Real>>(task.n, task, part, window);
        }
    }
}

} // namespace starfmm
