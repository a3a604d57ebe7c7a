// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/samples.hpp"

namespace starfmm {

namespace {

/// Leaves of 6 to 300 points, orders of all tolerances, in a core's cache: every unit is a large
/// part of some sample. A few milliseconds each. Several where direct summation breaks even.
constexpr Sample cpu_fmm[]{
    {300, 1, 0.5, 24},
    {1000, 2, 0.5, 24},
    {1500, 2, 0.6, 34},
    {1500, 3, 0.5, 24},
    {2500, 4, 0.5, 24},
    {10'000, 3, 0.5, 14},
    {10'000, 4, 0.6, 34},
    {10'000, 5, 0.5, 14},
    {10'000, 5, 0.5, 24},
    {10'000, 5, 0.5, 48},
    {40'000, 4, 0.6, 24},
    {40'000, 5, 0.5, 24},
    {40'000, 5, 0.6, 60},
    {40'000, 6, 0.5, 14},
    {40'000, 6, 0.6, 34}};
constexpr std::size_t cpu_direct[]{256, 1024, 3000};

/// The same for octrees: leaves of 10 to 160 points.
constexpr Sample cpu_fmm_in_space[]{
    {300, 1, 0.5, 14},
    {1000, 2, 0.5, 14},
    {2500, 3, 0.6, 16, 5},
    {4000, 2, 0.64, 8},
    {4000, 2, 0.5, 24},
    {4000, 3, 0.6, 12, 5},
    {10'000, 2, 0.6, 12},
    {10'000, 3, 0.5, 4},
    {10'000, 3, 0.5, 12},
    {10'000, 3, 0.64, 20},
    {10'000, 3, 0.64, 30, 6},
    {20'000, 3, 0.7, 6, 5},
    {20'000, 3, 0.7, 24, 7},
    {40'000, 4, 0.6, 4},
    {40'000, 4, 0.75, 9},
    {20'000, 3, 0.5, 14}};

/// Sizes from where launches cost most to where the GPU is full; several where direct summation
/// breaks even.
constexpr Sample gpu_fmm[]{
    {300, 1, 0.5, 24},
    {4000, 3, 0.5, 24},
    {10'000, 4, 0.5, 24},
    {20'000, 4, 0.6, 34},
    {20'000, 5, 0.5, 24},
    {30'000, 5, 0.55, 28},
    {100'000, 5, 0.5, 24},
    {100'000, 6, 0.5, 24},
    {100'000, 7, 0.6, 34},
    {400'000, 6, 0.6, 34},
    {400'000, 7, 0.5, 14},
    {400'000, 7, 0.5, 24},
    {400'000, 7, 0.6, 60},
    {1'000'000, 6, 0.6, 14},
    {1'000'000, 7, 0.5, 24},
    {1'000'000, 7, 0.6, 48},
    {1'000'000, 8, 0.5, 24},
    {1'000'000, 8, 0.65, 38}};
constexpr Sample gpu_fmm_in_space[]{
    {300, 1, 0.5, 14},
    {4000, 2, 0.5, 14},
    {10'000, 2, 0.64, 19},
    {20'000, 3, 0.5, 14},
    {20'000, 3, 0.64, 19, 5},
    {100'000, 4, 0.6, 19},
    {100'000, 4, 0.5, 14},
    {100'000, 4, 0.7, 8, 5},
    {400'000, 4, 0.5, 22},
    {400'000, 5, 0.5, 22, 5},
    {400'000, 4, 0.6, 12, 7},
    {400'000, 5, 0.75, 6},
    {1'000'000, 5, 0.6, 30},
    {1'000'000, 5, 0.64, 8},
    {1'000'000, 5, 0.7, 23, 5},
    {1'000'000, 5, 0.5, 14, 6},
    {40'000, 3, 0.765, 14, 5, 1e-6},
    {100'000, 4, 0.765, 7, 2, 1e-3},
    {400'000, 5, 0.765, 14, 2, 1e-6},
    {400'000, 4, 0.765, 24, 6, 1e-9},
    {1'000'000, 5, 0.765, 7, 5, 1e-3},
    {1'000'000, 5, 0.765, 14, 2, 1e-6},
    {1'000'000, 4, 0.765, 14, 6, 1e-6},
    {1'000'000, 5, 0.765, 24, 5, 1e-9}};
constexpr std::size_t gpu_direct[]{512, 4000, 10'000, 16'000, 20'000, 24'000, 32'000, 64'000};

} // namespace

Samples cpu_samples(int dimension) {
    return {dimension == 2 ? std::span<const Sample>(cpu_fmm) : cpu_fmm_in_space, cpu_direct};
}

Samples gpu_samples(int dimension) {
    return {dimension == 2 ? std::span<const Sample>(gpu_fmm) : gpu_fmm_in_space, gpu_direct};
}

} // namespace starfmm
