// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/pairs/gravity_model.hpp"
#include "codelets/sets/operator_set.hpp"
#include "core/expansions/gravity_kernels3d.hpp"

namespace starfmm {

namespace {

/// Calls `use` with a backend's function for a precision.
template <class Use>
GravityMachine machine_of(Precision precision, const Use& with) {
    using Machine = GravityMachine (*)();
    const auto of = [&]<class K>() {
        const Machine machine = with([](auto backend) -> Machine {
            return gravity_machine<K, typename decltype(backend)::type>;
        });
        return machine();
    };
    switch (precision) {
    case Precision::single_precision:
        return of.template operator()<SoftenedGravity<float>>();
    case Precision::mixed_precision:
        return of.template operator()<MixedSoftenedGravity<double>>();
    default:
        return of.template operator()<SoftenedGravity<double>>();
    }
}

} // namespace

GravityMachine gravity_core(Precision precision) {
    return machine_of(precision, [](const auto& of) { return with_best_isa(of); });
}

GravityMachine gravity_gpu(Precision precision) {
    return machine_of(precision, [](const auto& of) { return with_cuda_if_any(of); });
}

} // namespace starfmm
