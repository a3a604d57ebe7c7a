// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/law_set.hpp"

#include <utility>

namespace starfmm {

LawSet::LawSet(
    LawTraits law_traits,
    UniformTreeSet& uniform_tree_codelets,
    Codelet& strengths_codelet,
    const NearfieldBodies& cpu,
    const NearfieldBodies& cuda
)
    : traits(std::move(law_traits)), uniform_tree(uniform_tree_codelets),
      strengths(strengths_codelet), pairs(symbol(), cpu, cuda) {}

std::string LawSet::symbol() const {
    return traits.name + "_" + precision_name(traits.real_size);
}

template <class Real, int D>
UniformTreeSet& uniform_tree_set() {
    const auto of = [](auto backend) {
        return bodies<ZOrderOperators<Real, D>, typename decltype(backend)::type>();
    };
    static UniformTreeSet set(
        std::to_string(D) + "d_" + precision_name(sizeof(Real)),
        with_best_isa(of),
        with_cuda_if_any(of)
    );
    return set;
}

template UniformTreeSet& uniform_tree_set<double, 2>();
template UniformTreeSet& uniform_tree_set<float, 2>();
template UniformTreeSet& uniform_tree_set<double, 3>();
template UniformTreeSet& uniform_tree_set<float, 3>();

} // namespace starfmm
