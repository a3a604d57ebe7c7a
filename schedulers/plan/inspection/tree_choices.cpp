// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/tree_choices.hpp"

#include "core/expansions/cartesian_index.hpp"
#include "core/particles/spread.hpp"

#include <algorithm>
#include <sstream>

namespace starfmm {

namespace {

/// Bodies that fill space have 2.5 to 3 by a sample. What those on a surface, a line or at a few
/// places leave out does not average over directions.
constexpr double least_dimension = 2.3;

/// Errors were measured of leaves of up to 24 bodies; those of fewer than 8 are larger.
constexpr double least_leaf_size = 16;

/// Errors were measured of tens of thousands of bodies. A few thousand may lie in a handful of boxes,
/// and 512 of them are summed exactly in no more time than the tree takes.
constexpr std::size_t least_bodies = 8192;

/// Coarser tolerances are kept by what serves this one: errors of tenths depend on the softening.
constexpr double coarsest_median = 0.1;

/// The leaf size at which pairs and translations of Plummer's model take the least time together,
/// on a core with AVX-512: translations of orders that are not unrolled take several times as long.
double leaf_size_for(int order, Precision precision) {
    const double pairs = precision == Precision::double_precision ? 24 : 40;
    return order <= largest_unrolled_order ? pairs + 8.0 * order : 20.0 * order;
}

/// All choices that the options leave open.
std::vector<CartesianChoice>
choices_for(const GravityTreeOptions& options, CartesianSeparation separation) {
    const PlanOptions& plan = options.plan;
    if (plan.order == 0 && plan.theta < 0 && plan.heavy_theta == 0) {
        const auto all =
            cartesian_choices(options.own_error > 0 ? CartesianSeparation::by_theta : separation);
        return {all.begin(), all.end()};
    }
    const double largest = cartesian_choices(separation).front().theta;
    const double theta = plan.theta < 0 ? largest : plan.theta;
    if (plan.order > 0) {
        return {{theta, plan.order, plan.heavy_theta}};
    }
    std::vector<CartesianChoice> choices;
    for (int order = 1; order <= largest_cartesian_order; ++order) {
        choices.push_back({theta, order, plan.heavy_theta});
    }
    return choices;
}

/// Whether errors were measured for bodies and leaves such as these.
bool is_measured(const PlanOptions& options, const PointsRef& points) {
    const double largest_theta = cartesian_choices(CartesianSeparation::by_theta).front().theta;
    return points.size() >= least_bodies &&
           (options.leaf_size == 0 || options.leaf_size >= least_leaf_size) &&
           options.theta <= largest_theta && filled_dimensions(points) >= least_dimension;
}

} // namespace

TreeChoices::TreeChoices(const GravityTreeOptions& options)
    : options_(options.plan), precision_(options.precision),
      is_harmonic_(options.far_field == FarField::harmonics),
      most_{std::min(options.plan.tolerance, coarsest_median), options.tolerance99},
      own_error_(options.own_error) {
    begin(options, CartesianSeparation::by_share);
}

void TreeChoices::begin(const GravityTreeOptions& options, CartesianSeparation separation) {
    if (is_harmonic_) {
        choices_ = {{options_.theta, options_.order, options_.heavy_theta}};
        return;
    }
    choices_ = choices_for(options, separation);
    place_ = 0;
    while (options_.order == 0 && !is_direct() && !is_enough()) {
        ++place_;
    }
    first_ = place_;
}

TreeChoices::TreeChoices(
    const GravityTreeOptions& options, const PointsRef& points, std::span<const double> masses
)
    : TreeChoices(options) {
    if (is_settled(points.size(), {"body is", "bodies are"})) {
        return;
    }
    const bool are_even = evenness(masses) >= least_evenness;
    judges_masses_ = !are_even && own_error_ == 0 && options_.heavy_theta == 0;
    is_sure_ = are_even && is_measured(options_, points) && points.lengths.empty();
    if (!is_sure_) { // numbers of bodies may not say what a box attracts
        begin(options, CartesianSeparation::by_theta);
    }
}

TreeChoices::TreeChoices(
    const GravityTreeOptions& options, const PointsRef& bodies, const PointsRef& targets
)
    : TreeChoices(options) {
    if (is_settled(bodies.size(), {"body is", "bodies are"}) ||
        is_settled(targets.size(), {"target is", "targets are"})) {
        return;
    }
    is_sure_ = false;
    begin(options, CartesianSeparation::by_theta);
}

bool TreeChoices::is_settled(std::size_t n, const std::array<const char*, 2>& what) {
    if (is_harmonic_ || options_.order > 0 || options_.method == Method::direct) {
        return true;
    }
    if (n <= few_bodies) {
        few_ = std::to_string(n) + " " + what[n == 1 ? 0 : 1] + " too few for a tree";
        place_ = choices_.size();
    }
    return n <= few_bodies;
}

bool TreeChoices::is_enough() const {
    const auto& [theta, order, heavy] = choices_[place_];
    const AccelerationErrors errors = cartesian_error(order, theta, heavy);
    return errors.median <= most_.median && errors.p99 <= most_.p99;
}

double TreeChoices::own_error() const {
    if (!judges_masses_ || is_direct()) {
        return own_error_;
    }
    // a pair's share is about the median of the errors, and a few times as much in a halo
    const auto median = [&](std::size_t place) {
        return cartesian_error(choices_[place].order, choices_[place].theta).median;
    };
    return std::min(most_.median, most_.p99 / 4) * median(place_) / median(first_);
}

PlanOptions TreeChoices::plan() const {
    PlanOptions plan = options_;
    if (is_direct()) {
        plan.method = Method::direct;
        return plan;
    }
    if (is_harmonic_) {
        return plan;
    }
    const CartesianChoice& choice = choices_[place_];
    plan.theta = choice.theta;
    plan.order = choice.order;
    plan.heavy_theta = choice.heavy;
    if (plan.leaf_size == 0) {
        plan.leaf_size = leaf_size_for(plan.order, precision_);
    }
    if (plan.roots == 0) {
        plan.roots = min_roots;
    }
    return plan;
}

std::string TreeChoices::why_direct() const {
    if (!is_direct() || options_.method == Method::direct) {
        return "";
    }
    if (!few_.empty()) {
        return few_;
    }
    std::ostringstream text;
    text.precision(2);
    const CartesianChoice& last = choices_.back();
    text << "no tree has errors of " << most_.median << " and, of 99 of 100 bodies, " << most_.p99
         << ", not by order " << last.order << " and theta " << last.theta;
    return text.str();
}

} // namespace starfmm
