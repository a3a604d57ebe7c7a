// SPDX-License-Identifier: BSD-3-Clause
// OpenCL bodies of P2P and of direct sums: of any kernel, whose pairs they get as source.
#pragma once

#include "codelets/opencl/traced.hpp"
#include "codelets/task/codelet.hpp"
#include "core/expansions/expansion.hpp"

#include <cstddef>
#include <string>

namespace starfmm {

/// What OpenCL devices must know of a kernel.
struct OpenClPairs {
    std::string source; ///< `add_pair` of codelets/opencl/pairs.cl
    int dimension;
    int n_strengths; ///< real components of a strength
    int n_values;    ///< of a value
    std::size_t real_size;
};

/// Of kernel `K`: writes down what `K::p2p` does, of a target at the origin and a source at d with
/// strength q. `K::p2p` may use what SIMD batches have, but for comparisons and selections.
template <class K>
OpenClPairs trace_pairs() {
    using T = Traced<typename K::Real>;
    constexpr int D = dimension_of<K>;
    OpenClPairs pairs{"", D, 0, 0, sizeof(typename K::Real)};
    TracedStatements statements;
    const auto parameter = [&](const std::string& array, int i) {
        return T(statements, array + "[" + std::to_string(i) + "]");
    };
    typename K::template Strength<T> q;
    visit_components(q, [&](int c, T& part) {
        part = parameter("q", c);
        ++pairs.n_strengths;
    });
    const auto value = K::p2p(
        make_position<D>([](int /*i*/) { return T(0); }),
        make_position<D>([&](int i) { return parameter("d", i); }),
        q
    );
    std::string sums;
    visit_components(value, [&](int c, const T& part) {
        sums += "    sum[" + std::to_string(c) + "] += " + part.text() + ";\n";
        ++pairs.n_values;
    });
    pairs.source = "void add_pair(const real* d, const real* q, real* sum) {\n" +
                   statements.text() + sums + "}\n";
    return pairs;
}

/// Likewise, made once.
template <class K>
const OpenClPairs& opencl_pairs() {
    static const OpenClPairs pairs = trace_pairs<K>();
    return pairs;
}

/// Bodies: on the buffers of P2PTask, of one right-hand side, and of DirectTask, in their order.
/// They return once their kernels are queued.
/// \throws OpenClError
void p2p_opencl(const OpenClPairs& pairs, void* buffers[], const TaskArgs& args);
void direct_opencl(const OpenClPairs& pairs, void* buffers[]);

} // namespace starfmm
