// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/kernel_set.hpp"

#include "codelets/sets/geometry_set.hpp"

#include <algorithm>
#include <utility>

namespace starfmm {

Isa best_isa() {
    return std::clamp(isa_of_processor(), narrowest_isa, widest_isa);
}

const char* isa_name() {
    switch (best_isa()) {
    case Isa::avx512:
        return "AVX-512";
    case Isa::avx2:
        return "AVX2";
    case Isa::baseline:
        break;
    }
    return "baseline";
}

const char* precision_name(std::size_t real_size) {
    return real_size == sizeof(double) ? "double" : "single";
}

GeometrySet::GeometrySet(
    const std::string& variant, const GeometryBodies& cpu, const GeometryBodies& cuda
)
    : OperatorSet(variant, cpu, cuda), topology("starfmm_topology", variant, Color::brown) {}

GatherSet::GatherSet(const std::string& precision, const Bodies& cpu, const Bodies& cuda)
    : OperatorSet(precision, cpu, cuda),
      gather_groups("starfmm_gather_groups", precision, Color::grey) {}

KernelSet::KernelSet(
    KernelTraits kernel_traits,
    GeometrySet& geometry_codelets,
    GatherSet& gather_codelets,
    const KernelBodies& cpu,
    const KernelBodies& cuda
)
    : traits(std::move(kernel_traits)), geometry(geometry_codelets), gather(gather_codelets),
      upward("starfmm_upward", symbol(), Color::blue),
      downward("starfmm_downward", symbol(), Color::green),
      points_(symbol(), cpu.points, cuda.points), pairs_(symbol(), cpu.pairs, cuda.pairs),
      translations_(symbol(), cpu.translations, cuda.translations) {}

std::string KernelSet::symbol() const {
    return traits.name + "_" + precision_name(traits.real_size);
}

template GeometrySet& geometry_set<2>();

template <class Real>
GatherSet& gather_set() {
    const auto of = [](auto backend) {
        return bodies<GatherOperators<Real>, typename decltype(backend)::type>();
    };
    static GatherSet set(precision_name(sizeof(Real)), with_best_isa(of), with_cuda_if_any(of));
    return set;
}

template GatherSet& gather_set<double>();
template GatherSet& gather_set<float>();

} // namespace starfmm
