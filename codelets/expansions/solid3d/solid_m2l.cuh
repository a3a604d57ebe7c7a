// SPDX-License-Identifier: BSD-3-Clause
// M2L of solid harmonics on the FP64 matrix units: a warp has a row, and takes eight far boxes at a
// time, sorted by the terms that they need. There is a launch each for few, more and many terms,
// since only many of them need shared memory and only few leave registers for many warps. Single
// precision is double on the way in and out.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/equal_shares.cuh"
#include "codelets/expansions/solid3d/m2l_far.cuh"
#include "codelets/expansions/solid3d/octet_registers.cuh"
#include "codelets/expansions/solid3d/octet_translation.cuh"
#include "codelets/expansions/solid3d/warp_room.cuh"

namespace starfmm {

/// Whether a kernel's M2L is SolidHarmonics3D's; it is not if the kernel replaces it.
template <class K, class Real = typename K::Real, class Base = SolidHarmonics3D<Real>>
inline constexpr bool has_solid_m2l = requires {
    requires(&K::template m2l_truncated<Real> == &Base::template m2l_truncated<Real>);
};

/// The most terms of octets of few terms, and of those whose coefficients stay in registers.
inline constexpr int short_terms = 8;
inline constexpr int middle_terms = 16;

/// M2L of octets whose coefficients stay in registers; few terms leave room for more warps.
template <bool is_short>
class RegisterOctets {
public:
    static constexpr int least = is_short ? 0 : short_terms;
    static constexpr int most = is_short ? short_terms : middle_terms;
    /// Blocks that a multiprocessor should run at once.
    static constexpr int blocks = is_short ? 4 : 2;
    static constexpr bool has_columns = false;

    template <class Memory>
    __device__ RegisterOctets(const Memory& memory, int /*order*/) : row_(memory.row()) {}

    /// Adds an octet.
    /// \param terms  most terms of the eight
    template <class Real>
    __device__ void add(const SolidFarBox<Real>& far, int terms) const {
        translate<is_short ? 4 : short_terms + 2>(far, terms);
    }

private:
    /// Translates by the shortest code that covers the terms, which is compiled for every other
    /// number.
    template <int compiled, class Real>
    __device__ void translate(const SolidFarBox<Real>& far, int terms) const {
        if constexpr (compiled < most) {
            if (terms > compiled) {
                return translate<compiled + 2>(far, terms);
            }
        }
        RegisterM2L<compiled>::translate(far, [&](auto n, const auto& x) {
            add_octet<rounds_of(n())>(n(), x, row_);
        });
    }

    double* row_;
};

using ShortOctets = RegisterOctets<true>;
using MiddleOctets = RegisterOctets<false>;

/// Adds a translation of any number of terms, through columns.
/// \param terms most terms of the eight
/// \param row   [p^2] to which the translation is added
template <int rounds, int stride, class Real>
__device__ void add_long_m2l(
    const SolidFarBox<Real>& far, int terms, const LaneColumns<stride>& columns, double* row
) {
    const OctetTranslation<rounds, stride> octet(far.turns, columns);
    octet.turn(terms, far.multipole, far.terms, DegreeFactors<true>(1, far.outgoing, far.terms));
    octet.multiply(terms, [](int round) { return HankelMatrix(8 * round); });
    octet.template turn_back<true>(
        terms,
        DegreeFactors<true>(far.turns.inverse, far.incoming, far.terms),
        [&](auto n_rounds, int n, const auto& x) { add_octet<n_rounds()>(n, x, row); }
    );
}

/// M2L of octets of more than middle_terms.
template <int rounds, bool in_shared>
class LongOctets {
public:
    static constexpr int least = middle_terms;
    static constexpr int most = max_degrees;
    static constexpr int blocks = 2;
    static constexpr bool has_columns = in_shared;

    template <class Memory>
    __device__ LongOctets(const Memory& memory, int order)
        : columns_(own_.of(memory, order)), row_(memory.row()) {}

    template <class Real>
    __device__ void add(const SolidFarBox<Real>& far, int terms) const {
        add_long_m2l<rounds>(far, terms, columns_, row_);
    }

private:
    OwnColumns<in_shared> own_;
    typename OwnColumns<in_shared>::Columns columns_;
    double* row_;
};

/// A warp's shared memory.
template <class K>
struct SolidFarMemory {
    template <int rounds, bool in_shared>
    using Of = WarpRoom<SolidFarRoom<typename K::Real>, in_shared>;
};

template <class K, class Octets>
using SolidM2LRoom = WarpRoom<SolidFarRoom<typename K::Real>, Octets::has_columns>;

/// M2L into rows of locals, one a warp at a time, by the octets of some numbers of terms. An octet
/// has the number of its first box.
template <class K, class Octets>
class SolidM2L {
public:
    using Real = typename K::Real;
    using Memory = SolidM2LRoom<K, Octets>;

    __device__ SolidM2L(const M2LTask<K>& task, int n, const Memory& memory)
        : task_(task), n_(n), memory_(memory), octets_(memory, task.args.order) {}

    /// Translates into a row. The shortest octets are the first, and overwrite the row.
    __device__ void translate_row(std::size_t row) {
        const ListView far = task_.far();
        const BoxReference* end = far.boxes + far.offsets[row + 1];
        double* sums = memory_.row();
        visit_lanes(n_, [&](int k) { sums[k] = 0; });
        SolidFarRow<K> boxes(task_, n_, row, memory_.room());
        bool has_octets = Octets::least == 0;
        for (const BoxReference* begin = far.boxes + far.offsets[row]; begin < end;
             begin += far_chunk) {
            boxes.read(begin, static_cast<int>(min(std::ptrdiff_t(far_chunk), end - begin)));
            has_octets = translate(boxes) || has_octets;
        }
        __syncwarp();
        Real* local = task_.locals + row * n_;
        if (has_octets) {
            visit_lanes(n_, [&](int k) {
                const double before = Octets::least == 0 ? 0.0 : static_cast<double>(local[k]);
                local[k] = static_cast<Real>(before + sums[k]);
            });
        }
        __syncwarp();
    }

private:
    /// Translates the octets of these numbers of terms. \returns whether there are such octets
    __device__ bool translate(SolidFarRow<K>& boxes) {
        int first = 0;
        while (first < boxes.size() && boxes.terms(first) > Octets::most) {
            first += octet_boxes3;
        }
        int i = first;
        for (; i < boxes.size() && boxes.terms(i) > Octets::least; i += octet_boxes3) {
            const int octet = (i - first) / octet_boxes3 % quad_lanes;
            if (octet == 0) {
                boxes.prepare(i);
            }
            octets_.add(boxes.quad_box(octet), boxes.terms(i));
        }
        __syncwarp();
        return i > first;
    }

    const M2LTask<K>& task_;
    int n_;
    const Memory& memory_;
    Octets octets_;
};

/// The cost of a row besides its entries, in entries.
inline constexpr std::uint64_t solid_row_cost = 10;

inline constexpr int solid_m2l_threads = 128;

/// Runs M2L: each block takes rows of about as many entries.
template <class K, class Octets>
__global__ void __launch_bounds__(solid_m2l_threads, Octets::blocks)
    solid_m2l_kernel(const __grid_constant__ M2LTask<K> task, int n) {
    using Translation = SolidM2L<K, Octets>;
    __shared__ unsigned range[2];
    const unsigned warp = threadIdx.x / warp_lanes;
    const ListView far = task.far();
    if (warp == 0) {
        const std::size_t n_rows = n_boxes_of<3>(task.args);
        for (unsigned i = 0; i < 2; ++i) {
            const Share share{blockIdx.x + i, gridDim.x};
            const std::size_t row = share_begin(far.offsets, n_rows, solid_row_cost, share);
            range[i] = static_cast<unsigned>(row);
        }
    }
    __syncthreads();
    const typename Translation::Memory memory(task.args.order);
    Translation translation(task, n, memory);
    for (;;) {
        const unsigned claimed = threadIdx.x % warp_lanes == 0 ? atomicAdd(range, 1U) : 0;
        const unsigned row = from_lane(claimed, 0);
        if (row >= range[1]) {
            return;
        }
        translation.translate_row(row);
    }
}

template <class K, class Octets>
void launch_solid_m2l(const M2LTask<K>& task, int n) {
    launch_solid_rows(
        solid_m2l_kernel<K, Octets>,
        SolidM2LRoom<K, Octets>::bytes(task.args.order),
        n_boxes_of<3>(task.args),
        solid_m2l_threads / warp_lanes,
        task,
        n
    );
    check_cuda(cudaGetLastError(), "launch of solid_m2l_kernel");
}

template <class K>
void solid_m2l(const M2LTask<K>& task, int n) {
    launch_solid_m2l<K, ShortOctets>(task, n);
    if (task.args.order > short_terms) {
        launch_solid_m2l<K, MiddleOctets>(task, n);
    }
    if (task.args.order > middle_terms) {
        with_solid_rounds<SolidFarMemory<K>::template Of>(
            task.args.order,
            [&](auto rounds, auto in_shared) {
                if constexpr (rounds() > 1) {
                    launch_solid_m2l<K, LongOctets<rounds(), in_shared()>>(task, n);
                }
            }
        );
    }
}

} // namespace starfmm
