// SPDX-License-Identifier: BSD-3-Clause
// The codelets of one pairwise law, and how a user's law gets them: as a kernel does, by a source
// that includes codelets/sets/instantiate_law.hpp and CMake's starfmm_add_kernel.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "codelets/task/codelet.hpp"
#include "core/config.hpp"
#include "core/laws/pair_law.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace starfmm {

/// Bodies that know points and boxes of a uniform tree, but no law. One set per precision and
/// dimension.
struct OrthtreeBodies {
    BodyFunction zsort;
    BodyFunction zgroup;
};

/// Implementations of one law's near field; a CPU has only the first.
struct NearfieldBodies {
    BodyFunction bpb;
    BodyFunction improved;
};

/// What TaskArgs::implementation calls them.
enum class NearfieldImplementation { any = any_implementation, bpb = 0, improved = 1 };

/// Defined by codelets/sets/instantiate_law.hpp, in each variant of a law's source.
template <class Real, int D, class Backend>
OrthtreeBodies orthtree_bodies();
template <class L, class Backend>
NearfieldBodies nearfield_bodies();

/// Codelets that sort points into a uniform tree.
struct OrthtreeSet {
    OrthtreeSet(const std::string& variant, const OrthtreeBodies& cpu, const OrthtreeBodies& cuda);

    Codelet zsort;
    Codelet zgroup;
};

/// What the library needs to know of a law at run time.
struct LawTraits {
    std::string name;
    int dimension;
    int n_values;
    std::size_t real_size; ///< 8 or 4 bytes
    /// G of a difference in extended precision, for checks
    void (*pair)(const long double* difference, long double* values);
};

/// Codelets of one law. Lives as long as the program: StarPU keeps codelets' addresses.
struct LawSet {
    LawSet(
        LawTraits traits,
        OrthtreeSet& orthtree,
        Codelet& strengths,
        const NearfieldBodies& cpu,
        const NearfieldBodies& cuda
    );

    LawTraits traits;
    OrthtreeSet& orthtree;
    Codelet& strengths;       ///< from the user's order to a group's
    Codelet nearfield;        ///< pairs within one group
    Codelet nearfield_border; ///< pairs between two groups

private:
    /// Tells the performance models of laws and precisions apart.
    [[nodiscard]] std::string symbol() const;
};

namespace detail {

template <class L>
NearfieldBodies cuda_nearfield_bodies() {
    if constexpr (with_cuda) {
        return nearfield_bodies<L, Cuda>();
    } else {
        return {};
    }
}

template <class L>
void extended_pair(const long double* difference, long double* values) {
    std::array<long double, L::dimension> d{};
    std::copy_n(difference, L::dimension, d.begin());
    const auto pair = L::pair(d);
    std::copy(pair.begin(), pair.end(), values);
}

} // namespace detail

/// The shipped sorting codelets of a precision and a dimension.
template <class Real, int D>
OrthtreeSet& orthtree_set();

/// The codelets of law `L`, whose source was added to the program by CMake's starfmm_add_kernel.
template <PairLaw L>
LawSet& law_set() {
    using Real = typename L::Real;
    static LawSet set(
        {std::string(L::name), L::dimension, L::n_values, sizeof(Real), detail::extended_pair<L>},
        orthtree_set<Real, L::dimension>(),
        gather_set<Real>().strengths,
        detail::with_best_isa([](auto isa) {
            return nearfield_bodies<L, typename decltype(isa)::type>();
        }),
        detail::cuda_nearfield_bodies<L>()
    );
    return set;
}

} // namespace starfmm
