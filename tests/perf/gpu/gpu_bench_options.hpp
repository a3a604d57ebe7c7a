// SPDX-License-Identifier: BSD-3-Clause
// Options of pyramid2d_gpu say what it measures, and the cases follow from them.
#pragma once

#include "core/options.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace starfmm {

struct GpuBenchOptions {
    std::vector<double> n{1e4, 1e5, 1e6, 45.0 * (1 << 16), 1e7, 1e8};
    std::vector<double> tolerances{1e-3, 1e-6, 1e-12};
    std::vector<std::string> distributions{"uniform", "normal", "layer"};
    std::vector<std::string> precisions{"double", "single"};
    PlanOptions plan;
    int gpus = 1;
    int repeat = 15;
    std::string json;
};

struct GpuCase {
    std::size_t n;
    double tolerance;
    std::string distribution;
    Precision precision;
};

/// Reads the command line. Empty after --help was printed.
/// \throws InputError naming the option, its value and what is allowed
[[nodiscard]] std::optional<GpuBenchOptions> parse_gpu_bench(int argc, char** argv);

/// Returns all combinations except those beyond the digits of single precision.
[[nodiscard]] std::vector<GpuCase> cases_of(const GpuBenchOptions& options);

} // namespace starfmm
