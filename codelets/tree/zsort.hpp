// SPDX-License-Identifier: BSD-3-Clause
// Zsort puts points into the order of a uniform tree's finest boxes along the Z-order curve [SL13
// Sec III.A], in two codelets. O(N + number of boxes).
//
//   zsort   all points: finds the permutation, and the first point of every finest box
//   zgroup  one group of boxes: finds its points' positions, permutation and box offsets. Positions
//           in single precision are given as seen from the centre of the point's box
//
// The order is unique: by box, then by user index. CPU and CUDA bodies therefore give the same
// bits.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/uniform_tree.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace starfmm {

/// Returns the bytes of scratch that `zsort` needs for n points, on any worker: two arrays of codes
/// and one of indices; a GPU's radix sort needs as much again, and its counters.
constexpr std::size_t zsort_scratch_bytes(std::size_t n) {
    return 7 * sizeof(std::uint32_t) * n + (std::size_t(1) << 16U);
}

/// Whether a near field sees points from the centres of their boxes: it does in single precision,
/// lest the difference between neighbours is rounded away. In double precision it sees them from
/// the user's origin, where differences are exact.
template <class Real>
inline constexpr bool is_seen_from_box = !std::is_same_v<Real, double>;

/// The coordinates in the user's order and unit.
template <int D>
struct UserPoints {
    const double* x[D];

    STARFMM_HOST_DEVICE std::array<double, D> operator[](std::size_t i) const {
        std::array<double, D> at{};
        for (int d = 0; d < D; ++d) {
            at[d] = x[d][i];
        }
        return at;
    }

    template <class Buffers>
    static UserPoints of(Buffers& buffers) {
        UserPoints points{};
        for (int d = 0; d < D; ++d) {
            points.x[d] = buffers.template read<double>();
        }
        return points;
    }
};

template <int D>
struct ZSortTask;
template <int D, class Isa>
void zsort_cpu(const ZSortTask<D>& task);
template <int D>
void zsort_cuda(const ZSortTask<D>& task);

template <int D>
struct ZSortTask {
    static constexpr std::string_view name = "zsort";
    static constexpr Color color = Color::brown;
    std::uint32_t* permutation; ///< W   [n], tree order to user order
    std::uint32_t* offsets;     ///< W   [n_boxes + 1]
    std::byte* scratch;         ///< scratch [zsort_scratch_bytes(n)]
    const Domain<D>* domain;    ///< R   [1]
    UserPoints<D> points;       ///< R   [n] each
    std::size_t n;
    std::size_t n_boxes;
    int height;

    template <class Buffers>
    static ZSortTask of(Buffers& buffers) {
        ZSortTask task{};
        task.permutation = buffers.template write<std::uint32_t>();
        task.n = buffers.size();
        task.offsets = buffers.template write<std::uint32_t>();
        task.n_boxes = buffers.size() - 1;
        task.scratch = buffers.template scratch<std::byte>();
        task.domain = buffers.template read<Domain<D>>();
        task.points = UserPoints<D>::of(buffers);
        task.height = buffers.args().tree.last;
        return task;
    }

    template <class Isa>
    static void cpu(const ZSortTask& task) {
        zsort_cpu<D, Isa>(task);
    }

    static void cuda(const ZSortTask& task) { zsort_cuda<D>(task); }

    STARFMM_HOST_DEVICE ZCode box_of(std::size_t i) const {
        return domain->box_of(points[i], height);
    }
};

/// A group of boxes, contiguous on the curve: the finest ones below one box of a coarser level.
struct ZGroup {
    ZCode first;           ///< code of its first finest box
    std::uint32_t n_boxes; ///< number of finest boxes

    /// Returns group `index` of a tree whose groups are the boxes of level `args.tree.first`.
    template <int D>
    static ZGroup of(const TaskArgs& args, std::uint32_t index) {
        const int shift = D * (args.tree.last - args.tree.first);
        return {index << shift, std::uint32_t(1) << shift};
    }

    /// Whether the group holds a box; false also for no_box.
    [[nodiscard]] STARFMM_HOST_DEVICE bool holds(ZCode box) const { return box - first < n_boxes; }
};

template <class Real, int D>
struct ZGroupTask;
template <class Real, int D, class Isa>
void zgroup_cpu(const ZGroupTask<Real, D>& task);
template <class Real, int D>
void zgroup_cuda(const ZGroupTask<Real, D>& task);

template <class Real, int D>
struct ZGroupTask {
    static constexpr std::string_view name = "zgroup";
    static constexpr Color color = Color::grey;
    Real* positions;                ///< W   [D n], coordinate by coordinate
    std::uint32_t* permutation;     ///< W   [n]
    std::uint32_t* offsets;         ///< W   [n_boxes + 1], counted from the group's first point
    const std::uint32_t* all;       ///< R   [N], permutation of all points
    const std::uint32_t* all_boxes; ///< R   offsets of all boxes
    const Domain<D>* domain;        ///< R   [1]
    UserPoints<D> points;           ///< R   [N] each
    ZGroup group;
    std::size_t n;
    int height;

    template <class Buffers>
    static ZGroupTask of(Buffers& buffers) {
        ZGroupTask task{};
        task.positions = buffers.template write<Real>();
        task.permutation = buffers.template write<std::uint32_t>();
        task.n = buffers.size();
        task.offsets = buffers.template write<std::uint32_t>();
        task.all = buffers.template read<std::uint32_t>();
        task.all_boxes = buffers.template read<std::uint32_t>();
        task.domain = buffers.template read<Domain<D>>();
        task.points = UserPoints<D>::of(buffers);
        task.group = ZGroup::of<D>(buffers.args(), buffers.args().slots[0]);
        task.height = buffers.args().tree.last;
        return task;
    }

    template <class Isa>
    static void cpu(const ZGroupTask& task) {
        zgroup_cpu<Real, D, Isa>(task);
    }

    static void cuda(const ZGroupTask& task) { zgroup_cuda<Real, D>(task); }

    STARFMM_HOST_DEVICE void set_point(std::size_t i) const {
        const std::uint32_t user = all[all_boxes[group.first] + i];
        permutation[i] = user;
        const std::array<double, D> x = points[user];
        const std::array<double, D> from = origin(x);
        for (int d = 0; d < D; ++d) {
            positions[d * n + i] = static_cast<Real>(x[d] - from[d]);
        }
    }

    STARFMM_HOST_DEVICE void set_offset(std::size_t box) const {
        offsets[box] = all_boxes[group.first + box] - all_boxes[group.first];
    }

private:
    /// Returns the point that a near field sees point `x` from.
    STARFMM_HOST_DEVICE std::array<double, D> origin(const std::array<double, D>& x) const {
        if constexpr (is_seen_from_box<Real>) {
            const UniformTree<D> tree{*domain, height, nullptr};
            return tree.centre(height, domain->box_of(x, height));
        } else {
            return {};
        }
    }
};

/// Sorts by counting: offsets first hold the sizes of the boxes before, then where the next point
/// of each box goes, which ends as the first point of the box after.
template <int D, class Isa>
void zsort_cpu(const ZSortTask<D>& task) {
    auto* codes = reinterpret_cast<ZCode*>(task.scratch);
    std::fill_n(task.offsets, task.n_boxes + 1, 0U);
    for (std::size_t i = 0; i < task.n; ++i) {
        codes[i] = task.box_of(i);
        ++task.offsets[codes[i] + 1];
    }
    for (std::size_t box = 0; box < task.n_boxes; ++box) {
        task.offsets[box + 1] += task.offsets[box];
    }
    for (std::size_t i = 0; i < task.n; ++i) {
        task.permutation[task.offsets[codes[i]]++] = static_cast<std::uint32_t>(i);
    }
    std::copy_backward(task.offsets, task.offsets + task.n_boxes, task.offsets + task.n_boxes + 1);
    task.offsets[0] = 0;
}

template <class Real, int D, class Isa>
void zgroup_cpu(const ZGroupTask<Real, D>& task) {
    for (std::size_t i = 0; i < task.n; ++i) {
        task.set_point(i);
    }
    for (std::size_t box = 0; box <= task.group.n_boxes; ++box) {
        task.set_offset(box);
    }
}

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/tree/zsort.cuh"
#endif
