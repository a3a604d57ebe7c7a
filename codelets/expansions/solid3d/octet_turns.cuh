// SPDX-License-Identifier: BSD-3-Clause
// Turns of solid harmonics on the FP64 matrix units: eight expansions a warp, four lanes each.
#pragma once

#include "codelets/cuda/matrix_units.cuh"
#include "codelets/expansions/solid3d/exchange_pieces.cuh"
#include "core/expansions/solid_harmonics3d.hpp"

#include <type_traits>

namespace starfmm {

/// A lane's coefficients of one degree: [part][round].
template <int rounds>
using DegreeParts = double[n_parts][rounds];

/// Loads a degree of an expansion, or zeros.
template <int rounds, class Real>
__device__ void load_degree(const Real* a, int n, bool is_wanted, DegreeParts<rounds>& x) {
#pragma unroll
    for (int part = 0; part < n_parts; ++part) {
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            const int place = solid_place(n, part, quad_index(round));
            x[part][round] = is_wanted && place >= 0 ? static_cast<double>(a[place]) : 0.0;
        }
    }
}

/// Multiplies a degree by a factor, times the weight of each coefficient.
/// \tparam is_inverse  whether weights are AxialWeights' inverses
template <bool is_inverse, int rounds>
__device__ __forceinline__ void weigh_degree(int n, double factor, DegreeParts<rounds>& x) {
    const auto& weights = constant_table<AxialWeights<is_inverse>>();
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int parity = 0; parity < 2; ++parity) {
            const double scale = factor * weights.of(n, parity, round);
            x[parity][round] *= scale;
            x[parity + 2][round] *= scale;
        }
    }
}

/// Exchanges x and z in the harmonics of one degree.
/// \param pieces  the lane's pieces of the degree
template <int rounds, bool is_odd>
__device__ void
exchange_parts(const double* pieces, const DegreeParts<rounds>& x, DegreeParts<rounds>& out) {
    constexpr int pairs = ExchangePieces::row_pairs(rounds);
#pragma unroll
    for (int part = 0; part < n_parts; ++part) {
        const int source = ExchangePieces::source(is_odd, part);
#pragma unroll
        for (int pair = 0; pair < pairs; ++pair) {
            double sum0 = 0;
            double sum1 = 0;
#pragma unroll
            for (int round = 0; round < rounds; ++round) {
                const double piece = pieces[((part * pairs + pair) * rounds + round) * warp_lanes];
                multiply_add_part(x[source][round], piece, sum0, sum1);
            }
            out[part][2 * pair] = sum0;
            if (2 * pair + 1 < rounds) {
                out[part][2 * pair + 1] = sum1;
            }
        }
    }
}

template <int rounds>
__device__ void exchange_degree(int n, const DegreeParts<rounds>& x, DegreeParts<rounds>& out) {
    const double* pieces =
        constant_table<ExchangePieces>().entry + threadIdx.x % warp_lanes +
        (ExchangePieces::begin(rounds) + n % 8 * ExchangePieces::size(rounds)) * warp_lanes;
    if constexpr (rounds == 1) {
#pragma unroll
        for (int kind = 0; kind < n_parts; kind += 2) { // cosines, sines
            out[kind][0] = out[kind + 1][0] = 0;
            for (int part = kind; part < kind + 2; ++part) {
                multiply_add_part(
                    x[part][0], pieces[part * warp_lanes], out[kind][0], out[kind + 1][0]
                );
            }
        }
    } else if (n % 2 == 0) {
        exchange_parts<rounds, false>(pieces, x, out);
    } else {
        exchange_parts<rounds, true>(pieces, x, out);
    }
}

/// The cosines and sines of an angle's multiples by the lane's m.
template <int rounds>
struct QuadAngles {
    Complex<double> of[2][rounds]; ///< [parity][round]

    __device__ explicit QuadAngles(const Complex<double>& angle) {
        const unsigned lane = threadIdx.x % quad_lanes;
        const Complex<double> twice = angle * angle;
        const Complex<double> step = twice * twice;
        const Complex<double> low = choose((lane & 1) != 0, twice, Complex<double>{1.0, 0.0});
        of[0][0] = choose((lane & 2) != 0, low * step, low);
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            if (round > 0) {
                of[0][round] = of[0][round - 1] * (step * step);
            }
            of[1][round] = of[0][round] * angle;
        }
    }

    /// Turns by the angle, or by its opposite.
    template <int sign, int n_rounds>
    __device__ void turn(DegreeParts<n_rounds>& x) const {
#pragma unroll
        for (int parity = 0; parity < 2; ++parity) {
#pragma unroll
            for (int round = 0; round < n_rounds; ++round) {
                const Complex<double> angle{of[parity][round].re, sign * of[parity][round].im};
                double& c = x[parity][round];
                double& s = x[parity + 2][round];
                const double turned = fma(angle.re, c, -angle.im * s);
                s = fma(angle.re, s, angle.im * c);
                c = turned;
            }
        }
    }
};

/// The turns of each quad's expansion until its shift lies along z, and back.
/// \tparam rounds  most rounds of any degree
template <int rounds>
class OctetTurns {
public:
    __device__ OctetTurns(const Complex<double>& first, const Complex<double>& second)
        : first_(first), second_(second) {}

    template <int n_rounds>
    __device__ void turn(int n, DegreeParts<n_rounds>& x) const {
        DegreeParts<n_rounds> exchanged;
        first_.template turn<1>(x);
        exchange_degree(n, x, exchanged);
        second_.template turn<1>(exchanged);
        exchange_degree(n, exchanged, x);
    }

    template <int n_rounds>
    __device__ void turn_back(int n, DegreeParts<n_rounds>& x) const {
        DegreeParts<n_rounds> exchanged;
        exchange_degree(n, x, exchanged);
        second_.template turn<-1>(exchanged);
        exchange_degree(n, exchanged, x);
        first_.template turn<-1>(x);
    }

private:
    QuadAngles<rounds> first_;
    QuadAngles<rounds> second_;
};

/// Calls use(rounds that cover degree n, as a type, n) for degrees n < end.
template <int most_rounds, int rounds = 1, class Use>
__device__ void visit_degrees(int end, const Use& use) {
    const int last = end < 8 * rounds ? end : 8 * rounds;
#pragma unroll 1
    for (int n = 8 * (rounds - 1); n < last; ++n) {
        use(std::integral_constant<int, rounds>{}, n);
    }
    if constexpr (rounds < most_rounds) {
        visit_degrees<most_rounds, rounds + 1>(end, use);
    }
}

/// Adds a degree to the quad's expansion.
template <int rounds, class Real>
__device__ void add_degree(const DegreeParts<rounds>& x, int n, bool is_wanted, Real* out) {
#pragma unroll
    for (int part = 0; part < n_parts; ++part) {
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            const int place = solid_place(n, part, quad_index(round));
            if (is_wanted && place >= 0) {
                out[place] += static_cast<Real>(x[part][round]);
            }
        }
    }
}

/// Adds the sums of a degree over the warp's eight boxes to an expansion.
template <int rounds>
__device__ void add_octet(int n, const DegreeParts<rounds>& x, double* row) {
    constexpr int size = n_parts * rounds;
    double flat[size];
#pragma unroll
    for (int i = 0; i < size; ++i) {
        flat[i] = x[i / rounds][i % rounds];
    }
    const RowPart own = scatter_sums<size, warp_lanes / 2, quad_lanes>(flat, size);
#pragma unroll
    for (int i = 0; i < (size + octet_boxes3 - 1) / octet_boxes3; ++i) {
        const int which = own.first + i;
        const int place =
            i < own.size ? solid_place(n, which / rounds, quad_index(which % rounds)) : -1;
        if (place >= 0) {
            row[place] += flat[i];
        }
    }
}

} // namespace starfmm
