// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/law_set.hpp"

#include <utility>

namespace starfmm {

namespace {

constexpr auto R = STARPU_R;
constexpr auto W = STARPU_W;

/// Colours of traces: sorting in greys and browns, near field in reds.
enum Color : unsigned { grey = 0x9e9e9e, brown = 0x8d6e63, red = 0xe53935, orange = 0xfb8c00 };

const char* precision_name(std::size_t real_size) {
    return real_size == sizeof(double) ? "double" : "single";
}

template <class Real, int D>
OrthtreeBodies cuda_orthtree_bodies() {
    if constexpr (with_cuda) {
        return orthtree_bodies<Real, D, Cuda>();
    } else {
        return {};
    }
}

} // namespace

OrthtreeSet::OrthtreeSet(
    const std::string& variant, const OrthtreeBodies& cpu, const OrthtreeBodies& cuda
)
    : zsort("starfmm_zsort", variant, brown, cpu.zsort, cuda.zsort, {{W, W, STARPU_SCRATCH}, {R}}),
      zgroup("starfmm_zgroup", variant, grey, cpu.zgroup, cuda.zgroup, {{W, W, W}, {R}}) {}

LawSet::LawSet(
    LawTraits law_traits,
    OrthtreeSet& orthtree_codelets,
    Codelet& strengths_codelet,
    const NearfieldBodies& cpu,
    const NearfieldBodies& cuda
)
    : traits(std::move(law_traits)), orthtree(orthtree_codelets), strengths(strengths_codelet),
      nearfield("starfmm_nearfield", symbol(), red, cpu.bpb, {cuda.bpb, cuda.improved}, {{W}, {R}}),
      nearfield_border(
          "starfmm_nearfield_border",
          symbol(),
          orange,
          cpu.bpb,
          {cuda.bpb, cuda.improved},
          {{accumulate, accumulate}, {R}}
      ) {}

std::string LawSet::symbol() const {
    return traits.name + "_" + precision_name(traits.real_size);
}

template <class Real, int D>
OrthtreeSet& orthtree_set() {
    static OrthtreeSet set(
        std::to_string(D) + "d_" + precision_name(sizeof(Real)),
        detail::with_best_isa([](auto isa) {
            return orthtree_bodies<Real, D, typename decltype(isa)::type>();
        }),
        cuda_orthtree_bodies<Real, D>()
    );
    return set;
}

template OrthtreeSet& orthtree_set<double, 2>();
template OrthtreeSet& orthtree_set<float, 2>();
template OrthtreeSet& orthtree_set<double, 3>();
template OrthtreeSet& orthtree_set<float, 3>();

} // namespace starfmm
