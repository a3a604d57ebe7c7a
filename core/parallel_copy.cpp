// SPDX-License-Identifier: BSD-3-Clause
#include "core/parallel_copy.hpp"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>

namespace starfmm {

namespace {

/// A forked child would wait for ever for threads that only its parent has. With one thread, OpenMP
/// needs no other.
void stay_alone() {
    omp_set_num_threads(1);
}

[[maybe_unused]] const int is_registered = pthread_atfork(nullptr, nullptr, stay_alone);

} // namespace

int copy_threads(std::ptrdiff_t n) {
    const auto most = static_cast<int>(std::clamp<std::ptrdiff_t>(n >> 20, 8, 32));
    return std::min(omp_get_max_threads(), std::clamp(omp_get_num_procs() / 2, 1, most));
}

void copy_bytes(const void* from, std::size_t n_bytes, void* to) {
    constexpr std::size_t block = std::size_t(copy_block) * sizeof(double);
    const auto* const source = static_cast<const std::byte*>(from);
    auto* const target = static_cast<std::byte*>(to);
    const auto n = static_cast<std::ptrdiff_t>(n_bytes / sizeof(double));
    const auto n_blocks = static_cast<std::ptrdiff_t>((n_bytes + block - 1) / block);
#pragma omp parallel for schedule(dynamic) num_threads(copy_threads(n)) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n_blocks; ++i) {
        const std::size_t begin = static_cast<std::size_t>(i) * block;
        std::memcpy(target + begin, source + begin, std::min(block, n_bytes - begin));
    }
}

} // namespace starfmm
