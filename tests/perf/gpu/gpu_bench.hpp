// SPDX-License-Identifier: BSD-3-Clause
// This function measures one case of pyramid2d_gpu.
#pragma once

#include "tests/perf/gpu/gpu_bench_options.hpp"

#include <nlohmann/json.hpp>

namespace starfmm {

/// Measures and prints each phase against its floor, on one GPU, and whole runs: end to end from
/// pageable and from page-locked arrays, with data resident on the GPU, and on one GPU resident by
/// the same bodies in order on one stream without StarPU.
/// \returns the record of the case
[[nodiscard]] nlohmann::json measure_on_gpu(const GpuBenchOptions& options, const GpuCase& c);

} // namespace starfmm
