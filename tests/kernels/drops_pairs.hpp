// SPDX-License-Identifier: BSD-3-Clause
// A kernel with a fault: the harmonic one, of whose pairs one in 1e5 is missing. Direct sums miss the
// same pairs as P2P.
#pragma once

#include "core/expansions/kernels2d.hpp"

#include <string_view>

struct DropsPairs : starfmm::Harmonic<double, false> {
    using Base = starfmm::Harmonic<double, false>;
    static constexpr std::string_view name = "drops_pairs";
    static constexpr double share = 1e-5;

    /// A number in [-1/2, 1/2]: the fraction of a large multiple of a distance is as good as random.
    template <class T>
    STARFMM_HOST_DEVICE static T fraction(const T& distance) {
        const T multiple = T(1e9) * distance;
        const T to_integers = T(0x1.8p52);
        return multiple - ((multiple + to_integers) - to_integers);
    }

    template <class T>
    STARFMM_HOST_DEVICE static starfmm::Complex<T> pair(const starfmm::Complex<T>& d) {
        const T f = fraction(d.re);
        return starfmm::zero_if_greater(T(1), T(share * share / 4), f * f) * Base::pair(d);
    }

    template <class T>
    STARFMM_HOST_DEVICE static starfmm::Complex<T>
    p2p(starfmm::Complex<T> target, starfmm::Complex<T> source, T q) {
        return q * pair(source - target);
    }
};
