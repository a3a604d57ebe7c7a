// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of M2M.
//
// A generic kernel takes one parent a thread and a launch a level. Laurent2D's own M2M takes several
// levels a launch: eight children a warp through the FP64 matrix units where the device has units
// worth using, else one parent a warp and a coefficient a lane. Solid harmonics have cube_m2m.cuh
// for cells of an octree, else solid_m2m.cuh. Cartesian expansions of low order have
// taylor_m2m.cuh.
#pragma once

#include "codelets/expansions/cartesian3d/taylor_m2m.cuh"
#include "codelets/expansions/laurent2d/matrix_shift.cuh"
#include "codelets/expansions/m2m.hpp"
#include "codelets/expansions/solid3d/cube_m2m.cuh"
#include "codelets/expansions/thread_shift.cuh"

namespace starfmm {

inline constexpr int m2m_roots_threads = 256;

/// Puts the roots of the groups into the leaves of the top.
template <class K>
__global__ void m2m_roots_kernel(const __grid_constant__ M2MTopTask<K> task, int n) {
    const TaskArgs& args = task.shift.args;
    const std::size_t i = thread_index();
    if (i < std::size_t(args.n_slots) * n) {
        const std::size_t slot = i / n;
        const std::size_t box = task.shift.boxes.tree(args).leaf_box(args.slots[slot]);
        task.shift.multipoles[box * n + i % n] = task.roots[slot][i % n];
    }
}

template <class K>
struct M2MMatrix {
    static constexpr int first_column = K::m2l_first_column;

    __device__ static double entry(int l, int k) { return K::m2m_entry(l, k); }

    __device__ static constexpr bool used(int row_piece, int column_piece) {
        return first_column + 4 * column_piece <= 8 * row_piece + 8;
    }
};

/// Adds a child's multipole to its parent's.
template <class K>
__device__ void
add_multipole(const M2MTask<K>& task, int n, std::size_t child, std::size_t parent) {
    using Real = typename K::Real;
    const Complex<Real>* a = task.multipoles + child * n;
    Complex<Real>* out = task.multipoles + parent * n;
    add_coefficients<Real>(task.boxes, n, {parent, child}, out, [&](int l, auto above, auto below) {
        return K::m2m_coefficient(l, below, a, above);
    });
}

/// M2M with one parent a warp.
template <class K>
struct LaneM2M {
    using Task = M2MTask<K>;
    static constexpr bool is_downward = false;

    __device__ static void
    shift_into(const Task& task, int n, const TaskTree<2>& tree, std::size_t box) {
        const BoxRange children = tree.children(box);
        if (children.begin == children.end) {
            return;
        }
        visit_coefficients(n, [&](int l) { task.multipoles[box * n + l] = {}; });
        for (std::size_t child = children.begin; child < children.end; ++child) {
            if (task.boxes.radius[child] >= 0) { // it has sources
                add_multipole(task, n, child, box);
            }
        }
    }
};

/// M2M of any kernel with one parent a thread.
template <class K, int P>
struct ThreadM2M {
    using Task = M2MTask<K>;
    static constexpr bool is_downward = false;

    __device__ static void
    shift_into(const Task& task, int n, const TaskTree<dimension_of<K>>& tree, std::size_t box) {
        using Real = typename K::Real;
        const BoxRange children = tree.children(box);
        if (children.begin == children.end) {
            return;
        }
        Coefficients<K, P> sum;
        clear_row<P>(sum, n);
        const auto to = expansion_frame<Real>(task.boxes, box);
        for (std::size_t child = children.begin; child < children.end; ++child) {
            if (task.boxes.radius[child] < 0) { // it has no sources
                continue;
            }
            Coefficients<K, P> multipole;
            load_row<P>(task.multipoles + child * n, n, multipole);
            const auto from = expansion_frame<Real>(task.boxes, child);
            kernel_of<K>(task.args.kernel)
                .m2m(
                    compiled_order<P>(task.args.order),
                    seen_from<Real>(to.centre, from),
                    multipole,
                    centred<Real>(to),
                    sum
                );
        }
        store_row<P>(sum, n, task.multipoles + box * n);
    }
};

/// M2M with eight children, those of two parents, a warp.
template <class K, int P>
class MatrixM2M {
public:
    using Real = typename K::Real;
    using Task = M2MTask<K>;
    using Matrix = M2MMatrix<K>;
    using Pieces = MatrixPieces<Matrix, P>;
    static constexpr bool is_downward = false;

    __device__ MatrixM2M(const M2MTask<K>& task, int n, const Pieces& pieces)
        : task_(task), n_(n), pieces_(pieces) {}

    /// Writes the parents, with those of their children that the matrix form serves.
    /// \return whether the lane's child is one of those
    __device__ bool add_long(const LaneFamily& family) const {
        const Frame<double> from = expansion_frame<Real>(task_.boxes, family.child);
        const Frame<double> to = expansion_frame<Real>(task_.boxes, family.parent);
        const bool is_long = family.has_child && K::is_long(from.centre - to.centre, to.radius);
        typename K::template ShiftFactors<double> factors{{0.0, 0.0}, {0.0, 0.0}};
        if (is_long) {
            factors = K::m2m_factors(from, to);
        }
        const Complex<Real>* a = task_.multipoles + family.child * n_;
        const int terms = is_long ? n_ - 1 : -1;
        Complex<double> scaled[Pieces::column_pieces];
        scale_columns<Matrix::first_column>(a, terms, factors.outgoing, scaled);
        Complex<double> sum[n_sums] = {};
        pieces_.multiply(scaled, sum);
        visit_rows<n_sums>(factors.incoming, [&](int i, int /*l*/, Complex<double> power) {
            sum[i] = power * sum[i];
        });
        const Complex<double> a0 = terms < 0 ? Complex<double>{0.0, 0.0} : to_double(a[0]);
        store(a0, sum, task_.multipoles + family.parent * n_, family.has_parent);
        return is_long;
    }

    /// Adds a child whose shift is too short for the matrix form, one coefficient a lane.
    __device__ void add_short(std::size_t child, std::size_t parent) const {
        add_multipole(task_, n_, child, parent);
    }

private:
    static constexpr int n_sums = 2 * Pieces::row_pieces;

    /// Stores the sums over the four children of a parent.
    __device__ void store(
        Complex<double> a0, Complex<double> (&sum)[n_sums], Complex<Real>* multipole, bool active
    ) const {
        const Complex<double> pair = a0 + other_lane(a0, box_lanes);
        const Complex<double> total = pair + other_lane(pair, 2 * box_lanes);
        if (active && threadIdx.x % 16 == 0) {
            multipole[0] = to_real<Real>(total);
        }
        const RowPart part = scatter_sums<n_sums, 2 * box_lanes, box_lanes>(sum, n_sums);
#pragma unroll
        for (int i = 0; i < (n_sums + 3) / 4; ++i) {
            const int l = row_of(part.first + i);
            if (active && i < part.size && l < n_) {
                multipole[l] = to_real<Real>(sum[i]);
            }
        }
    }

    const M2MTask<K>& task_;
    int n_;
    const Pieces& pieces_;
};

template <class K>
void generic_m2m(const M2MTask<K>& task, int n) {
    if constexpr (has_taylor_expansions<K>) {
        if (task.args.has_orthtree() && taylor_m2m(task)) {
            return;
        }
    }
    with_order<K>(task.args.order, [&](auto order) {
        thread_shift<ThreadM2M<K, order()>>(task, n);
    });
}

template <class K>
void m2m_levels(const M2MTask<K>& task, int n) {
    if constexpr (has_laurent_shifts<K>) {
        laurent_shift<K, LaneM2M<K>, MatrixM2M>(task, n);
    } else if constexpr (has_solid_shifts<K>) {
        if (!cube_shift<K, CubeM2M>(task)) {
            solid_shift<SolidM2M<K>>(task, n);
        }
    } else {
        generic_m2m(task, n);
    }
}

template <class K>
void M2MTask<K>::cuda(const M2MTask& task) {
    const int n = K::n_coefficients(task.args.order);
    m2m_levels(task, n);
    if (task.root != nullptr) {
        const std::size_t n_bytes = n * sizeof(*task.root);
        check_cuda(
            cudaMemcpyAsync(
                task.root, task.multipoles, n_bytes, cudaMemcpyDeviceToDevice, cuda_stream()
            ),
            "copy of a root's multipole"
        );
    }
}

template <class K>
void M2MTopTask<K>::cuda(const M2MTopTask& task) {
    const int n = K::n_coefficients(task.shift.args.order);
    const unsigned blocks = n_blocks(std::size_t(task.shift.args.n_slots) * n, m2m_roots_threads);
    m2m_roots_kernel<K><<<blocks, m2m_roots_threads, 0, cuda_stream()>>>(task, n);
    check_cuda(cudaGetLastError(), "launch of m2m_roots_kernel");
    m2m_levels(task.shift, n);
}

} // namespace starfmm
