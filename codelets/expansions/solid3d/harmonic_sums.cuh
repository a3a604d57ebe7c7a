// SPDX-License-Identifier: BSD-3-Clause
// P2M and P2L of solid harmonics: a leaf a warp, one or two sources a lane; the harmonics of the
// lanes are added up by the FP64 matrix units.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/lane_pair.cuh"
#include "codelets/cuda/matrix_units.cuh"
#include "codelets/expansions/solid3d/warp_room.cuh"
#include "core/expansions/solid_harmonics3d.hpp"

#include <concepts>

namespace starfmm {

/// Whether P2M and P2L of a kernel are SolidHarmonics3D's: not those that replace one of them.
template <class K>
constexpr bool has_solid_sources() {
    using Real = typename K::Real;
    using Base = SolidHarmonics3D<Real>;
    if constexpr (std::derived_from<K, Base>) {
        return &K::template p2m<Real> == &Base::template p2m<Real> &&
               &K::template p2l<Real> == &Base::template p2l<Real>;
    } else {
        return false;
    }
}

/// Sums of harmonics over a warp's lanes.
template <class Real>
class HarmonicSums {
public:
    /// \param row  [p^2], to which sums are added
    __device__ explicit HarmonicSums(double* row) : row_(row) {}

    /// Adds `n` sources, number k of which is source_at(k): two a lane, where there are so many.
    template <class SourceAt>
    __device__ void add(int p, std::size_t n, const SourceAt& source_at) {
        const std::size_t lane = threadIdx.x % warp_lanes;
        const auto source = [&](std::size_t k) {
            SolidSource<Real> own = source_at(k < n ? k : 0);
            own.strength = k < n ? own.strength : Real(0);
            return own;
        };
        for (std::size_t k = 0; k < n; k += 2 * warp_lanes) {
            const SolidSource<Real> first = source(k + lane);
            if (n - k <= warp_lanes) {
                add_lanes(p, first);
                continue;
            }
            const SolidSource<Real> second = source(k + warp_lanes + lane);
            const LanePair<Real> strengths{first.strength, second.strength};
            add_lanes<LanePair<Real>>(p, {paired(first.at, second.at), strengths});
        }
    }

private:
    static constexpr int at_once = 8; ///< coefficients: rows of the matrix units

    template <class T>
    __device__ void add_lanes(int p, const SolidSource<T>& source) {
        const T q = source.strength;
        SolidHarmonics3D<Real>::visit_harmonics(
            p,
            source.at,
            [&](int n, int m, const T& c, const T& s) {
                put(SolidIndex::cos(n, m), sum_of_lane(q * c));
                if (m > 0) {
                    put(SolidIndex::sin(n, m), sum_of_lane(q * s));
                }
            }
        );
        flush();
    }

    /// Row `size_` of the sums: each column adds up four lanes.
    __device__ void put(int place, double part) {
        const bool own = static_cast<int>(threadIdx.x % warp_lanes / 4) == size_;
        multiply_add_part(own ? 1.0 : 0.0, part, sums_[0], sums_[1]);
        place_ = own ? place : place_;
        if (++size_ == at_once) {
            flush();
        }
    }

    /// Adds up the columns.
    __device__ void flush() {
        double total[2] = {0, 0};
        multiply_add_part(sums_[0], 1.0, total[0], total[1]);
        multiply_add_part(sums_[1], 1.0, total[0], total[1]);
        const auto lane = static_cast<int>(threadIdx.x % warp_lanes);
        if (lane % 4 == 0 && lane / 4 < size_) {
            row_[place_] += total[0];
        }
        sums_[0] = sums_[1] = 0;
        size_ = 0;
    }

    double* row_;
    double sums_[2] = {0, 0};
    int place_ = 0;
    int size_ = 0;
};

struct NoRoom {};

template <class K>
using SolidPointsRoom = WarpRoom<NoRoom, false>;

template <class K, class Kernel, class Task>
void launch_solid_points(Kernel kernel, const Task& task, int n) {
    const std::size_t warp_bytes = SolidPointsRoom<K>::bytes(task.args.order);
    launch_solid_rows(kernel, warp_bytes, n_leaves_of<3>(task.args), most_solid_warps, task, n);
    check_cuda(cudaGetLastError(), "launch of P2M or P2L");
}

} // namespace starfmm
