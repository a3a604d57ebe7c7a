// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of L2L.
//
// A generic kernel takes one child a thread and a launch a level. Laurent2D's own L2L takes several
// levels a launch: eight children a warp through the FP64 matrix units where the device has units
// worth using, else one child a warp and a coefficient a lane. Solid harmonics have cube_l2l.cuh
// for cells of an octree, else solid_l2l.cuh. Cartesian expansions of low order have
// taylor_l2l.cuh.
#pragma once

#include "codelets/expansions/cartesian3d/taylor_l2l.cuh"
#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/laurent2d/matrix_shift.cuh"
#include "codelets/expansions/solid3d/cube_l2l.cuh"
#include "codelets/expansions/thread_shift.cuh"

namespace starfmm {

template <class K, int P>
__device__ void add_parent(const L2LTask<K>& task, int n, std::size_t child, std::size_t parent) {
    using Real = typename K::Real;
    Coefficients<K, P> local;
    Coefficients<K, P> sum;
    const auto from = expansion_frame<Real>(task.boxes, parent);
    load_row<P>(task.locals + parent * n, n, local);
    load_row<P>(task.locals + child * n, n, sum);
    kernel_of<K>(task.args.kernel)
        .l2l(
            compiled_order<P>(task.args.order),
            centred<Real>(from),
            local,
            seen_from<Real>(from.centre, expansion_frame<Real>(task.boxes, child)),
            sum
        );
    store_row<P>(sum, n, task.locals + child * n);
}

/// L2L of any kernel with one child a thread.
template <class K, int P>
struct ThreadL2L {
    using Task = L2LTask<K>;
    static constexpr bool is_downward = true;

    __device__ static void
    shift_into(const Task& task, int n, const TaskTree<dimension_of<K>>& tree, std::size_t box) {
        add_parent<K, P>(task, n, box, tree.parent(box));
    }
};

/// Adds the top's row to the root's, which P2L has added to already where the root is a leaf.
template <class K>
__global__ void l2l_root_kernel(const __grid_constant__ L2LTask<K> task, int n) {
    for (int l = threadIdx.x; l < n; l += blockDim.x) {
        task.locals[l] += task.top_locals[task.top_box * n + l];
    }
}

template <class K>
struct L2LMatrix {
    static constexpr int first_column = 1;

    __device__ static double entry(int l, int k) { return K::l2l_entry(l, k); }

    __device__ static constexpr bool used(int row_piece, int column_piece) {
        return 4 * column_piece + 4 >= 8 * row_piece + 1;
    }
};

/// Adds a parent's local expansion to its child's.
template <class K>
__device__ void add_local(const L2LTask<K>& task, int n, std::size_t child, std::size_t parent) {
    using Real = typename K::Real;
    const Complex<Real>* b = task.locals + parent * n;
    Complex<Real>* out = task.locals + child * n;
    const int order = task.args.order;
    add_coefficients<Real>(task.boxes, n, {parent, child}, out, [&](int l, auto above, auto below) {
        return K::l2l_coefficient(order, l, above, b, below);
    });
}

/// L2L with one child a warp.
template <class K>
struct LaneL2L {
    using Task = L2LTask<K>;
    static constexpr bool is_downward = true;

    __device__ static void
    shift_into(const Task& task, int n, const TaskTree<2>& tree, std::size_t box) {
        add_local(task, n, box, tree.parent(box));
    }
};

/// L2L with eight children a warp.
template <class K, int P>
class MatrixL2L {
public:
    using Real = typename K::Real;
    using Task = L2LTask<K>;
    using Pieces = MatrixPieces<L2LMatrix<K>, P>;
    static constexpr bool is_downward = true;

    __device__ MatrixL2L(const L2LTask<K>& task, int n, const Pieces& pieces)
        : task_(task), n_(n), pieces_(pieces) {}

    /// Adds to those of the lanes' children that the matrix form serves.
    /// \return whether the lane's child is one of those
    __device__ bool add_long(const LaneFamily& family) const {
        const Frame<double> from = expansion_frame<Real>(task_.boxes, family.parent);
        const Frame<double> to = expansion_frame<Real>(task_.boxes, family.child);
        const bool is_long = family.has_child && K::is_long(to.centre - from.centre, from.radius);
        typename K::template ShiftFactors<double> factors{{0.0, 0.0}, {0.0, 0.0}};
        if (is_long) {
            factors = K::l2l_factors(from, to);
        }
        const Complex<Real>* b = task_.locals + family.parent * n_;
        Complex<Real>* out = task_.locals + family.child * n_;
        const int terms = is_long ? n_ - 1 : -1;
        Complex<double> scaled[Pieces::column_pieces];
        scale_columns<1>(b, terms, factors.outgoing, scaled);
        Complex<double> sum[n_sums]; // what the child has: fetched while the product is formed
#pragma unroll
        for (int i = 0; i < n_sums; ++i) {
            sum[i] = load_term(out, row_of(i), terms);
        }
        __syncwarp(); // else the compiler moves these loads to where they are waited for
        Complex<double> product[n_sums] = {};
        pieces_.multiply(scaled, product);
        const Complex<double> rest = sum_lanes<box_lanes>(sum_of(scaled));
        if (terms >= 0 && threadIdx.x % box_lanes == 0) {
            out[0] += to_real<Real>(to_double(b[0]) + rest);
        }
        visit_rows<n_sums>(factors.incoming, [&](int i, int l, Complex<double> power) {
            if (l <= terms) {
                out[l] = to_real<Real>(fused(power, product[i], sum[i]));
            }
        });
        return is_long;
    }

    /// Adds to a child whose shift is too short for the matrix form, one coefficient a lane.
    __device__ void add_short(std::size_t child, std::size_t parent) const {
        add_local(task_, n_, child, parent);
    }

private:
    static constexpr int n_sums = 2 * Pieces::row_pieces;

    const L2LTask<K>& task_;
    int n_;
    const Pieces& pieces_;
};

template <class K>
void generic_l2l(const L2LTask<K>& task, int n) {
    if constexpr (has_taylor_expansions<K>) {
        if (task.args.has_orthtree() && taylor_l2l(task)) {
            return;
        }
    }
    with_order<K>(task.args.order, [&](auto order) {
        thread_shift<ThreadL2L<K, order()>>(task, n);
    });
}

template <class K>
void L2LTask<K>::cuda(const L2LTask& task) {
    const int n = K::n_coefficients(task.args.order);
    if (task.top_locals != nullptr) {
        l2l_root_kernel<K><<<1, warp_lanes, 0, cuda_stream()>>>(task, n);
        check_cuda(cudaGetLastError(), "launch of l2l_root_kernel");
    }
    if constexpr (has_laurent_shifts<K>) {
        laurent_shift<K, LaneL2L<K>, MatrixL2L>(task, n);
    } else if constexpr (has_solid_shifts<K>) {
        if (!cube_shift<K, CubeL2L>(task)) {
            solid_shift<SolidL2L<K>>(task, n);
        }
    } else {
        generic_l2l(task, n);
    }
}

} // namespace starfmm
