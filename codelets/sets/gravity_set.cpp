// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/gravity_set.hpp"

namespace starfmm {

namespace {

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
    static const GravityBodies cpu = detail::with_best_isa([](auto isa) {
        return gravity_bodies<P, typename decltype(isa)::type>();
    });
    static const GravityBodies cuda = cuda_bodies<P>();
    static GravitySet acceleration(precision, GravityResult::acceleration, cpu, cuda);
    static GravitySet potential(precision, GravityResult::with_potential, cpu, cuda);
    return result == GravityResult::acceleration ? acceleration : potential;
}

constexpr unsigned orange = 0xfb8c00;
constexpr unsigned amber = 0xffb300;

BodyFunction body_of(const GravityBodies& bodies, GravityResult result) {
    return result == GravityResult::acceleration ? bodies.acceleration : bodies.with_potential;
}

/// Tells the performance models apart.
std::string variant(const std::string& precision, GravityResult result) {
    return precision + (result == GravityResult::acceleration ? "" : "_potential");
}

AccessModes modes(starpu_data_access_mode sums) {
    return {{sums, STARPU_R, STARPU_R, STARPU_SCRATCH}, {}};
}

} // namespace

GravitySet::GravitySet(
    const std::string& precision,
    GravityResult result,
    const GravityBodies& cpu,
    const GravityBodies& cuda
)
    : first(
          "starfmm_gravity",
          variant(precision, result),
          orange,
          body_of(cpu, result),
          body_of(cuda, result),
          modes(STARPU_W)
      ),
      next(
          "starfmm_gravity_add",
          variant(precision, result),
          amber,
          body_of(cpu, result),
          body_of(cuda, result),
          modes(accumulate)
      ),
      next_in_order(
          "starfmm_gravity_add_in_order",
          variant(precision, result),
          amber,
          body_of(cpu, result),
          body_of(cuda, result),
          modes(STARPU_RW)
      ),
      cpu_machine(cpu.machine), cuda_machine(cuda.machine) {}

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
