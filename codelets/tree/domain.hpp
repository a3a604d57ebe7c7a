// SPDX-License-Identifier: BSD-3-Clause
// Domain: the smallest square, or cube, that holds all sources and targets. O(N + M).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/uniform_tree.hpp"

#ifndef __CUDACC__
#include "codelets/simd/simd.hpp"
#endif

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace starfmm {

/// Blocks of a GPU that look for bounds.
inline constexpr unsigned domain_blocks = 256;

template <int D>
struct DomainTask;
template <int D, class Isa>
void domain_cpu(const DomainTask<D>& task);
template <int D>
void domain_cuda(const DomainTask<D>& task);

template <int D>
struct DomainTask {
    static constexpr std::string_view name = "domain";
    static constexpr Color color = Color::grey;
    static constexpr std::uint32_t max_sets = max_slots;
    Domain<D>* domain;            ///< W   [1]
    Bounds<double, D>* scratch;   ///< scratch [domain_blocks]
    const double* x[max_sets][D]; ///< R [set][direction][n], chunks of the sources; targets, if any
    std::size_t n[max_sets];
    std::uint32_t n_sets;
    int roots; ///< PlanOptions::roots

    template <class Buffers>
    static DomainTask of(Buffers& buffers) {
        DomainTask task{};
        task.domain = buffers.template write<Domain<D>>();
        task.scratch = buffers.template scratch<Bounds<double, D>>();
        task.roots = buffers.args().roots;
        void** coordinates = buffers.read_rest();
        task.n_sets = coordinates == nullptr ? 0 : buffers.args().n_slots;
        for (std::uint32_t set = 0; set < task.n_sets; ++set) {
            for (int d = 0; d < D; ++d) {
                void* buffer = coordinates[D * set + d];
                task.x[set][d] = buffer_data<const double>(buffer);
                task.n[set] = buffer_size(buffer);
            }
        }
        return task;
    }

    template <class Isa>
    static void cpu(const DomainTask& task) {
        domain_cpu<D, Isa>(task);
    }

    static void cuda(const DomainTask& task) { domain_cuda(task); }

    /// Of each `step`-th point from `first` on, those of each set behind its whole batches.
    [[nodiscard]] STARFMM_HOST_DEVICE Bounds<double, D>
    bounds(std::size_t first, std::size_t step, std::size_t batch = 0) const {
        Bounds<double, D> bounds = Bounds<double, D>::nothing();
        for (std::uint32_t set = 0; set < n_sets; ++set) {
            const std::size_t begin = batch > 0 ? n[set] / batch * batch : 0;
            for (std::size_t i = begin + first; i < n[set]; i += step) {
                for (int d = 0; d < D; ++d) {
                    bounds.add(d, x[set][d][i]);
                }
            }
        }
        return bounds;
    }

    STARFMM_HOST_DEVICE void set_domain(const Bounds<double, D>& bounds) const {
        double side = 0;
        for (int d = 0; d < D; ++d) {
            domain->corner[d] = bounds.min[d];
            const double extent = bounds.max[d] - bounds.min[d];
            side = extent > side ? extent : side;
        }
        domain->side = (side > 0 ? side : 1) * domain_stretch(roots);
    }
};

#ifndef __CUDACC__
template <int D, class Isa>
void domain_cpu(const DomainTask<D>& task) {
    using B = Batch<double, Isa>;
    Bounds<double, D> bounds = task.bounds(0, 1, B::size);
    for (std::uint32_t set = 0; set < task.n_sets; ++set) {
        for (int d = 0; d < D; ++d) {
            B low(bounds.min[d]);
            B high(bounds.max[d]);
            for (std::size_t i = 0; i + B::size <= task.n[set]; i += B::size) {
                const B x = B::load_unaligned(task.x[set][d] + i);
                low = xsimd::min(x, low); // in this order: not a number leaves them as they are
                high = xsimd::max(x, high);
            }
            alignas(64) double lanes[2][B::size];
            low.store_aligned(lanes[0]);
            high.store_aligned(lanes[1]);
            bounds.min[d] = *std::min_element(lanes[0], lanes[0] + B::size);
            bounds.max[d] = *std::max_element(lanes[1], lanes[1] + B::size);
        }
    }
    task.set_domain(bounds);
}
#endif

} // namespace starfmm
