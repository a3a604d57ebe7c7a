// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/gravity_set.hpp"

namespace starfmm {

namespace {

template <class P, GravityResult result>
GravitySet& set_of(const std::string& variant) {
    const auto of = [](auto backend) {
        return bodies<GravityOperators<P, result>, typename decltype(backend)::type>();
    };
    const auto machine = [](auto backend) -> GravitySet::Machine {
        return gravity_machine<P, typename decltype(backend)::type>;
    };
    static GravitySet set(
        variant,
        with_best_isa(of),
        with_cuda_if_any(of),
        with_best_isa(machine),
        with_cuda_if_any(machine)
    );
    return set;
}

template <class P>
GravitySet& set_of(const std::string& precision, GravityResult result) {
    return result == GravityResult::acceleration
               ? set_of<P, GravityResult::acceleration>(precision)
               : set_of<P, GravityResult::with_potential>(precision + "_potential");
}

} // namespace

GravitySet& gravity_set(GravityPrecision precision, GravityResult result) {
    switch (precision) {
    case GravityPrecision::single_precision:
        return set_of<GravitySingle>("single", result);
    case GravityPrecision::mixed_precision:
        return set_of<GravityMixed>("mixed", result);
    case GravityPrecision::double_precision:
        break;
    }
    return set_of<GravityDouble>("double", result);
}

} // namespace starfmm
