// SPDX-License-Identifier: BSD-3-Clause
// The codelets of one kernel, and how a user's kernel gets them. See examples/plug_in.
#pragma once

#include "codelets/sets/operator_set.hpp"
#include "codelets/task/fused_codelet.hpp"
#include "core/expansions/expansion.hpp"
#include "core/laws/scaling_law.hpp"

#include <cstddef>
#include <string>

namespace starfmm {

/// Codelets of sort and connect.
struct GeometrySet : OperatorSet<GeometryOperators> {
    GeometrySet(const GeometryOperators::Bodies& cpu, const GeometryOperators::Bodies& cuda);

    FusedCodelet topology; ///< rank to connect of a small problem
};

/// Codelets of strengths and results in one precision.
struct GatherSet : OperatorSet<GatherOperators<Any>> {
    using Bodies = GatherOperators<Any>::Bodies;

    GatherSet(const std::string& precision, const Bodies& cpu, const Bodies& cuda);

    FusedCodelet gather_groups; ///< all groups
};

/// Bodies of one kernel's operators.
struct KernelBodies {
    PointOperators<Any>::Bodies points;
    TranslationOperators<Any>::Bodies translations;
};

/// Defined by codelets/sets/instantiate.hpp, in each variant of a kernel's source.
template <class K, class Backend>
[[nodiscard]] KernelBodies kernel_bodies();

/// What the library needs to know of a kernel at run time.
struct KernelTraits {
    std::string name;
    std::size_t real_size; ///< 8 or 4 bytes
    int dimension;         ///< of points
    bool complex_strength;
    int coefficient_components; ///< reals a coefficient of an expansion: 2 if complex, else 1
    int most_coefficients;      ///< of an expansion
    int n_values; ///< real components of a result: 1, 2 if complex, 1 + dimension with a gradient
    int (*order)(double tolerance, double theta);
    int (*n_coefficients)(int order);
    ScalingLaw scaling;
};

/// Of kernel `K`.
template <ExpansionKernel K>
KernelTraits kernel_traits() {
    return {
        std::string(K::name),
        sizeof(typename K::Real),
        dimension_of<K>,
        has_complex_strength<K>,
        n_coefficient_components<K>,
        most_coefficients<K>,
        n_value_components<K>,
        K::order,
        K::n_coefficients,
        scaling_law<K>()};
}

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
    FusedCodelet upward;   ///< strengths to M2M of a small problem
    FusedCodelet downward; ///< M2L to gather of a small problem

    /// Of one of the kernel's operators, as get<P2MTask>().
    template <template <class> class Op>
    [[nodiscard]] Codelet& get() {
        if constexpr (PointOperators<Any>::has<Op<Any>>) {
            return points_.get<Op<Any>>();
        } else {
            return translations_.get<Op<Any>>();
        }
    }

private:
    /// Tells the performance models of kernels and precisions apart.
    [[nodiscard]] std::string symbol() const;

    OperatorSet<PointOperators<Any>> points_;
    OperatorSet<TranslationOperators<Any>> translations_;
};

/// The shipped geometry codelets.
GeometrySet& geometry_set();

/// The shipped gather codelets of a precision.
template <class Real>
GatherSet& gather_set();

/// The codelets of kernel `K`, whose source was added to the program by CMake's starfmm_add_kernel.
template <ExpansionKernel K>
KernelSet& kernel_set() {
    using Real = typename K::Real;
    const auto of = [](auto backend) {
        return kernel_bodies<K, typename decltype(backend)::type>();
    };
    static KernelSet set(
        kernel_traits<K>(),
        geometry_set(),
        gather_set<Real>(),
        with_best_isa(of),
        with_cuda_if_any(of)
    );
    return set;
}

} // namespace starfmm
