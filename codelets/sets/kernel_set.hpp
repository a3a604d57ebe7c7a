// SPDX-License-Identifier: BSD-3-Clause
// The codelets of one kernel, and how a user's kernel gets them. See examples/plug_in_kernel.
#pragma once

#include "codelets/task/codelet.hpp"
#include "codelets/task/fused_codelet.hpp"
#include "core/config.hpp"
#include "core/expansions/expansion.hpp"
#include "core/laws/scaling_law.hpp"

#include <cstddef>
#include <string>
#include <type_traits>

namespace starfmm {

struct Baseline;
struct Avx2;
struct Avx512;
struct Cuda;

/// Bodies that know points and boxes, but no kernel: in double, whatever a kernel's precision.
struct GeometryBodies {
    BodyFunction split_begin;
    BodyFunction split_tally;
    BodyFunction split_candidates;
    BodyFunction split_label;
    BodyFunction deal_places;
    BodyFunction deal;
    BodyFunction deal_join;
    BodyFunction deal_collect;
    BodyFunction rank;
    BodyFunction sort;
    BodyFunction sort_group;
    BodyFunction sort_targets;
    BodyFunction bounds;
    BodyFunction root;
    BodyFunction connect;
};

/// Bodies that bring strengths to the tree's order and results back. One set per precision.
struct GatherBodies {
    BodyFunction strengths;
    BodyFunction gather;
    BodyFunction gather_begin;
};

/// Bodies that know expansions, but no points.
struct TranslationBodies {
    BodyFunction m2m;
    BodyFunction m2m_top;
    BodyFunction m2l;
    BodyFunction l2l;
};

/// Bodies of one kernel's operators.
struct KernelBodies : TranslationBodies {
    BodyFunction p2m;
    BodyFunction p2l;
    BodyFunction l2p;
    BodyFunction m2p;
    BodyFunction p2p;
    BodyFunction direct;
};

/// Defined by codelets/sets/instantiate.hpp and its like, in each variant of a kernel's source.
template <class Backend>
GeometryBodies geometry_bodies();
template <class Real, class Backend>
GatherBodies gather_bodies();
template <class E, class Backend>
TranslationBodies translation_bodies();
template <class K, class Backend>
KernelBodies kernel_bodies();

/// Widest instruction set of this processor that the build has bodies for.
enum class Isa { baseline, avx2, avx512 };
[[nodiscard]] Isa best_isa();

/// What is said of `best_isa()` in reports.
[[nodiscard]] const char* isa_name();

/// Codelets of sort and connect.
struct GeometrySet {
    GeometrySet(const GeometryBodies& cpu, const GeometryBodies& cuda);

    Codelet split_begin;
    Codelet split_tally;
    Codelet split_candidates;
    Codelet split_label;
    Codelet deal_places;
    Codelet deal;
    Codelet deal_join;
    Codelet deal_collect;
    Codelet rank;
    Codelet sort;
    Codelet sort_group;
    Codelet sort_targets;
    Codelet bounds;
    Codelet root;
    Codelet connect;
    FusedCodelet topology; ///< rank to connect of a small problem
};

/// Codelets of strengths and results in one precision.
struct GatherSet {
    GatherSet(const std::string& precision, const GatherBodies& cpu, const GatherBodies& cuda);

    Codelet strengths;
    Codelet gather;             ///< one of several groups, before Runtime::wait()
    Codelet gather_all;         ///< the only group: overwrites all results
    Codelet gather_begin;       ///< nothing but the promise that the groups will write all results
    FusedCodelet gather_groups; ///< all groups
};

/// What the library needs to know of a kernel at run time.
struct KernelTraits {
    std::string name;
    std::size_t real_size; ///< 8 or 4 bytes
    bool complex_strength;
    bool complex_value;
    int (*order)(double tolerance, double theta);
    int (*n_coefficients)(int order);
    ScalingLaw scaling;
};

/// Codelets of one kernel. Lives as long as the program: StarPU keeps codelets' addresses.
struct KernelSet {
    KernelSet(
        KernelTraits traits,
        GeometrySet& geometry,
        GatherSet& gather,
        const KernelBodies& cpu,
        const KernelBodies& cuda
    );

    KernelTraits traits;
    GeometrySet& geometry;
    GatherSet& gather;
    Codelet p2m;
    Codelet m2m;
    Codelet m2m_top; ///< m2m whose finest level are the groups' roots
    Codelet m2l;
    Codelet l2l;
    Codelet p2l;
    Codelet l2p;
    Codelet m2p;
    Codelet p2p;
    Codelet direct;
    FusedCodelet upward;   ///< strengths to M2M of a small problem
    FusedCodelet downward; ///< M2L to gather of a small problem

private:
    /// Tells the performance models of kernels and precisions apart.
    [[nodiscard]] std::string symbol() const;
};

/// The shipped geometry codelets.
GeometrySet& geometry_set();

/// The shipped gather codelets of a precision.
template <class Real>
GatherSet& gather_set();

namespace detail {

/// Calls `bodies` with the type of the widest instruction set of this processor.
template <class Bodies>
auto with_best_isa(const Bodies& bodies) {
#ifdef __x86_64__
    switch (best_isa()) {
    case Isa::avx512:
        return bodies(std::type_identity<Avx512>{});
    case Isa::avx2:
        return bodies(std::type_identity<Avx2>{});
    case Isa::baseline:
        break;
    }
#endif
    return bodies(std::type_identity<Baseline>{});
}

template <class K>
KernelBodies cuda_bodies() {
    if constexpr (with_cuda) {
        return kernel_bodies<K, Cuda>();
    } else {
        return {};
    }
}

} // namespace detail

/// The codelets of kernel `K`, whose source was added to the program by CMake's starfmm_add_kernel.
template <ExpansionKernel K>
KernelSet& kernel_set() {
    using Real = typename K::Real;
    static KernelSet set(
        {std::string(K::name),
         sizeof(Real),
         has_complex_strength<K>,
         has_complex_value<K>,
         K::order,
         K::n_coefficients,
         scaling_law<K>()},
        geometry_set(),
        gather_set<Real>(),
        detail::with_best_isa([](auto isa) {
            return kernel_bodies<K, typename decltype(isa)::type>();
        }),
        detail::cuda_bodies<K>()
    );
    return set;
}

} // namespace starfmm
