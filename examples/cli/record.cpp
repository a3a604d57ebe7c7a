// SPDX-License-Identifier: BSD-3-Clause
// The JSON record of a run, the same for all drivers.
#include "core/config.hpp"
#include "core/io/atomic_file.hpp"
#include "examples/cli/option_names.hpp"
#include "examples/cli/report.hpp"

#include <sys/resource.h>

namespace starfmm {

namespace {

using Json = nlohmann::json;

/// Largest resident memory of this process so far, in bytes.
std::size_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// The name of a method, which may be gravity's tree.
const char* method_of(const RunReport& report, Method method) {
    return is_gravity(report) && method == Method::fmm ? "tree" : name_of(method_names, method);
}

/// Seconds by operator.
Json phase_times(const std::vector<Phase>& phases) {
    Json times = Json::object();
    for (const Phase& phase : phases) {
        times[phase.name] = phase.time_s;
    }
    return times;
}

Json tuning_of(const PlanInfo& plan) {
    return {
        {"costs", name_of(cost_names, plan.costs)},
        {"doubtful", plan.has_doubtful_costs},
        {"fmm_s", known(plan.predicted_fmm_s > 0, plan.predicted_fmm_s)},
        {"direct_s", known(plan.predicted_direct_s > 0, plan.predicted_direct_s)}};
}

/// Errors of a part of the values; null where it is not there, or was not compared.
Json error_of(const RunReport& report, std::size_t part) {
    if (!report.errors || part >= report.errors->parts.size()) {
        return nullptr;
    }
    const PartErrors& error = report.errors->parts[part];
    return {
        {"checked", report.errors->checked},
        {"median_rel", error.median},
        {"p99_rel", error.p99},
        {"max_rel", error.max},
        {"l2_rel", error.l2}};
}

/// The points, and what was asked for.
Json asked_of(const RunReport& report) {
    const DriverOptions& options = report.options;
    const bool is_made = options.input.empty();
    const bool has_strengths = is_made && !is_gravity(report);
    constexpr unsigned by_distribution = drivers::plane | drivers::space | drivers::gravity;
    const bool has_distribution = is_made && (options.driver & by_distribution) != 0;
    return {
        {"input", known(!is_made, options.input)},
        {"target_input", known(!options.target_input.empty(), options.target_input)},
        {"distribution", known(has_distribution, name_of(options.distribution, options.naming()))},
        {"sigma", known(has_distribution && has_width(options.distribution), options.sigma)},
        {"seed", options.seed},
        {"strengths", known(has_strengths, name_of(strength_names, options.strength_type))},
        {"sign", known(has_strengths, name_of(sign_names, options.strength_sign))},
        {"gradient", options.gradient},
        {"right_hand_sides", options.right_hand_sides},
        {"method_asked", method_of(report, options.plan.method)},
        {"theta_asked", known(options.plan.theta > 0, options.plan.theta)},
        {"tolerance", options.plan.tolerance}};
}

/// The tree and the expansions that were chosen.
Json plan_of(const RunReport& report) {
    const PlanInfo& plan = report.plan;
    const bool has_boxes = plan.leaves > 0;
    const bool has_series = plan.method == Method::fmm;
    const bool has_leaf_size = has_series && plan.leaf_size > 0;
    const bool has_octree = plan.tree == TreeKind::orthtree && report.kernel.dimension == 3;
    const char* const orthtree = has_octree ? "octree" : "quadtree";
    const char* const tree = plan.tree == TreeKind::pyramid ? "pyramid" : orthtree;
    const auto n = static_cast<double>(report.sum.n_sources);
    return {
        {"method", method_of(report, plan.method)},
        {"tuning", tuning_of(plan)},
        {"team", known(plan.team != Team::automatic, name_of(team_names, plan.team))},
        {"reachable_tolerance", known(plan.reachable_tolerance > 0, plan.reachable_tolerance)},
        {"order", known(has_series, plan.order)},
        {"theta", known(has_series, plan.theta)},
        {"pair_terms", known(has_series, plan.terms == PairTerms::all ? "all" : "by_distance")},
        {"tree", known(plan.method != Method::direct, tree)},
        {"roots", known(has_series && has_octree, plan.roots)},
        {"leaf_size", known(has_leaf_size, plan.leaf_size)},
        {"levels", known(has_boxes, plan.levels)},
        {"leaves", known(has_boxes, plan.leaves)},
        {"ndirect", known(has_boxes, n / static_cast<double>(plan.leaves))},
        {"groups", plan.groups},
        {"chunks", plan.chunks},
        {"work",
         {{"p2p_pairs", plan.work.p2p_pairs},
          {"m2l_shifts", plan.work.m2l_shifts},
          {"p2l_pairs", plan.work.p2l_pairs},
          {"m2p_pairs", plan.work.m2p_pairs}}}};
}

/// What only near fields have.
Json near_field_of(const RunReport& report) {
    const DriverOptions& options = report.options;
    return {
        {"per_box", options.per_box}, {"implementation", name_of(pair_names, options.plan.pairs)}};
}

/// What only gravity has.
Json gravity_of(const RunReport& report) {
    const DriverOptions& options = report.options;
    const PlanInfo& plan = report.plan;
    const bool has_tree = plan.method == Method::fmm;
    const bool is_made = options.driver == drivers::gravity && options.input.empty();
    const char* const masses = options.has_random_masses ? "random" : "equal";
    return {
        {"epsilon", known(options.softening != Softening::splines, options.epsilon)},
        {"softening", name_of(softening_names, options.softening)},
        {"g", options.g},
        {"potential", options.potential},
        {"masses", known(is_made, masses)},
        {"ranks", report.n_ranks},
        {"why_direct", known(!report.sum.why_direct.empty(), report.sum.why_direct)},
        {"tolerance99", known(has_tree, options.tolerance99)},
        {"heavy_theta", known(has_tree && plan.heavy_theta > 0, plan.heavy_theta)},
        {"own_error", known(has_tree && report.own_error > 0, report.own_error)},
        {"summation", known(!has_tree, name_of(summation_names, options.plan.direct.order))},
        {"target_block", known(plan.target_block > 0, plan.target_block)},
        {"source_block", known(plan.source_block > 0, plan.source_block)}};
}

} // namespace

Json record_of(const RunReport& report) {
    Json record = {
        {"driver", report.driver},
        {"version", version},
        {"n", report.sum.n_sources},
        {"m", report.sum.n_targets},
        {"kernel", report.kernel.name},
        {"precision", name_of(precision_names, report.options.precision)},
        {"workers", {{"cpu", report.n_cpu}, {"cuda", report.n_cuda}, {"opencl", report.n_opencl}}},
        {"scheduler", report.scheduler},
        {"tasks", report.tasks},
        {"time_s",
         {{"total", report.times.total},
          {"topology", known(!is_gravity(report), report.times.topology)},
          {"evaluate", report.times.evaluate}}},
        {"phase_s", phase_times(report.phases)},
        {"error", error_of(report, 0)},
        {is_gravity(report) ? "potential_error" : "gradient_error", error_of(report, 1)},
        {"peak_rss_bytes", peak_rss_bytes()}};
    record.update(asked_of(report));
    record.update(plan_of(report));
    if (is_gravity(report)) {
        record.update(gravity_of(report));
    }
    if (report.options.driver == drivers::near) {
        record.update(near_field_of(report));
    }
    return record;
}

void write_record(const std::string& path, const Json& record) {
    AtomicFile file(path);
    file.write(record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    file.commit();
}

} // namespace starfmm
