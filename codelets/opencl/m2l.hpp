// SPDX-License-Identifier: BSD-3-Clause
// OpenCL body of M2L for kernels over Cartesian expansions, whose translations it gets as source.
#pragma once

#include "codelets/opencl/traced_kernel.hpp"
#include "codelets/task/codelet.hpp"
#include "core/expansions/cartesian_index.hpp"
#include "core/expansions/expansion.hpp"
#include "core/expansions/truncation.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// A kernel whose M2L is the same arithmetic for all pairs of one order, in loops that compilers
/// need not unroll.
template <class K>
concept TraceableM2L = TraceableKernel<K> && !truncates_by_distance<K>() && !has_plane_waves<K> &&
                       requires(
                           const K& kernel,
                           Frame<Traced<typename K::Real>, dimension_of<K>> frame,
                           CoefficientOf<K, Traced<typename K::Real>>* coefficients,
                           const Traced<typename K::Real>* multipole
                       ) {
    kernel.m2l(CartesianOrder<0>{1}, frame, multipole, frame, coefficients);
};

/// What OpenCL devices must know of a kernel's expansions of one order.
struct OpenClM2L {
    TracedFunction translate; ///< function that codelets/opencl/m2l.cl calls
    int dimension;
};

/// Writes down what `K::m2l` of kernel `K` does to the local expansion of a box at the origin with
/// the multipole of a source box at d.
template <TraceableM2L K>
OpenClM2L trace_m2l(int order) {
    using T = Traced<typename K::Real>;
    constexpr int D = dimension_of<K>;
    const int n = K::n_coefficients(order);
    TracedStatements statements;
    std::vector<T> multipole;
    std::vector<T> local;
    for (int i = 0; i < n; ++i) {
        multipole.push_back(T::element(statements, "multipole", i));
        local.push_back(T::element(statements, "sum", i));
    }
    const Frame<T, D> source{
        make_position<D>([&](int i) { return T::element(statements, "d", i); }),
        T(statements, "source_radius")};
    const Frame<T, D> target{
        make_position<D>([](int /*i*/) { return T(0); }), T(statements, "target_radius")};
    const auto kernel = traced_kernel<K>(statements);
    kernel.m2l(CartesianOrder<0>{order}, source, multipole.data(), target, local.data());
    std::string sums;
    for (int i = 0; i < n; ++i) {
        sums += "    sum[" + std::to_string(i) + "] = " + local[i].text() + ";\n";
    }
    return {
        {"void translate(real parameter, const real* d, real source_radius, real target_radius, "
         "global const real* multipole, real* sum) {\n" +
             statements.text() + sums + "}\n",
         " -DDIMENSION=" + std::to_string(D) + " -DN_COEFFICIENTS=" + std::to_string(n),
         sizeof(typename K::Real)},
        D};
}

/// Returns trace_m2l(order), made once.
template <TraceableM2L K>
const OpenClM2L& opencl_m2l(int order) {
    static const std::vector<OpenClM2L> of_orders = [] {
        std::vector<OpenClM2L> all;
        for (int p = 0; p <= largest_order<K>; ++p) {
            all.push_back(trace_m2l<K>(p));
        }
        return all;
    }();
    return of_orders[static_cast<std::size_t>(order)];
}

/// Runs M2L on the buffers of M2LTask, in their order. It returns once its kernels are queued.
/// \param parameter what traced_parameter() gives
/// \throws OpenClError
void m2l_opencl(const OpenClM2L& m2l, void* buffers[], const TaskArgs& args, double parameter);

} // namespace starfmm
