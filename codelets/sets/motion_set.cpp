// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/motion_set.hpp"

namespace starfmm {

MotionSet& motion_set() {
    const auto of = [](auto backend) {
        return bodies<MotionOperators, typename decltype(backend)::type>();
    };
    static MotionSet set("double", with_best_isa(of), with_cuda_if_any(of));
    return set;
}

} // namespace starfmm
