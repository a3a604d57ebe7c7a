// SPDX-License-Identifier: BSD-3-Clause
// P2M and P2L of solid harmonics: a leaf a warp, a source a lane; the harmonics of 32 sources are
// added up through shared memory, 32 coefficients at a time.
#pragma once

#include "codelets/cuda/cooperative.cuh"
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

/// Where the lanes' parts of coefficients wait to be added up.
template <class Real>
struct HarmonicsRoom {
    Real parts[warp_lanes][warp_lanes + 1]; ///< of a coefficient a row; rows in different banks
    int places[warp_lanes];
};

/// Sums of harmonics over a warp's lanes.
template <class Real>
class HarmonicSums {
public:
    __device__ HarmonicSums(HarmonicsRoom<Real>& room, double* row) : room_(room), row_(row) {}

    /// Adds the lanes' sources to the row.
    __device__ void add(int p, const SolidSource<Real>& source) {
        const Real q = source.strength;
        SolidHarmonics3D<Real>::visit_harmonics(
            p,
            source.at,
            [&](int n, int m, const Real& c, const Real& s) {
                put(SolidIndex::cos(n, m), q * c);
                if (m > 0) {
                    put(SolidIndex::sin(n, m), q * s);
                }
            }
        );
        add_parts();
    }

private:
    __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_lanes); }

    __device__ void put(int place, Real part) {
        room_.parts[size_][lane()] = part;
        if (lane() == 0) {
            room_.places[size_] = place;
        }
        if (++size_ == warp_lanes) {
            add_parts();
        }
    }

    __device__ void add_parts() {
        __syncwarp();
        if (lane() < size_) {
            double sum = 0;
#pragma unroll
            for (int i = 0; i < warp_lanes; ++i) {
                sum += room_.parts[lane()][i];
            }
            row_[room_.places[lane()]] += sum;
        }
        size_ = 0;
        __syncwarp();
    }

    HarmonicsRoom<Real>& room_;
    double* row_;
    int size_ = 0;
};

template <class K>
using SolidPointsRoom = WarpRoom<HarmonicsRoom<typename K::Real>, false>;

template <class K, class Kernel, class Task>
void launch_solid_points(Kernel kernel, const Task& task, int n) {
    const std::size_t warp_bytes = SolidPointsRoom<K>::bytes(task.args.order);
    launch_solid_rows(kernel, warp_bytes, n_leaves_of<3>(task.args), most_solid_warps, task, n);
    check_cuda(cudaGetLastError(), "launch of P2M or P2L");
}

} // namespace starfmm
