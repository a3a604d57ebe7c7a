// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/array_set.hpp"

namespace starfmm {

ArraySet& array_set() {
    const auto of = [](auto backend) {
        return bodies<ArrayOperators, typename decltype(backend)::type>();
    };
    static ArraySet set("double", with_best_isa(of), with_cuda_if_any(of));
    return set;
}

} // namespace starfmm
