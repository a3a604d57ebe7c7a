// SPDX-License-Identifier: BSD-3-Clause
// This file makes the bodies of the kernel that drops pairs.
#include "tests/kernels/drops_pairs.hpp"

#include "codelets/sets/instantiate.hpp"
#include "core/expansions/kernels2d.hpp"

namespace {

struct DropsPairs : starfmm::Harmonic<double, false> {
    using Base = starfmm::Harmonic<double, false>;
    static constexpr std::string_view name = "drops_pairs";
    static constexpr double share = 1e-5;

    /// Returns a fraction in [-1/2, 1/2]: the fraction of a large multiple of a distance is as good
    /// as random.
    template <class T>
    static T fraction(const T& distance) {
        const T multiple = T(1e9) * distance;
        const T to_integers = T(0x1.8p52);
        return multiple - ((multiple + to_integers) - to_integers);
    }

    template <class T>
    static starfmm::Complex<T> pair(const starfmm::Complex<T>& d) {
        const T f = fraction(d.re);
        return starfmm::zero_if_greater(T(1), T(share * share / 4), f * f) * Base::pair(d);
    }

    template <class T>
    static starfmm::Complex<T> p2p(starfmm::Complex<T> target, starfmm::Complex<T> source, T q) {
        return q * pair(source - target);
    }
};

} // namespace

starfmm::KernelSet& drops_pairs() {
    using K = DropsPairs;
    static starfmm::KernelSet set(
        starfmm::kernel_traits<K>(),
        starfmm::geometry_set(),
        starfmm::gather_set<double>(),
        starfmm::kernel_bodies<K, starfmm::CurrentBackend>(),
        {}
    );
    return set;
}
