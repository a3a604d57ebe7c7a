// SPDX-License-Identifier: BSD-3-Clause
// A floor is the least time of a phase on an H200: operations over the rate of their unit, or bytes
// over bandwidth, whichever is more. Rates are measured.
#pragma once

#include "core/options.hpp"
#include "schedulers/plan/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace starfmm {

struct GpuRates {
    double bandwidth = 3.9e12;         ///< bytes/s, read and written
    double link = 55e9;                ///< bytes/s, page-locked host memory
    double radix_sort = 1e7 / 0.37e-3; ///< pairs/s with 32-bit keys, CUB
    double flops;                      ///< fused multiply-adds as two
    double matrix_flops;
    double pairs; ///< harmonic kernel, real strengths

    explicit GpuRates(Precision precision) {
        if (precision == Precision::double_precision) {
            flops = 32.7e12;
            matrix_flops = 66.3e12;
            pairs = 1.36e12; // seed of the reciprocal and a cubic step
        } else {
            flops = 63.6e12;
            matrix_flops = 63.6e12;
            pairs = 63.6e12 / 2 / 13; // 12 instructions and a share of the reciprocal's
        }
    }
};

/// Sizes of one problem that floors follow from.
struct GpuWork {
    double n;      ///< points, sources and targets
    double order;  ///< p: p + 1 coefficients a box
    double boxes;  ///< number of boxes of all levels
    double shifts; ///< M2L translations
    double pairs;  ///< P2P
    double near;   ///< entries of the near lists
    double levels;
    double real_bytes; ///< bytes of one real

    GpuWork(std::size_t points, const PlanInfo& plan, Precision precision)
        : n(static_cast<double>(points)), order(plan.order),
          boxes(4.0 / 3.0 * static_cast<double>(std::size_t(1) << (2 * plan.levels))),
          shifts(static_cast<double>(plan.work.m2l_shifts)),
          pairs(static_cast<double>(plan.work.p2p_pairs)),
          near(pairs / (n * n) * static_cast<double>(std::size_t(1) << (4 * plan.levels))),
          levels(plan.levels), real_bytes(precision == Precision::double_precision ? 8 : 4) {}
};

/// Least seconds of a phase; 0 for a phase without a floor.
inline double phase_floor(const std::string& phase, const GpuWork& w, const GpuRates& r) {
    const double row = 2 * w.real_bytes * (w.order + 1);
    if (phase == "rank") {
        return 2 * w.n / r.radix_sort;
    }
    if (phase == "sort" || phase == "sort_group") {
        // both: 2 binary splits a level, each of which moves a pair of ranks
        const double splits = phase == "sort" ? 1 : 2 * w.levels;
        return splits * 16 * w.n / r.bandwidth;
    }
    if (phase == "bounds") {
        return 16 * w.n / r.bandwidth;
    }
    if (phase == "connect") {
        return 4 * (w.shifts + w.near) / r.bandwidth;
    }
    if (phase == "strengths") {
        return (12 + w.real_bytes) * w.n / r.bandwidth;
    }
    if (phase == "p2m" || phase == "l2p") {
        return std::max((16 + 2 * w.real_bytes) * w.n / r.bandwidth, 10 * w.n * w.order / r.flops);
    }
    if (phase == "m2m" || phase == "l2l") {
        return std::max(2 * row * w.boxes / r.bandwidth, 4 * w.order * w.order * w.boxes / r.flops);
    }
    if (phase == "m2l") {
        // real matrix times complex vector, scaled before and after
        return w.shifts * (4 * w.order * w.order / r.matrix_flops + 28 * w.order / r.flops);
    }
    if (phase == "p2p") {
        return w.pairs / r.pairs;
    }
    if (phase == "gather_all") {
        return (4 + 4 * w.real_bytes + 16) * w.n / r.bandwidth;
    }
    return 0;
}

/// Least seconds of the transfers: points and strengths in, complex results out, all doubles.
inline double transfer_floor(const GpuWork& w, const GpuRates& r) {
    return (24 + 16) * w.n / r.link;
}

} // namespace starfmm
