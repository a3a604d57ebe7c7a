// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/gravity_set.hpp"

namespace starfmm {

namespace {

template <class P>
GravityBodies best_bodies() {
#ifdef __x86_64__
    switch (best_isa()) {
    case Isa::avx512:
        return gravity_bodies<P, Avx512>();
    case Isa::avx2:
        return gravity_bodies<P, Avx2>();
    case Isa::baseline:
        break;
    }
#endif
    return gravity_bodies<P, Baseline>();
}

template <class P>
GravityBodies cuda_bodies() {
    if constexpr (with_cuda) {
        return gravity_bodies<P, Cuda>();
    } else {
        return {};
    }
}

template <class P>
GravitySet& set_of(const std::string& precision, GravityResult result) {
    static const GravityBodies cpu = best_bodies<P>();
    static const GravityBodies cuda = cuda_bodies<P>();
    static GravitySet acceleration(precision, cpu.acceleration, cuda.acceleration);
    static GravitySet potential(precision + "_potential", cpu.with_potential, cuda.with_potential);
    return result == GravityResult::acceleration ? acceleration : potential;
}

constexpr unsigned orange = 0xfb8c00;
constexpr unsigned amber = 0xffb300;

} // namespace

GravitySet::GravitySet(const std::string& variant, BodyFunction cpu, BodyFunction cuda)
    : first(
          "starfmm_gravity",
          variant,
          orange,
          cpu,
          cuda,
          {{STARPU_W, STARPU_R, STARPU_R, STARPU_SCRATCH}, {}}
      ),
      next(
          "starfmm_gravity_add",
          variant,
          amber,
          cpu,
          cuda,
          {{accumulate, STARPU_R, STARPU_R, STARPU_SCRATCH}, {}}
      ),
      next_in_order(
          "starfmm_gravity_add_in_order",
          variant,
          amber,
          cpu,
          cuda,
          {{STARPU_RW, STARPU_R, STARPU_R, STARPU_SCRATCH}, {}}
      ) {}

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
