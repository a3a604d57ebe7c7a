// SPDX-License-Identifier: BSD-3-Clause
// Boxes of an octree that are cubes whose children are their eighths, and the eighth that each
// child is.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/task/task_views.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The parents of a window of boxes: those of a block of 256 threads, a thread a child.
class CubeFamilies {
public:
    static constexpr unsigned most = 32;
    static constexpr std::uint32_t none = 0xffffffffU;

    std::uint32_t parents[most]; ///< parents that are cubes
    /// Part of it by which a ball's radius exceeds that about its cube: degree n is n times this
    /// off, to first order.
    float parent_excess[most];
    /// Children on the negative side along d in the places with bit d: those that are there and
    /// have points, else none.
    std::uint32_t children[most][8];
    float child_excess[most][8]; ///< part by which a child's ball exceeds that about its cube
    std::uint32_t others[most];  ///< parents that are no such cubes
    unsigned n_cubes;
    unsigned n_others;

    /// Finds the families.
    /// \param window   at most `most` boxes
    /// \param rounding cube_rounding() of the order
    template <class Real>
    __device__ void find(
        const BoxView<3>& boxes, const TaskTree<3>& tree, const BoxRange& window, double rounding
    ) {
        const std::size_t own = window.begin + threadIdx.x / 8;
        const std::size_t box = own < window.end ? own : window.begin;
        const BoxRange range = own < window.end ? tree.children(box) : BoxRange{0, 0};
        const std::size_t child = range.begin + threadIdx.x % 8;
        const bool exists = child < range.end && boxes.radius[child] >= 0;
        const Member member(
            expansion_frame<Real>(boxes, box),
            expansion_frame<Real>(boxes, exists ? child : box),
            exists,
            rounding
        );
        const bool is_parent = range.begin < range.end;
        const unsigned column = number(is_parent && member.is_cube, n_cubes);
        const unsigned other = number(is_parent && !member.is_cube, n_others);
        const unsigned lane = threadIdx.x % 8;
        if (is_parent && member.is_cube) {
            if (exists) {
                children[column][member.mirror] = static_cast<std::uint32_t>(child);
                child_excess[column][member.mirror] = member.child_excess;
            }
            if ((member.taken >> lane & 1U) == 0) {
                children[column][lane] = none;
            }
            if (lane == 0) {
                parents[column] = static_cast<std::uint32_t>(box);
                parent_excess[column] = member.parent_excess;
            }
        } else if (is_parent && lane == 0) {
            others[other] = static_cast<std::uint32_t>(box);
        }
        __syncthreads();
    }

private:
    static constexpr unsigned all = 0xffffffffU;
    static constexpr unsigned n_warps = most * 8 / warp_lanes;

    __device__ static int first_lane() {
        return static_cast<int>(threadIdx.x % warp_lanes / 8 * 8);
    }

    /// Returns what a ballot says of the family's eight lanes.
    __device__ static unsigned of_family(unsigned ballot) { return ballot >> first_lane() & 0xffU; }

    /// A lane's child, and what is known of its family.
    struct Member {
        unsigned mirror; ///< bit d: whether it is on the negative side along d
        float child_excess;
        float parent_excess;
        unsigned taken; ///< mirrors of the family that are taken
        bool is_cube;   ///< whether the family is a cube and eighths of it

        __device__ Member(
            const Frame<double, 3>& parent,
            const Frame<double, 3>& child,
            bool exists,
            double rounding
        ) {
            const Vector3<double> shift = child.centre - parent.centre;
            const double distance = (std::abs(shift.x) + std::abs(shift.y) + std::abs(shift.z)) / 3;
            const unsigned there = of_family(__ballot_sync(all, exists));
            const int first = max(__ffs(static_cast<int>(there)) - 1, 0);
            const double half = from_lane(distance, first_lane() + first); // a child's half side
            const double of_child = excess(child.radius, half);
            const double of_parent = there != 0 ? excess(0.5 * parent.radius, half) : 0;
            const auto is_near = [&](double x) {
                return std::abs(std::abs(x) - half) <= rounding * half;
            };
            const bool fits = is_near(shift.x) && is_near(shift.y) && is_near(shift.z) &&
                              is_small(of_child) && is_small(of_parent);
            mirror = unsigned(shift.x < 0) + 2 * unsigned(shift.y < 0) + 4 * unsigned(shift.z < 0);
            child_excess = static_cast<float>(of_child);
            parent_excess = static_cast<float>(of_parent);
            taken = exists ? 1U << mirror : 0;
            for (int offset = 4; offset > 0; offset /= 2) {
                taken |= other_lane(taken, offset);
            }
            const unsigned fitting = of_family(__ballot_sync(all, !exists || fits));
            is_cube = fitting == 0xffU && __popc(taken) == __popc(there);
        }

        __device__ static double excess(double radius, double half) {
            constexpr double inverse_diagonal = 0.57735026918962576451; // of a cube of half side 1
            return radius * inverse_diagonal / half - 1;
        }

        /// Whether half the square of the excess of any degree is below roundings.
        __device__ static bool is_small(double excess) { return std::abs(excess) <= 3e-9; }
    };

    /// Numbers the families that are wanted in their order.
    /// \param total  number in the block
    __device__ unsigned number(bool is_wanted, unsigned& total) {
        const unsigned warp = threadIdx.x / warp_lanes;
        const unsigned wanted = __ballot_sync(all, is_wanted && threadIdx.x % 8 == 0);
        __syncthreads();
        if (threadIdx.x % warp_lanes == 0) {
            counts_[warp] = __popc(wanted);
        }
        __syncthreads();
        unsigned before = __popc(wanted & ((1U << first_lane()) - 1));
        unsigned sum = 0;
        for (unsigned w = 0; w < n_warps; ++w) {
            before += w < warp ? counts_[w] : 0;
            sum += counts_[w];
        }
        if (threadIdx.x == 0) {
            total = sum;
        }
        return before;
    }

    unsigned counts_[n_warps];
};

} // namespace starfmm
