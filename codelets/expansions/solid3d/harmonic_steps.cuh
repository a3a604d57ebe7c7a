// SPDX-License-Identifier: BSD-3-Clause
// Factors that lead from a harmonic to that of the next degree, in shared memory: all lanes read
// them at once, with every harmonic.
#pragma once

#include "codelets/expansions/solid3d/warp_room.cuh"
#include "core/expansions/solid_harmonics3d.hpp"

namespace starfmm {

/// The warps of a block: points take most registers, and small blocks fill what is left of them.
inline constexpr int solid_points_warps = 4;

/// SolidColumns' `back` of the degree after each harmonic, by m, then by n, for one warp.
template <class Real>
class HarmonicSteps {
public:
    /// The number of steps taken at once, by which a loop reads beyond the last.
    static constexpr int at_once = 4;

    STARFMM_HOST_DEVICE static std::size_t bytes(int order) {
        const std::size_t n = SolidHarmonics3D<Real>::n_harmonics(order) + at_once - 1;
        return (n * sizeof(Real) + 15) / 16 * 16;
    }

    /// Takes all the shared memory that the warp has.
    __device__ explicit HarmonicSteps(int order)
        : HarmonicSteps(order, warp_shared(bytes(order))) {}

    /// Has the warp fill `shared`.
    __device__ HarmonicSteps(int order, void* shared) : back_(static_cast<Real*>(shared)) {
        const auto& columns = constant_table<SolidColumns<Real>>();
        visit_lane_harmonics(order, [&](int k, int n, int m) {
            back_[k] = columns.back[m][n + 1];
        });
        __syncwarp();
    }

    [[nodiscard]] const __device__ Real& operator[](int k) const { return back_[k]; }

private:
    Real* back_;
};

} // namespace starfmm
