// SPDX-License-Identifier: BSD-3-Clause
// Eight M2L translations of solid harmonics a warp, of so few terms that all coefficients stay in
// registers: the code of each number of terms is straight, so that its loads wait together.
#pragma once

#include "codelets/expansions/solid3d/m2l_far.cuh"
#include "codelets/expansions/solid3d/octet_turns.cuh"

#include <utility>

namespace starfmm {

/// Calls use(n), as a type, for first <= n < end.
template <int first, int end, class Use>
__device__ __forceinline__ void visit_constants(const Use& use) {
    if constexpr (first < end) {
        use(std::integral_constant<int, first>{});
        visit_constants<first + 1, end>(use);
    }
}

/// A lane's coefficients of degrees below `terms`, each degree with as many rounds as it has.
template <int terms>
class OctetDegrees {
public:
    static_assert(terms <= 16);
    static constexpr int rounds = rounds_of(terms - 1);

    template <int n>
    __device__ __forceinline__ DegreeParts<rounds_of(n)>& of() {
        if constexpr (n < 8) {
            return low_[n];
        } else {
            return high_[n - 8];
        }
    }

private:
    DegreeParts<1> low_[terms < 8 ? terms : 8];
    DegreeParts<2> high_[terms > 8 ? terms - 8 : 1];
};

/// Translations of up to `terms` terms.
template <int terms>
class RegisterM2L {
public:
    /// Calls put(n as a type, the lane's part of the degree) with each degree of the result.
    template <class Real, class Put>
    __device__ __forceinline__ static void translate(const SolidFarBox<Real>& far, const Put& put) {
        const OctetTurns<rounds_of(terms - 1)> turns(far.turns.first, far.turns.second);
        OctetDegrees<terms> x;
        double outgoing = 1;
        visit_constants<0, terms>([&](auto n) {
            auto& degree = x.template of<n()>();
            load_degree<rounds_of(n())>(far.multipole, n(), n() < far.terms, degree);
            if constexpr (n() > 0) {
                turns.template turn<rounds_of(n())>(n(), degree);
            }
            weigh_degree<true, rounds_of(n())>(n(), outgoing, degree);
            outgoing *= far.outgoing;
        });
        multiply<0>(x);
        if constexpr (terms > 8) {
            multiply<1>(x);
        }
        double incoming = far.turns.inverse;
        visit_constants<0, terms>([&](auto n) {
            auto& degree = x.template of<n()>();
            const double factor = n() < far.terms ? incoming : 0.0;
            weigh_degree<true, rounds_of(n())>(n(), factor, degree);
            if constexpr (n() > 0) {
                turns.template turn_back<rounds_of(n())>(n(), degree);
            }
            incoming *= far.incoming;
            put(n, degree);
        });
    }

private:
    /// Multiplies by (n + j)!, and by the sign (-1)^(j + m) of the result.
    template <int round>
    __device__ __forceinline__ static void multiply(OctetDegrees<terms>& x) {
        constexpr int first = 8 * round;
#pragma unroll
        for (int part = 0; part < n_parts; ++part) {
            double product[terms - first] = {};
            visit_constants<first, terms>([&](auto n) {
                const double value = x.template of<n()>()[part][round];
#pragma unroll
                for (int j = first; j < terms; ++j) {
                    product[j - first] =
                        fma(detail::factorials.entry[n() + j], value, product[j - first]);
                }
            });
            visit_constants<first, terms>([&](auto j) {
                const double sum = product[j() - first];
                x.template of<j()>()[part][round] = (j() + part) % 2 == 0 ? sum : -sum;
            });
        }
    }
};

} // namespace starfmm
