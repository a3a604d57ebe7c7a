// SPDX-License-Identifier: BSD-3-Clause
// M2M and L2L between the cubes of an octree as dense products on the FP64 matrix units, sixteen
// parents a block, a launch a level. Parents that are no cubes go by octets, in the same launch.
// Single precision is double on the way in and out.
#pragma once

#include "codelets/cuda/equal_shares.cuh"
#include "codelets/cuda/matrix_units.cuh"
#include "codelets/expansions/laurent2d/translation_form.cuh"
#include "codelets/expansions/solid3d/cube_families.cuh"
#include "codelets/expansions/solid3d/cube_tables.cuh"
#include "codelets/expansions/solid3d/solid_shift.cuh"

#include <algorithm>

namespace starfmm {

/// The parents that a block takes at once: the rows of a product of matrix units.
inline constexpr int cube_columns = 16;

/// The threads of a block: a warp a class of harmonics.
inline constexpr int cube_threads = CubeClasses::n_classes * warp_lanes;
static_assert(cube_threads == CubeFamilies::most * 8, "a thread a child of a window");

/// Doubles in shared memory, [row][cube_columns], mixed so that sixteen lanes meet in no bank:
/// those that read an operand have four neighbouring rows and four columns, those that write a
/// result every other of eight rows, and those that combine children sixteen rows.
class CubeRows {
public:
    __device__ explicit CubeRows(double* entries) : entries_(entries) {}

    __device__ double& at(int row, int column) const {
        const int mixed = (row & 3) << 2 ^ (row >> 2 & 1) * 5 ^ (row >> 3 & 1) * 2;
        return entries_[row * cube_columns + (column ^ mixed)];
    }

    /// Loads rows `first` to first + 7 as the left operand.
    __device__ void load(int first, Complex<double> (&a)[2]) const {
        const int lane = static_cast<int>(threadIdx.x % warp_lanes);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int row = first + lane % 4 + 4 * i;
            a[i] = {at(row, lane / 4), at(row, lane / 4 + 8)};
        }
    }

private:
    double* entries_;
};

/// Returns the lane's part of a piece of constants; zeros if it is not wanted.
__device__ inline CubePair load_piece(const CubePair* pairs, std::uint32_t piece, bool is_wanted) {
    CubePair pair{0, 0};
    if (is_wanted) {
        const auto* from = reinterpret_cast<const double2*>(pairs);
        const std::size_t at = std::size_t(piece) * cube_piece_pairs + threadIdx.x % warp_lanes;
        const double2 both = __ldg(from + at);
        pair = {both.x, both.y};
    }
    return pair;
}

/// Returns what the excess of a ball's radius (CubeFamilies) makes of its coefficient `k`.
__device__ inline double excess_factor(const CubeClasses& classes, int k, double excess) {
    return fma(static_cast<double>(classes.degree(k)), excess, 1.0);
}

/// The coefficients that the children of a lane's columns have, one of each child.
template <class Real, int columns>
struct CubeChildren {
    Real of[columns][8];

    /// Loads coefficient `k` of `n`, or zeros.
    /// \param column_of  column_of(i), the lane's columns, counted from `first`
    template <class ColumnOf>
    __device__ __forceinline__ void load(
        const Real* expansions,
        int n,
        int k,
        const CubeFamilies& families,
        unsigned first,
        const ColumnOf& column_of
    ) {
#pragma unroll
        for (int i = 0; i < columns; ++i) {
            const unsigned column = first + static_cast<unsigned>(column_of(i));
            const bool exists = column < families.n_cubes && k < n;
#pragma unroll
            for (int c = 0; c < 8; ++c) {
                const std::uint32_t box =
                    exists ? families.children[column][c] : CubeFamilies::none;
                of[i][c] =
                    box == CubeFamilies::none ? Real(0) : expansions[std::size_t(box) * n + k];
            }
        }
    }
};

/// The arguments of a launch besides its task.
struct CubeLaunch {
    DeviceCubePieces pieces;
    int level;            ///< level of the parents
    int buffers;          ///< parts of shared memory that a Shift uses in turn
    unsigned octet_warps; ///< number of octets' warps that shared memory has room for
    double rounding;      ///< cube_rounding() of the order
};

/// The division of a level's boxes into windows, and of each window's work into parts.
struct CubeWork {
    std::size_t begin;
    std::size_t end;
    unsigned width; ///< width of a window
    unsigned windows;
    unsigned parts;

    /// Divides a level.
    /// \param least,most  numbers of parts
    __device__ CubeWork(const TaskTree<3>& tree, int level, unsigned least, unsigned most)
        : begin(tree.offset(level)), end(tree.offset(level + 1)) {
        const std::size_t n_children = tree.offset(level + 2) - end;
        // leaves among the boxes would leave columns idle
        width = n_children >= 4 * (end - begin) ? cube_columns : CubeFamilies::most;
        windows = static_cast<unsigned>((end - begin + width - 1) / width);
        parts = min(max(gridDim.x / max(windows, 1U), least), most);
    }

    [[nodiscard]] __device__ BoxRange window(unsigned item) const {
        const std::size_t first = begin + std::size_t(item / parts) * width;
        return {first, min(first + width, end)};
    }
};

/// The blocks that a multiprocessor should run at once: octets of few terms leave room for two.
template <int rounds>
inline constexpr unsigned cube_blocks = rounds == 1 ? 2 : 1;

/// Shifts between the boxes of a level and their children.
/// \tparam Shift CubeM2M or CubeL2L
template <class Shift, int rounds>
__global__ void __launch_bounds__(cube_threads, cube_blocks<rounds>) cube_shift_kernel(
    const __grid_constant__ typename Shift::Task task, const __grid_constant__ CubeLaunch launch
) {
    __shared__ CubeFamilies families;
    const int order = task.args.order;
    const TaskTree<3> tree = task.boxes.tree(task.args);
    const CubeWork work(tree, launch.level, Shift::least_parts(order), Shift::most_parts(order));
    const Shift cubes(task, launch, families);
    const unsigned warp = threadIdx.x / warp_lanes;
    for (unsigned item = blockIdx.x; item < work.windows * work.parts; item += gridDim.x) {
        const unsigned part = item % work.parts;
        families.template find<typename Shift::Real>(
            task.boxes, tree, work.window(item), launch.rounding
        );
        for (unsigned first = 0; first < families.n_cubes; first += cube_columns) {
            cubes.shift(first, Share{part, work.parts});
        }
        if (families.n_others == 0) {
            continue;
        }
        __syncthreads(); // they take the same memory
        if (warp < launch.octet_warps) {
            const SolidShiftRoom<rounds, true> memory(order);
            OwnColumns<true> own;
            const auto columns = own.of(memory, order);
            for (unsigned i = part * launch.octet_warps + warp; i < families.n_others;
                 i += work.parts * launch.octet_warps) {
                const BoxRange boxes = Shift::octet(tree, families.others[i]);
                Shift::Octets::template shift<rounds>(task, order * order, boxes, columns, memory);
            }
        }
        __syncthreads();
    }
}

/// Returns the most boxes that a level may have.
inline std::size_t most_boxes(const TaskArgs& args, int level) {
    return std::min(n_boxes<3>(level), n_boxes_of<3>(args));
}

/// Launches the shift between the boxes of `level` and those below.
template <class Shift, int rounds>
void launch_cube_shift(
    const typename Shift::Task& task, int level, const DeviceCubePieces& pieces
) {
    const int order = task.args.order;
    const std::size_t octet_bytes = SolidShiftRoom<rounds, true>::bytes(order);
    const CubeLaunch launch{
        pieces,
        level,
        Shift::buffers(order),
        solid_warps(octet_bytes),
        cube_rounding<typename Shift::Real>(order)};
    const std::size_t bytes =
        std::max(Shift::bytes(order, launch.buffers), launch.octet_warps * octet_bytes);
    const auto kernel = cube_shift_kernel<Shift, rounds>;
    allow_shared_bytes(kernel, bytes);
    const unsigned windows = n_blocks(most_boxes(task.args, level), cube_columns);
    const unsigned blocks =
        std::min(cube_blocks<rounds> * n_multiprocessors(), windows * Shift::most_parts(order));
    kernel<<<blocks, cube_threads, bytes, cuda_stream()>>>(task, launch);
    check_cuda(cudaGetLastError(), "launch of cube_shift_kernel");
}

/// Whether shared memory has room for a task's cubes, and for octets.
template <class Shift, int rounds>
bool has_cube_room(int order) {
    const std::size_t room = block_shared_bytes();
    return Shift::bytes(order, Shift::buffers(order)) <= room &&
           SolidShiftRoom<rounds, true>::bytes(order) <= room;
}

/// Whether the cells of a task go as cubes: where there are matrix units worth using.
template <class K>
bool takes_cubes(const TaskArgs& args) {
    return has_cells<3>(args) && takes_matrix_form<K>(args);
}

/// Runs M2M or L2L of an octree's cells as cubes.
/// \tparam Cubes CubeM2M or CubeL2L
/// \returns false, having done nothing, where cells do not go this way
template <class K, template <class, int> class Cubes, class Task>
bool cube_shift(const Task& task) {
    const int order = task.args.order;
    bool has_room = false;
    if (!takes_cubes<K>(task.args)) {
        return false;
    }
    with_lowest<1, 2, 3, max_rounds>(rounds_of(order - 1), [&](auto rounds) {
        using Shift = Cubes<K, rounds()>;
        has_room = has_cube_room<Shift, rounds()>(order);
        if (has_room) {
            const DeviceCubePieces& pieces = Shift::pieces(cube_tables(order));
            const auto launch = [&](int level, int /*levels*/) {
                launch_cube_shift<Shift, rounds()>(task, level, pieces);
            };
            launch_levels<Shift::Octets::is_downward>(task.args, launch, 1);
        }
    });
    return has_room;
}

} // namespace starfmm
