// SPDX-License-Identifier: BSD-3-Clause
// The codelets of one kernel, and how a user's kernel gets them. See examples/plug_in.
#pragma once

#include "codelets/sets/kernel_bodies.hpp"
#include "codelets/sets/operator_set.hpp"
#include "codelets/task/fused_codelet.hpp"
#include "core/expansions/expansion.hpp"
#include "core/expansions/truncation.hpp"
#include "core/laws/gravity.hpp"
#include "core/laws/scaling_law.hpp"
#include "core/reference/exact_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace starfmm {

/// Bodies of sort and connect in any number of dimensions, of which the plane has the most.
using GeometryBodies = GeometryOperators<2>::Bodies;

/// The bodies of sort and connect in D dimensions for one kind of worker; those that space lacks
/// are empty.
template <int D, class Backend>
GeometryBodies geometry_bodies() {
    GeometryBodies all{};
    std::ranges::copy(bodies<GeometryOperators<D>, Backend>(), all.begin());
    return all;
}

/// Codelets of sort and connect in a number of dimensions.
struct GeometrySet : OperatorSet<GeometryOperators<2>> {
    GeometrySet(const std::string& variant, const GeometryBodies& cpu, const GeometryBodies& cuda);

    FusedCodelet topology; ///< rank to connect of a small problem
};

/// Codelets of strengths and results in one precision.
struct GatherSet : OperatorSet<GatherOperators<Any>> {
    using Bodies = GatherOperators<Any>::Bodies;

    GatherSet(const std::string& precision, const Bodies& cpu, const Bodies& cuda);

    FusedCodelet gather_groups; ///< all groups
};

struct KernelSet;

/// What the library needs to know of a kernel at run time.
struct KernelTraits {
    std::string name;
    std::size_t real_size;      ///< 8 or 4 bytes
    int dimension;              ///< dimension of the points
    bool complex_strength;      ///< whether strengths have two components
    int coefficient_components; ///< reals a coefficient of an expansion: 2 if complex, else 1
    int most_coefficients;      ///< most coefficients of an expansion
    int largest_order;          ///< largest order of its expansions, <= max_order
    double reach_in_roundings;  ///< least error of sums, in units of the precision's epsilon
    int n_values; ///< real components of a result: 1, 2 if complex, 1 + dimension with a gradient
    /// The order for a tree's boxes, in space whole cubes; null for kernels without expansions, which
    /// what concerns expansions says nothing of.
    int (*order)(double tolerance, double theta);
    int (*n_coefficients)(int order);
    int pairs_a_coefficient; ///< pairs that take as long as a coefficient does in M2P of a point
    ScalingLaw scaling;
    bool is_softened; ///< takes KernelParameters
    bool has_packed;  ///< has PackedSums
    KernelParameters (*parameters)(double epsilon);
    bool is_mutual; ///< one evaluation of a pair can serve both points (MutualKernel)
    /// terms that M2L takes besides (TruncationOrders); infinite: all
    float terms_besides = std::numeric_limits<float>::infinity();
    /// What expansions leave out of one pair of points, K::square_left_out; null for kernels that
    /// do not say.
    double (*square_left_out)(int order, double source2, double target2) = nullptr;
    /// The order for cubes where M2L of all pairs takes all terms; null for kernels that do not
    /// say.
    int (*order_of_all_terms)(double tolerance) = nullptr;
    /// Pairs in extended precision, with a softening length of kernels that have one; null for
    /// kernels whose points have lengths.
    ExactKernel (*exact)(double epsilon) = nullptr;
    /// Whether each point has a length of its own, a source as the second component of its strength.
    bool has_lengths = false;
};

/// The codelets of kernel `K`, whose source was added to the program by CMake's starfmm_add_kernel.
template <PairKernel K>
KernelSet& kernel_set();

/// The order for the boxes of a tree: in space whole cubes, for which a kernel has a rule of their
/// own or one for the balls that the points of cubes count as.
template <ExpansionKernel K>
int order_of_boxes(double tolerance, double theta) {
    if constexpr (requires { K::order_of_cells(tolerance, theta); }) {
        return K::order_of_cells(tolerance, theta);
    } else {
        return K::order(tolerance, dimension_of<K> == 3 ? theta_of_cells(theta) : theta);
    }
}

/// What a coefficient costs in M2P: in pairs, where the kernel says so, else as those of harmonics
/// in pairs_of_expansion().
template <PairKernel K>
constexpr int pairs_a_coefficient() {
    constexpr int of_harmonics = 32;
    if constexpr (requires { K::pairs_a_coefficient; }) {
        return K::pairs_a_coefficient;
    } else {
        return of_harmonics;
    }
}

/// What the library needs to know of kernel `K`.
template <PairKernel K>
KernelTraits kernel_traits() {
    KernelTraits traits{
        std::string(K::name),
        sizeof(typename K::Real),
        dimension_of<K>,
        n_components_of<typename K::template Strength<typename K::Real>> == 2,
        n_coefficient_components<K>,
        most_coefficients<K>,
        largest_order<K>,
        reach_in_roundings<K>,
        n_value_components<K>,
        nullptr,
        nullptr,
        pairs_a_coefficient<K>(),
        scaling_law<K>(),
        ParametricKernel<K>,
        has_packed<K>,
        parameters_of<K>,
        MutualKernel<K> && !has_mixed_pairs<K>};
    traits.has_lengths = has_lengths<K>;
    if constexpr (!has_lengths<K>) {
        traits.exact = exact_kernel<K>;
    }
    if constexpr (ExpansionKernel<K>) {
        traits.order = order_of_boxes<K>;
        traits.n_coefficients = K::n_coefficients;
        if constexpr (truncates_by_distance<K>()) {
            traits.terms_besides = terms_besides<K>();
        }
    }
    if constexpr (requires { K::square_left_out(1, 0.0, 0.0); }) {
        traits.square_left_out = K::square_left_out;
    }
    if constexpr (requires { K::order_of_all_terms(0.5); }) {
        traits.order_of_all_terms = K::order_of_all_terms;
    }
    return traits;
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

    /// The codelet of one of the kernel's operators, as in get<P2MTask>().
    template <template <class> class Op>
    [[nodiscard]] Codelet& get() {
        if constexpr (PointOperators<Any>::has<Op<Any>>) {
            return points_.get<Op<Any>>();
        } else if constexpr (PairOperators<Any>::has<Op<Any>>) {
            return pairs_.get<Op<Any>>();
        } else {
            return translations_.get<Op<Any>>();
        }
    }

    /// Calls `use` with each operator's, those shared with other kernels among them.
    template <class Use>
    void for_each(const Use& use) {
        geometry.for_each(use);
        gather.for_each(use);
        points_.for_each(use);
        pairs_.for_each(use);
        translations_.for_each(use);
    }

private:
    /// Tells the performance models of kernels and precisions apart.
    [[nodiscard]] std::string symbol() const;

    OperatorSet<PointOperators<Any>> points_;
    OperatorSet<PairOperators<Any>> pairs_;
    OperatorSet<TranslationOperators<Any>> translations_;
};

/// The shipped geometry codelets of D dimensions.
template <int D = 2>
GeometrySet& geometry_set();

/// The shipped gather codelets of a precision.
template <class Real>
GatherSet& gather_set();

template <PairKernel K>
KernelSet& kernel_set() {
    using Real = typename K::Real;
    const auto of = [](auto backend) {
        return kernel_bodies<K, typename decltype(backend)::type>();
    };
    static KernelSet set(
        kernel_traits<K>(),
        geometry_set<dimension_of<K>>(),
        gather_set<Real>(),
        with_best_isa(of),
        with_cuda_if_any(of)
    );
    return set;
}

} // namespace starfmm
