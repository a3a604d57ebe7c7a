// SPDX-License-Identifier: BSD-3-Clause
#include "core/parallel_copy.hpp"

#include <omp.h>
#include <pthread.h>

#include <algorithm>

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

} // namespace starfmm
