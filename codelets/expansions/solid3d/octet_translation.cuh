// SPDX-License-Identifier: BSD-3-Clause
// Eight translations of solid harmonics a warp, for any order: expansions are turned degree by
// degree, translated along z column by column, and turned back.
#pragma once

#include "codelets/expansions/solid3d/axial_columns.cuh"

namespace starfmm {

/// A factor of each degree, scale ratio^n below `terms`, times a weight of each coefficient.
/// \tparam is_inverse  whether weights are AxialWeights' inverses
template <bool is_inverse>
class DegreeFactors {
public:
    __device__ DegreeFactors(double scale, double ratio, int terms)
        : factor_(scale), ratio_(ratio), terms_(terms) {}

    /// Scales the degrees from 0 on, in turn.
    template <int rounds>
    __device__ void scale_next(int n, DegreeParts<rounds>& x) {
        weigh_degree<is_inverse, rounds>(n, n < terms_ ? factor_ : 0.0, x);
        factor_ *= ratio_;
    }

private:
    double factor_;
    double ratio_;
    int terms_;
};

/// Multiplies by the signs (-1)^(n + m).
template <int rounds>
__device__ void alternate(int n, DegreeParts<rounds>& x) {
    const double sign = n % 2 == 0 ? 1.0 : -1.0;
#pragma unroll
    for (int part = 0; part < n_parts; ++part) {
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            x[part][round] *= part % 2 == 0 ? sign : -sign;
        }
    }
}

/// The turns of an octet, and room for its columns.
/// \tparam rounds  most rounds of any degree
template <int rounds, int stride>
class OctetTranslation {
public:
    __device__ OctetTranslation(const SolidTurns<double>& turns, const LaneColumns<stride>& columns)
        : turns_(turns.first, turns.second), columns_(columns) {}

    /// Turns the degrees below `end` of the quad's expansion, times factors, into columns.
    /// \param wanted degrees of the quad that are not zero
    template <class Real, class Factors>
    __device__ void turn(int end, const Real* from, int wanted, Factors factors) const {
        visit_degrees<rounds>(end, [&](auto n_rounds, int n) {
            DegreeParts<n_rounds()> x;
            load_degree<n_rounds()>(from, n, n < wanted, x);
            turns_.template turn<n_rounds()>(n, x);
            factors.template scale_next<n_rounds()>(n, x);
#pragma unroll
            for (int part = 0; part < n_parts; ++part) {
#pragma unroll
                for (int round = 0; round < n_rounds(); ++round) {
                    columns_.column(round, part)[(n - 8 * round) * stride] = x[part][round];
                }
            }
        });
    }

    /// Multiplies the columns of the degrees below `end`.
    /// \param matrix_of  matrix_of(round), the matrix of a round
    template <class MatrixOf>
    __device__ void multiply(int end, const MatrixOf& matrix_of) const {
#pragma unroll 1
        for (int round = 0; 8 * round < end; ++round) {
            const auto matrix = matrix_of(round);
#pragma unroll 1
            for (int part = 0; part < n_parts; ++part) {
                multiply_column<stride>(
                    end - 8 * round,
                    matrix,
                    columns_.column(round, part),
                    columns_.translated(round, part)
                );
            }
        }
    }

    /// Calls put(n, x) with the lane's part of each degree, turned back, times factors.
    template <bool is_alternating, class Factors, class Put>
    __device__ void turn_back(int end, Factors factors, const Put& put) const {
        visit_degrees<rounds>(end, [&](auto n_rounds, int n) {
            DegreeParts<n_rounds()> x;
#pragma unroll
            for (int part = 0; part < n_parts; ++part) {
#pragma unroll
                for (int round = 0; round < n_rounds(); ++round) {
                    x[part][round] = columns_.translated(round, part)[(n - 8 * round) * stride];
                }
            }
            factors.template scale_next<n_rounds()>(n, x);
            if constexpr (is_alternating) {
                alternate<n_rounds()>(n, x);
            }
            turns_.template turn_back<n_rounds()>(n, x);
            put(n_rounds, n, x);
        });
    }

private:
    OctetTurns<rounds> turns_;
    LaneColumns<stride> columns_;
};

} // namespace starfmm
