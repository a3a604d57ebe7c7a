// SPDX-License-Identifier: BSD-3-Clause
// The codelets of one pairwise law, and how a user's law gets them: as a kernel does, by a source
// that includes codelets/sets/instantiate_law.hpp and CMake's starfmm_add_kernel.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/laws/pair_law.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace starfmm {

/// What TaskArgs::implementation calls them.
enum class NearfieldImplementation { any = any_implementation, bpb = 0, improved = 1 };

/// Codelets that sort points into a uniform tree.
struct UniformTreeSet : OperatorSet<ZOrderOperators<Any, 0>> {
    using OperatorSet::OperatorSet;

    [[nodiscard]] Codelet& zsort() { return get<ZSortTask<0>>(); }

    [[nodiscard]] Codelet& zgroup() { return get<ZGroupTask<Any, 0>>(); }
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
        UniformTreeSet& uniform_tree,
        Codelet& strengths,
        const NearfieldBodies& cpu,
        const NearfieldBodies& cuda
    );

    LawTraits traits;
    UniformTreeSet& uniform_tree;
    Codelet& strengths;                         ///< strengths from the user's order to a group's
    OperatorSet<NearfieldOperators<Any>> pairs; ///< within one group, and between two

private:
    /// Tells the performance models of laws and precisions apart.
    [[nodiscard]] std::string symbol() const;
};

namespace detail {

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
UniformTreeSet& uniform_tree_set();

/// The codelets of law `L`, whose source was added to the program by CMake's starfmm_add_kernel.
template <PairLaw L>
LawSet& law_set() {
    using Real = typename L::Real;
    const auto of = [](auto backend) {
        return nearfield_bodies<L, typename decltype(backend)::type>();
    };
    static LawSet set(
        {std::string(L::name), L::dimension, L::n_values, sizeof(Real), detail::extended_pair<L>},
        uniform_tree_set<Real, L::dimension>(),
        gather_set<Real>().template get<StrengthsTask>(),
        with_best_isa(of),
        with_cuda_if_any(of)
    );
    return set;
}

} // namespace starfmm
