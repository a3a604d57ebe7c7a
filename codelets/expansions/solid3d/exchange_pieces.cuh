// SPDX-License-Identifier: BSD-3-Clause
// Constants of translations of solid harmonics on a GPU: matrices of the exchange of x and z as the
// FP64 matrix units take them, and the factors of axial translations.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "core/expansions/solid_tables.hpp"

namespace starfmm {

inline constexpr int octet_boxes3 =
    8; ///< boxes that a warp translates at once: rows of the units' operand
inline constexpr int quad_lanes = warp_lanes / octet_boxes3; ///< lanes that share a box

/// The parts of a degree's coefficients, as SolidIndex orders them: cosines of even m, of odd m,
/// sines of even m, of odd m. In each part the lane has m = 2 i + part % 2 with
/// i = quad_index(round).
inline constexpr int n_parts = 4;

/// Returns the number of rounds that cover a degree.
constexpr int rounds_of(int n) {
    return n / 8 + 1;
}

inline constexpr int max_rounds = rounds_of(max_degrees - 1);

__device__ inline int quad_index(int round) {
    return static_cast<int>(threadIdx.x % quad_lanes) + quad_lanes * round;
}

/// Returns the place of a coefficient in an expansion; negative if there is none.
__device__ inline int solid_place(int n, int part, int i) {
    const int m = 2 * i + part % 2;
    if (part < 2) {
        return m <= n ? SolidIndex::cos(n, m) : -1;
    }
    return m > 0 && m <= n ? SolidIndex::sin(n, m) : -1;
}

/// The numbers of pieces that ExchangePieces has of degrees.
struct ExchangeLayout {
    STARFMM_HOST_DEVICE static constexpr int row_pairs(int rounds) { return (rounds + 1) / 2; }

    /// Returns the number of pieces of one degree.
    STARFMM_HOST_DEVICE static constexpr int size(int rounds) {
        return rounds == 1 ? n_parts : n_parts * row_pairs(rounds) * rounds;
    }

    /// Returns the number of pieces of the degrees that fewer rounds cover.
    STARFMM_HOST_DEVICE static constexpr int begin(int rounds) {
        int sum = 0;
        for (int fewer = 1; fewer < rounds; ++fewer) {
            sum += 8 * size(fewer);
        }
        return sum;
    }
};

/// The exchange of x and z, all degrees, in pieces of 4 columns and 8 rows: one element of each a
/// lane, zero where the matrix has none. A lane gets two rows of a product: i = quad_index(0) of
/// even and of odd m, where one round covers the degree, else quad_index() of two rounds of one
/// part. Degrees of one round have a piece for each part of the columns, the others [part of rows]
/// [pair of rounds of rows][round of columns].
class ExchangePieces : public ExchangeLayout {
public:
    double entry[begin(max_rounds + 1) * warp_lanes] = {};

    constexpr ExchangePieces() {
        const AxisExchange<double> matrices;
        const double* from = matrices.entry;
        for (int n = 0; n < max_degrees; ++n) {
            const int rounds = rounds_of(n);
            double* pieces = entry + (begin(rounds) + n % 8 * size(rounds)) * warp_lanes;
            for (int part = 0; part < n_parts; ++part) {
                from = put_part(n, part, from, pieces);
            }
        }
    }

    /// Returns the part of the columns from which the rows of a part come.
    STARFMM_HOST_DEVICE static constexpr int source(bool is_odd, int part) {
        return (part < 2) == is_odd ? part ^ 1 : part;
    }

private:
    static constexpr int rows(int n, int part) {
        return part % 2 == 1 ? SolidIndex::n_odd(n)
               : part == 0   ? SolidIndex::n_cos_even(n)
                             : SolidIndex::n_sin_even(n);
    }

    /// Puts the matrix of one part. \returns where the next part's matrix begins
    static constexpr const double* put_part(int n, int part, const double* from, double* pieces) {
        const int source_part = source(n % 2 == 1, part);
        const int columns = rows(n, source_part);
        for (int row = 0; row < rows(n, part); ++row) {
            for (int column = 0; column < columns; ++column) {
                const int i = row + (part == 2 ? 1 : 0);
                const int k = column + (source_part == 2 ? 1 : 0);
                pieces[place(rounds_of(n), part, source_part, i, k)] = *from++;
            }
        }
        return from;
    }

    static constexpr int place(int rounds, int part, int source_part, int i, int k) {
        if (rounds == 1) {
            return source_part * warp_lanes + (2 * i + part % 2) * quad_lanes + k;
        }
        const int piece = (part * row_pairs(rounds) + i / 8) * rounds + k / quad_lanes;
        const int row = 2 * (i % quad_lanes) + i % 8 / quad_lanes;
        return piece * warp_lanes + row * quad_lanes + k % quad_lanes;
    }
};

/// The factorials i! for i < 2 max_degrees.
struct SolidFactorials {
    double entry[2 * max_degrees] = {};

    constexpr SolidFactorials() {
        entry[0] = 1;
        for (int i = 1; i < 2 * max_degrees; ++i) {
            entry[i] = entry[i - 1] * i;
        }
    }
};

/// The weights sqrt((n-m)! (n+m)!) or their inverses for m = 2 i + parity, which are zero where m >
/// n: matrices of axial translations are (n + j)!, 1 / (n - j)! or 1 / (j - n)! between two of
/// these.
template <bool is_inverse>
struct AxialWeights {
    static constexpr int indices = max_degrees / 2;
    double entry[max_degrees][2][indices] = {}; ///< [n][parity][i]

    constexpr AxialWeights() {
        const SolidFactorials factorials;
        for (int n = 0; n < max_degrees; ++n) {
            for (int m = 0; m <= n; ++m) {
                const double root =
                    detail::constant_sqrt(factorials.entry[n - m] * factorials.entry[n + m]);
                entry[n][m % 2][m / 2] = is_inverse ? 1 / root : root;
            }
        }
    }

    [[nodiscard]] __device__ double of(int n, int parity, int round) const {
        return entry[n][parity][quad_index(round)];
    }
};

namespace detail {

static const __constant__ SolidFactorials factorials{}; // all lanes read the same one

} // namespace detail

} // namespace starfmm
