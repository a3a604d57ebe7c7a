// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity_fmm.hpp"

#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "schedulers/plan/decide.hpp"
#include "schedulers/plan/inspection/reach.hpp"

#include <vector>

namespace starfmm {

namespace {

KernelSet& kernel_of(Precision precision) {
    switch (precision) {
    case Precision::single_precision:
        return kernel_set<LaplaceGradient<float>>();
    case Precision::mixed_precision:
        return kernel_set<MixedLaplaceGradient>();
    default:
        return kernel_set<LaplaceGradient<double>>();
    }
}

} // namespace

void GravityFmmOptions::validate() const {
    constexpr double limit = 1e150; // as of direct sums
    check_range("g", g, -limit, limit);
    plan.validate(3);
    if (precision == Precision::mixed_precision) {
        check_mixed_tolerance(plan.tolerance);
    }
    check_precision(kernel_of(precision).traits, plan.tolerance);
}

PlanInfo decide(Runtime& runtime, const GravityFmmOptions& options, std::size_t n) {
    return decide(runtime, kernel_of(options.precision), options.plan, {n, n, false});
}

GravityFmm::GravityFmm(Runtime& runtime, const GravityFmmOptions& options)
    : runtime_(runtime), options_(options), kernel_(kernel_of(options.precision)) {
    options_.validate();
}

void GravityFmm::rebuild(const BodiesRef& bodies) {
    const PointsRef points(bodies.x);
    if (plan_) {
        plan_->rebuild(points);
    } else {
        plan_ = std::make_unique<Plan>(runtime_, kernel_, points, options_.plan);
    }
}

void GravityFmm::evaluate(const Bodies& bodies, Accelerations& out) {
    for (std::vector<double>* const values : {&out.a[0], &out.a[1], &out.a[2], &out.potential}) {
        values->resize(bodies.size());
    }
    scale_sums(sum(bodies, out), out);
}

SumFactors GravityFmm::sum(const BodiesRef& bodies, const AccelerationsRef& out) {
    rebuild(bodies);
    const StrengthsRef strengths(bodies.mass);
    const ResultsRef results{out.potential, out.a[0], out.a[1], out.a[2]};
    plan_->evaluate({&strengths, 1}, {&results, 1});
    return {-options_.g, options_.g};
}

std::size_t GravityFmm::n_parts() const {
    return static_cast<std::size_t>(plan_->info().chunks);
}

bool GravityFmm::keeps_unit() const {
    return plan_->info().has_users_unit;
}

} // namespace starfmm
