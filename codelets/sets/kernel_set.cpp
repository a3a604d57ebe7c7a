// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/kernel_set.hpp"

#include <utility>
#include <vector>

namespace starfmm {

namespace {

constexpr auto R = STARPU_R;
constexpr auto W = STARPU_W;
constexpr auto RW = STARPU_RW;
constexpr auto scratch = STARPU_SCRATCH;

/// Of the performance models of geometry's codelets: points and boxes are in double in any
/// precision.
constexpr auto geometry_variant = "double";

const char* precision_name(std::size_t real_size) {
    return real_size == sizeof(double) ? "double" : "single";
}

GeometryBodies best_geometry_bodies() {
    return detail::with_best_isa([](auto isa) {
        return geometry_bodies<typename decltype(isa)::type>();
    });
}

GeometryBodies cuda_geometry_bodies() {
    if constexpr (with_cuda) {
        return geometry_bodies<Cuda>();
    } else {
        return {};
    }
}

template <class Real>
GatherBodies best_gather_bodies() {
    return detail::with_best_isa([](auto isa) {
        return gather_bodies<Real, typename decltype(isa)::type>();
    });
}

template <class Real>
GatherBodies cuda_gather_bodies() {
    if constexpr (with_cuda) {
        return gather_bodies<Real, Cuda>();
    } else {
        return {};
    }
}

/// Colours of traces: topology in greys and browns, upward pass in blues, far field in greens, near
/// field in reds.
enum Color : unsigned {
    grey = 0x9e9e9e,
    brown = 0x8d6e63,
    sand = 0xbcaaa4,
    blue = 0x1e88e5,
    light_blue = 0x64b5f6,
    green = 0x43a047,
    light_green = 0x9ccc65,
    olive = 0xafb42b,
    teal = 0x26a69a,
    red = 0xe53935,
    orange = 0xfb8c00,
    violet = 0x8e24aa
};

} // namespace

Isa best_isa() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        return Isa::avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return Isa::avx2;
    }
#endif
    return Isa::baseline;
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

GeometrySet::GeometrySet(const GeometryBodies& cpu, const GeometryBodies& cuda)
    : split_begin(
          "starfmm_split_begin",
          geometry_variant,
          grey,
          cpu.split_begin,
          cuda.split_begin,
          {{W, W, W, R, R}, {}}
      ),
      split_tally(
          "starfmm_split_tally",
          geometry_variant,
          grey,
          cpu.split_tally,
          cuda.split_tally,
          {{W, RW, R, R, R}, {R}}
      ),
      split_candidates(
          "starfmm_split_candidates",
          geometry_variant,
          grey,
          cpu.split_candidates,
          cuda.split_candidates,
          {{W, RW, R, R, R}, {R}}
      ),
      split_label(
          "starfmm_split_label",
          geometry_variant,
          grey,
          cpu.split_label,
          cuda.split_label,
          {{W, RW, RW, R, R}, {R}}
      ),
      deal_places(
          "starfmm_deal_places",
          geometry_variant,
          grey,
          cpu.deal_places,
          cuda.deal_places,
          {{W, scratch, R}, {}}
      ),
      deal("starfmm_deal", geometry_variant, grey, cpu.deal, cuda.deal, {{R, R}, {W}}),
      deal_join(
          "starfmm_deal_join", geometry_variant, grey, cpu.deal_join, cuda.deal_join, {{W}, {R}}
      ),
      deal_collect(
          "starfmm_deal_collect",
          geometry_variant,
          grey,
          cpu.deal_collect,
          cuda.deal_collect,
          {{W, R}, {R}}
      ),
      rank("starfmm_rank", geometry_variant, grey, cpu.rank, cuda.rank, {{W, W, scratch, R}, {}}),
      sort(
          "starfmm_sort",
          geometry_variant,
          brown,
          cpu.sort,
          cuda.sort,
          {{W, scratch, R, R, R, R}, {W}}
      ),
      sort_group(
          "starfmm_sort_group",
          geometry_variant,
          brown,
          cpu.sort_group,
          cuda.sort_group,
          {{W, W, W, W, scratch, R, R, R, R}, {}}
      ),
      sort_targets(
          "starfmm_sort_targets",
          geometry_variant,
          brown,
          cpu.sort_targets,
          cuda.sort_targets,
          {{W, W, W, scratch, R, R}, {R}}
      ),
      bounds("starfmm_bounds", geometry_variant, sand, cpu.bounds, cuda.bounds, {{W, W, R, R}, {}}),
      root("starfmm_root", geometry_variant, sand, cpu.root, cuda.root, {{W, R, R}, {}}),
      connect(
          "starfmm_connect",
          geometry_variant,
          violet,
          cpu.connect,
          cuda.connect,
          {{W, W, scratch, R, R}, {R}}
      ),
      topology("starfmm_topology", geometry_variant, brown) {}

GatherSet::GatherSet(
    const std::string& precision, const GatherBodies& cpu, const GatherBodies& cuda
)
    : strengths("starfmm_strengths", precision, grey, cpu.strengths, cuda.strengths, {{W, R}, {R}}),
      // Groups write disjoint elements of the results, side by side: no mode says so but R. The W
      // of gather_begin orders them behind earlier tasks, and nothing is copied between memories.
      gather("starfmm_gather", precision, grey, cpu.gather, cuda.gather, {{R, R, R}, {R}}),
      gather_all("starfmm_gather_all", precision, grey, cpu.gather, cuda.gather, {{R, R, R}, {W}}),
      gather_begin(
          "starfmm_gather_begin", precision, grey, cpu.gather_begin, cuda.gather_begin, {{}, {W}}
      ),
      gather_groups("starfmm_gather_groups", precision, grey) {}

KernelSet::KernelSet(
    KernelTraits kernel_traits,
    GeometrySet& geometry_codelets,
    GatherSet& gather_codelets,
    const KernelBodies& cpu,
    const KernelBodies& cuda
)
    : traits(std::move(kernel_traits)), geometry(geometry_codelets), gather(gather_codelets),
      p2m("starfmm_p2m", symbol(), blue, cpu.p2m, cuda.p2m, {{W, R, R, R}, {}}),
      // W: the root's copy for the top, if there is one
      m2m("starfmm_m2m", symbol(), light_blue, cpu.m2m, cuda.m2m, {{RW, R}, {W}}),
      m2m_top("starfmm_m2m_top", symbol(), light_blue, cpu.m2m_top, cuda.m2m_top, {{W, R}, {R}}),
      m2l("starfmm_m2l", symbol(), green, cpu.m2l, cuda.m2l, {{W, R, R}, {R}}),
      l2l("starfmm_l2l", symbol(), light_green, cpu.l2l, cuda.l2l, {{RW, R}, {R}}),
      p2l("starfmm_p2l", symbol(), olive, cpu.p2l, cuda.p2l, {{RW, R, R}, {R}}),
      l2p("starfmm_l2p", symbol(), teal, cpu.l2p, cuda.l2p, {{W, R, R, R, R}, {}}),
      m2p("starfmm_m2p", symbol(), olive, cpu.m2p, cuda.m2p, {{RW, R, R, R}, {R}}),
      p2p("starfmm_p2p", symbol(), red, cpu.p2p, cuda.p2p, {{W, R, R, R}, {R}}),
      direct(
          "starfmm_direct", symbol(), orange, cpu.direct, cuda.direct, {{accumulate, R, R, R}, {}}
      ),
      upward("starfmm_upward", symbol(), blue), downward("starfmm_downward", symbol(), green) {}

std::string KernelSet::symbol() const {
    return traits.name + "_" + precision_name(traits.real_size);
}

GeometrySet& geometry_set() {
    static GeometrySet set(best_geometry_bodies(), cuda_geometry_bodies());
    return set;
}

template <class Real>
GatherSet& gather_set() {
    static GatherSet set(
        precision_name(sizeof(Real)), best_gather_bodies<Real>(), cuda_gather_bodies<Real>()
    );
    return set;
}

template GatherSet& gather_set<double>();
template GatherSet& gather_set<float>();

} // namespace starfmm
