// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity_tree.hpp"

#include "core/error.hpp"
#include "core/expansions/gravity_kernels3d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/scaling.hpp"
#include "core/particles/value_range.hpp"
#include "schedulers/plan/decide.hpp"
#include "schedulers/plan/inspection/reach.hpp"
#include "schedulers/plan/inspection/sampled_sums.hpp"
#include "schedulers/plan/inspection/tree_choices.hpp"
#include "schedulers/plan/plan_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

bool is_single(Precision precision) {
    return precision == Precision::single_precision;
}

template <template <class...> class K, template <class...> class Mixed>
KernelSet& kernel_of(Precision precision) {
    switch (precision) {
    case Precision::single_precision:
        return kernel_set<K<float>>();
    case Precision::mixed_precision:
        return kernel_set<Mixed<double>>();
    default:
        return kernel_set<K<double>>();
    }
}

/// What tasks do not take for zero.
double epsilon_of_tasks(double epsilon, Precision precision) {
    const double least =
        is_single(precision) ? least_epsilon_square<float> : least_epsilon_square<double>;
    return epsilon * epsilon < least ? 0 : epsilon;
}

/// The unit of length of a plan: the user's if the coordinates are of a usual size; else one in
/// which the largest is about 1, or as large as it may be, where epsilon would vanish beside it:
/// one body may be far away from all others.
double plan_unit(double length, const GravityTreeOptions& options) {
    constexpr double usual = 0x1p10;
    constexpr double most = 0x1p30; // of what single precision takes as it is
    const double usual_unit = length >= 1 / usual && length <= usual ? 1 : length;
    const auto keeps_epsilon = [&](double unit) {
        return epsilon_of_tasks(options.epsilon / unit, options.precision) > 0;
    };
    const bool vanishes = !keeps_epsilon(usual_unit) && keeps_epsilon(length / most);
    return vanishes ? length / most : usual_unit;
}

/// What a tree's sums cost, in pairs. A translation of order 4, of 210 products, takes as long as
/// 40 pairs on a core with AVX-512 and on an H100; one of an order that is not unrolled takes
/// several times as much.
double operations(const WorkCounts& work, int order) {
    double products = 1; // (order + 6)! / (order! 6!)
    for (int i = 1; i <= 6; ++i) {
        products *= static_cast<double>(order + i) / i;
    }
    const double slower = order <= largest_unrolled_order ? 1 : 6;
    return static_cast<double>(work.p2p_pairs) +
           slower * products * 40 / 210 * static_cast<double>(work.m2l_shifts);
}

/// Positions in a unit of their own.
/// \param memory where they are, if the unit is not 1
PointsRef
in_unit(const PointsRef& points, double unit, std::array<std::vector<double>, 3>& memory) {
    if (unit == 1) {
        return points;
    }
    const double factor = 1 / unit;
    for (std::size_t d = 0; d < memory.size(); ++d) {
        memory[d].resize(points.size());
        std::ranges::transform(points.x[d], memory[d].begin(), [factor](double value) {
            return factor * value;
        });
    }
    return PointsRef(memory);
}

/// The smallest power of two that neither a coordinate of the bodies nor another length exceeds.
double length_of(const BodiesRef& bodies, double another) {
    if (bodies.size() == 0) {
        throw InputError("no bodies: at least one is needed");
    }
    return gravity_units(bodies, another).length;
}

KernelSet& harmonic_kernel(Precision precision) {
    switch (precision) {
    case Precision::single_precision:
        return kernel_set<LaplaceGradient<float>>();
    case Precision::mixed_precision:
        return kernel_set<MixedLaplaceGradient>();
    default:
        return kernel_set<LaplaceGradient<double>>();
    }
}

/// \throws InputError for what bodies with lengths of their own do not have
void check_splines(const GravityTreeOptions& options) {
    if (options.epsilon != 0) {
        throw InputError("epsilon: bodies have lengths of their own: leave it out");
    }
    if (options.precision != Precision::double_precision) {
        throw InputError("precision: bodies with softening lengths of their own take double");
    }
}

/// \throws InputError for what sums by solid harmonics do not have
void check_harmonics(const GravityTreeOptions& options) {
    if (options.epsilon != 0 || options.softening == Softening::splines) {
        throw InputError(
            "far_field = harmonics: is of points: use epsilon = 0, or far_field = taylor"
        );
    }
    if (options.own_error != 0 || options.plan.heavy_theta != 0) {
        const std::string name = options.own_error != 0 ? "own_error" : "heavy_theta";
        throw InputError(name + ": is of far_field = taylor: leave it out");
    }
}

/// \throws InputError for what sums by Cartesian Taylor expansions do not have
void check_taylor(const GravityTreeOptions& options) {
    const PlanOptions& plan = options.plan;
    const double own_error = options.own_error;
    if (own_error != 0 && !(own_error > 0 && own_error < 1)) {
        std::ostringstream message;
        message << "own_error = " << own_error << ": must be in (0, 1)";
        throw InputError(message.str());
    }
    if (own_error > plan.tolerance && plan.order == 0) {
        std::ostringstream message;
        message << "own_error = " << own_error
                << ": leaves out more than tolerance = " << plan.tolerance
                << " allows: use at most that, or an order of your own";
        throw InputError(message.str());
    }
    if (own_error > 0 && plan.heavy_theta > 0) {
        throw InputError(
            "own_error and heavy_theta: what is left out is bounded by either, not by both"
        );
    }
    check_range("order", plan.order, 0, largest_cartesian_order);
    if (plan.with_tree(3).tree != TreeKind::orthtree || plan.method == Method::automatic) {
        throw InputError("gravity by a tree takes an octree, and the method fmm or direct");
    }
}

/// \throws InputError for targets that no sum can be taken at
void check(const PointsRef& targets) {
    check_sizes(targets, "targets");
    for (std::size_t d = 0; d < targets.x.size(); ++d) {
        const std::string name = std::string("targets.") + coordinate_names[d];
        check_finite(targets.x[d], name, max_magnitude(false));
    }
}

} // namespace

KernelSet& gravity_kernel(Softening softening, Precision precision, FarField far_field) {
    if (far_field == FarField::harmonics) {
        return harmonic_kernel(precision);
    }
    if (softening == Softening::splines) {
        return kernel_set<SplinesGravity<double>>();
    }
    return softening == Softening::spline
               ? kernel_of<SplineGravity, MixedSplineGravity>(precision)
               : kernel_of<SoftenedGravity, MixedSoftenedGravity>(precision);
}

std::vector<double> ball_radii(std::span<const double> epsilon, double unit) {
    std::vector<double> radii(epsilon.size());
    std::ranges::transform(epsilon, radii.begin(), [unit](double length) {
        return spline_radius * epsilon_of_tasks(length / unit, Precision::double_precision);
    });
    return radii;
}

GravityTreeOptions direct_gravity(double epsilon) {
    GravityTreeOptions options;
    options.epsilon = epsilon;
    options.precision = Precision::double_precision;
    options.plan.method = Method::direct;
    return options;
}

PackedSums packed_sums(const GravityTreeOptions& options) {
    if (options.plan.method != Method::direct || options.softening != Softening::plummer ||
        options.far_field == FarField::harmonics) {
        return PackedSums::none;
    }
    return options.result == GravityResult::acceleration ? PackedSums::acceleration
                                                         : PackedSums::with_potential;
}

void GravityTreeOptions::validate() const {
    constexpr double limit = 1e150; // as of direct sums
    check_range("epsilon", epsilon, 0, limit);
    check_range("g", g, -limit, limit);
    if (softening == Softening::splines) {
        check_splines(*this);
    }
    if (precision == Precision::mixed_precision) {
        check_mixed_tolerance(plan.tolerance);
    }
    if (!(tolerance99 > 0) || tolerance99 > 1) {
        std::ostringstream message;
        message << "tolerance99 = " << tolerance99 << ": must be in (0, 1]";
        throw InputError(message.str());
    }
    plan.validate(3);
    far_field == FarField::harmonics ? check_harmonics(*this) : check_taylor(*this);
    check_precision(gravity_kernel(softening, precision, far_field).traits, plan.tolerance);
}

void GravityTreeOptions::check_targets() const {
    if (own_error > 0) {
        throw InputError("own_error: is of sums at the bodies, not at targets: leave it out");
    }
}

PlanOptions GravityTreeOptions::closed() const {
    return TreeChoices(*this).plan();
}

int choose_roots(Runtime& runtime, const GravityTreeOptions& options, const BodiesRef& bodies) {
    GravityTreeOptions with = options;
    int best = min_roots;
    double least = std::numeric_limits<double>::infinity();
    for (with.plan.roots = min_roots; with.plan.roots <= max_roots; ++with.plan.roots) {
        const double n = operations(GravityTree(runtime, with).build(bodies).work, with.plan.order);
        if (n < least) {
            least = n;
            best = with.plan.roots;
        }
    }
    return best;
}

GravityTree::GravityTree(Runtime& runtime, const GravityTreeOptions& options)
    : runtime_(runtime), options_(options),
      kernel_(gravity_kernel(options.softening, options.precision, options.far_field)) {
    options_.validate();
    options_.plan.direct.packed = packed_sums(options_);
}

/// Whether tasks see bodies as packed ones, which any unit serves, each body without itself. Targets
/// may lie closer to a body than packing can tell.
bool GravityTree::is_packed() const {
    return options_.plan.direct.packed != PackedSums::none && runtime_.n_opencl() == 0 &&
           !has_targets_;
}

/// Positions in the unit of the plan.
SumPlaces GravityTree::place(const BodiesRef& bodies) {
    const double length = length_of(bodies, longest(bodies));
    has_targets_ = false;
    choose_unit(length);
    return SumPlaces(placed(bodies));
}

SumPlaces GravityTree::place(const BodiesRef& bodies, const PointsRef& targets) {
    options_.check_targets();
    check(targets);
    const double extent = largest_coordinate(targets);
    const double length = length_of(bodies, std::max(longest(bodies), extent));
    has_targets_ = true;
    choose_unit(length);
    return {placed(bodies), in_unit(targets, length_, scaled_targets_.x)};
}

/// The largest softening length.
double GravityTree::longest(const BodiesRef& bodies) const {
    return std::max(options_.epsilon, largest_epsilon(bodies, options_.softening));
}

/// Positions and lengths in the unit of the plan.
PointsRef GravityTree::placed(const BodiesRef& bodies) {
    PointsRef points = in_unit(PointsRef(bodies.x), length_, scaled_.x);
    lengths_ = ball_radii(bodies.epsilon, length_);
    points.lengths = lengths_;
    return points;
}

/// \param length power of two that no length exceeds
void GravityTree::choose_unit(double length) {
    extent_ = length;
    const bool takes_any = is_packed() || options_.far_field == FarField::harmonics;
    const double unit = takes_any ? 1 : plan_unit(length, options_);
    if (unit != length_) {
        length_ = unit;
        plan_.reset();
    }
}

void GravityTree::rebuild(const SumPlaces& places, const TreeChoices& choices) {
    own_error_ = choices.own_error();
    try {
        rebuild_plan(places, choices.plan());
    } catch (const UnresolvedPoints& error) {
        throw error.in_unit(length_);
    }
}

void GravityTree::rebuild_plan(const SumPlaces& places, PlanOptions options) {
    if (!is_packed()) {
        options.direct.packed = PackedSums::none;
    }
    const PointsRef& bodies = places.bodies;
    const PointsRef& targets = places.targets;
    if (plan_ && closed_ == options) {
        has_targets_ ? plan_->rebuild(bodies, targets) : plan_->rebuild(bodies);
        return;
    }
    plan_.reset(); // its memory first
    closed_ = options;
    epsilon_ = epsilon_of_tasks(options_.epsilon / length_, options_.precision);
    options.epsilon = is_packed() ? options_.epsilon : epsilon_;
    plan_ = has_targets_ ? std::make_unique<Plan>(runtime_, kernel_, bodies, targets, options)
                         : std::make_unique<Plan>(runtime_, kernel_, bodies, options);
}

void GravityTree::rebuild(const BodiesRef& bodies) {
    const SumPlaces places = place(bodies);
    rebuild(places, choices_for(bodies, places));
}

TreeChoices GravityTree::choices_for(const BodiesRef& bodies, const SumPlaces& places) const {
    return has_targets_ ? TreeChoices(options_, places.bodies, places.targets)
                        : TreeChoices(options_, places.bodies, bodies.mass);
}

GravityTreeOptions GravityTree::chosen() const {
    GravityTreeOptions chosen = options_;
    chosen.plan =
        options_.far_field == FarField::harmonics ? as_decided(closed_, plan_->info()) : closed_;
    chosen.own_error = own_error_;
    return chosen;
}

const PlanInfo& GravityTree::build(const BodiesRef& bodies) {
    rebuild(bodies);
    return plan_->info();
}

void GravityTree::make_room(std::size_t n, Accelerations& out) const {
    for (std::vector<double>& component : out.a) {
        component.resize(n);
    }
    out.potential.resize(options_.result == GravityResult::with_potential ? n : 0);
}

void GravityTree::evaluate(const BodiesRef& bodies, Accelerations& out) {
    make_room(bodies.size(), out);
    evaluate(bodies, AccelerationsRef(out));
}

void GravityTree::evaluate(const BodiesRef& bodies, const PointsRef& targets, Accelerations& out) {
    make_room(targets.size(), out);
    evaluate(bodies, targets, AccelerationsRef(out));
}

void GravityTree::evaluate(const BodiesRef& bodies, const AccelerationsRef& out) {
    evaluate(bodies, place(bodies), out);
}

void GravityTree::evaluate(
    const BodiesRef& bodies, const PointsRef& targets, const AccelerationsRef& out
) {
    evaluate(bodies, place(bodies, targets), out);
}

void GravityTree::evaluate(const BodiesRef& bodies, const SumPlaces& places, AccelerationsRef out) {
    const bool has_potential = options_.result == GravityResult::with_potential;
    if (!has_potential) {
        potential_.resize(places.targets.size());
        out.potential = potential_;
    }
    const SumFactors factors = sum_within_tolerances(bodies, places, out);
    if (!has_potential) {
        out.potential = {};
    }
    scale_sums(factors, out);
    total_mass_ = 0; // `out` is no longer what sum() goes on from
}

SumFactors GravityTree::sum_within_tolerances(
    const BodiesRef& bodies, const SumPlaces& places, const AccelerationsRef& out
) {
    TreeChoices choices = choices_for(bodies, places);
    std::optional<SampledSums> exact;
    sampled_l2_.reset();
    for (;;) {
        rebuild(places, choices);
        const SumFactors factors = sum_anew(bodies, out);
        why_direct_ = choices.why_direct();
        if (choices.is_sure()) {
            return factors;
        }
        if (!exact) {
            exact.emplace(
                runtime_,
                gravity_kernel(options_.softening, Precision::double_precision),
                places,
                bodies.mass,
                epsilon_,
                out
            );
        }
        if (exact->confirm(out, {options_.plan.tolerance, options_.tolerance99})) {
            sampled_l2_ = exact->l2(out, 1);
            return factors;
        }
        const double pairs =
            static_cast<double>(bodies.size()) * static_cast<double>(places.targets.size());
        operations(plan_->info().work, closed_.order) > pairs ? choices.end() : choices.next();
    }
}

SumFactors GravityTree::sum(const BodiesRef& bodies, const AccelerationsRef& out) {
    if (!plan_ || has_targets_) {
        rebuild(bodies);
        return sum_anew(bodies, out);
    }
    if (!has_own_errors() || total_mass_ == 0) {
        PointsRef points(bodies.x);
        points.lengths = lengths_;
        plan_->rebuild(points);
        return sum_anew(bodies, out);
    }
    rebuild(bodies, out);
    return sum(bodies.mass, out);
}

void GravityTree::rebuild(const BodiesRef& bodies, const AccelerationsRef& last) {
    PointsRef points(bodies.x);
    if (length_ != 1) {
        points = scaled_;
    }
    points.lengths = lengths_;
    plan_->rebuild(
        points,
        {own_error_, total_mass_, bodies.mass, last.potential, {last.a[0], last.a[1], last.a[2]}}
    );
}

SumFactors GravityTree::sum_anew(const BodiesRef& bodies, const AccelerationsRef& out) {
    const SumFactors factors = sum(bodies.mass, out);
    if (!has_own_errors()) {
        return factors;
    }
    const std::span<const double> m = bodies.mass;
    total_mass_ = std::transform_reduce(m.begin(), m.end(), 0.0, std::plus<>(), [](double x) {
        return std::abs(x);
    });
    rebuild(bodies, out);
    return sum(bodies.mass, out);
}

bool GravityTree::has_own_errors() const {
    return own_error_ > 0 && closed_.method == Method::fmm;
}

bool GravityTree::lost_epsilon() const {
    if (!(options_.epsilon > 0) || options_.precision == Precision::double_precision) {
        return false;
    }
    constexpr double least_packed = 0x1p-60; // its square is one of single precision
    return is_packed() ? options_.epsilon < least_packed * extent_ : epsilon_ == 0;
}

std::size_t GravityTree::n_parts() const {
    return static_cast<std::size_t>(plan_->info().chunks);
}

bool GravityTree::keeps_unit() const {
    return length_ == 1 && plan_->info().has_users_unit;
}

SumFactors GravityTree::sum(std::span<const double> masses, const AccelerationsRef& out) {
    const StrengthsRef strengths(masses);
    const ResultsRef results{out.potential, out.a[0], out.a[1], out.a[2]};
    plan_->evaluate({&strengths, 1}, {&results, 1});
    const double factor = options_.g / length_;
    return {-factor, factor / length_};
}

} // namespace starfmm
