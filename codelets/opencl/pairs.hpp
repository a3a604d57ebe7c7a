// SPDX-License-Identifier: BSD-3-Clause
// OpenCL bodies of P2P and of direct sums for any kernel, whose pairs they get as source.
#pragma once

#include "codelets/opencl/traced_kernel.hpp"
#include "codelets/task/codelet.hpp"
#include "core/expansions/expansion.hpp"

#include <cstddef>
#include <string>

namespace starfmm {

/// What OpenCL devices must know of a kernel.
struct OpenClPairs {
    TracedFunction add_pair; ///< function that codelets/opencl/pairs.cl calls
    int dimension;
    int n_strengths; ///< real components of a strength
    int n_values;    ///< real components of a value
};

/// Writes down what `K::p2p` of kernel `K` does to a target at the origin with a source at d of
/// strength q. `K::p2p` may use what SIMD batches have, except for comparisons and selections.
template <TraceableKernel K>
OpenClPairs trace_pairs() {
    using T = Traced<typename K::Real>;
    constexpr int D = dimension_of<K>;
    TracedStatements statements;
    const auto kernel = traced_kernel<K>(statements);
    int n_strengths = 0;
    typename K::template Strength<T> q;
    visit_components(q, [&](int c, T& part) {
        part = T::element(statements, "q", c);
        ++n_strengths;
    });
    const auto value = kernel.p2p(
        make_position<D>([](int /*i*/) { return T(0); }),
        make_position<D>([&](int i) { return T::element(statements, "d", i); }),
        q
    );
    int n_values = 0;
    std::string sums;
    visit_components(value, [&](int c, const T& part) {
        sums += "    sum[" + std::to_string(c) + "] += " + part.text() + ";\n";
        ++n_values;
    });
    return {
        {"void add_pair(real parameter, const real* d, const real* q, real* sum) {\n" +
             statements.text() + sums + "}\n",
         " -DDIMENSION=" + std::to_string(D) + " -DN_STRENGTHS=" + std::to_string(n_strengths) +
             " -DN_VALUES=" + std::to_string(n_values),
         sizeof(typename K::Real)},
        D,
        n_strengths,
        n_values};
}

/// Returns trace_pairs(), made once.
template <TraceableKernel K>
const OpenClPairs& opencl_pairs() {
    static const OpenClPairs pairs = trace_pairs<K>();
    return pairs;
}

/// The bodies, which run on the buffers of P2PTask, for one right-hand side, and of DirectTask, in
/// their order. Both return once their kernels are queued.
/// \param parameter what traced_parameter() gives
/// \throws OpenClError
void p2p_opencl(const OpenClPairs& pairs, void* buffers[], const TaskArgs& args, double parameter);
void direct_opencl(
    const OpenClPairs& pairs, void* buffers[], const TaskArgs& args, double parameter
);

} // namespace starfmm
