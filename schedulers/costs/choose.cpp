// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/pascal.hpp"
#include "core/expansions/plane_waves.hpp"
#include "core/tree/pyramid.hpp"
#include "schedulers/costs/order_rule.hpp"
#include "schedulers/costs/tuning.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

namespace {

/// Thetas to choose from. All are as accurate (test_accuracy); beyond them the order grows faster
/// than lists shorten. The first is taken where nothing is to be predicted.
constexpr double thetas_in_plane[]{0.5, 0.55, 0.6, 0.65};
/// Thetas for the cubes of space: a hair above those from which on cubes are far from each other whose centres
/// are 2, the root of 5, of 6, of 8, and 3 sides apart.
constexpr double thetas_in_space[]{0.765, 0.633, 0.548, 0.442, 0.407};

bool are_levels_open(const PlanOptions& options) {
    return options.levels < 0 && options.leaf_size == 0;
}

/// A separation, and the order that it takes.
struct Separation {
    double theta;
    int order;
    PairTerms terms = PairTerms::by_distance;
};

/// Whether a rule has cut the order off at the largest, which loses accuracy.
bool is_cut_off(const KernelTraits& kernel, int order) {
    return order >= kernel.largest_order || kernel.n_coefficients(order) > kernel.most_coefficients;
}

/// The separation that options give; else the first of those usual, for cubes the first whose order
/// is not cut off.
Separation given_separation(const PlanOptions& options, const OrderRule& rule) {
    const std::span<const double> usual = usual_thetas(rule);
    std::size_t i = 0;
    while (rule.has_cells() && options.order == 0 && i + 1 < usual.size() &&
           is_cut_off(rule.kernel(), rule(options.tolerance, usual[i]))) {
        ++i;
    }
    const double theta = options.theta > 0 ? options.theta : usual[i];
    if (options.order > 0) {
        return {theta, options.order, options.terms};
    }
    return {theta, rule(options.tolerance, theta)};
}

/// Whether M2L is to go by plane waves if there are leaves enough.
bool wants_waves(const PlanOptions& options, const WorkerCounts& workers) {
    if (options.plane_waves == PlaneWaves::automatic) {
        return workers.n_cuda > 0 && workers.n_cpu == 0;
    }
    return options.plane_waves == PlaneWaves::always;
}

/// Leaves of all groups at which each has enough for waves.
double least_leaves(const PlanOptions& options, const WorkerCounts& workers) {
    constexpr int usual_groups = 8; // of several GPUs, at least
    const int groups = options.groups > 0 ? options.groups : workers.n_cuda > 1 ? usual_groups : 1;
    return static_cast<double>(least_wave_leaves) * groups;
}

/// The separation for pairs that take all terms and meet by plane waves; empty where waves do not
/// serve.
std::optional<Separation> wave_separation(
    const PlanOptions& options, const KernelTraits& kernel, const WorkerCounts& workers
) {
    const OrderRule rule(kernel, PairTerms::all);
    if (!rule.has_all_terms() || options.order > 0 || !wants_waves(options, workers)) {
        return {};
    }
    const double theta = options.theta > 0 ? options.theta : usual_thetas(rule)[0];
    const int order = rule(options.tolerance, theta);
    if (is_cut_off(kernel, order) || !are_plane_waves_apt(options.tolerance, order, theta)) {
        return {};
    }
    return Separation{theta, order, PairTerms::all};
}

/// Separations to choose from, at least one, of pairs that take terms by distance.
std::vector<Separation> open_separations(const PlanOptions& options, const OrderRule& rule) {
    std::vector<Separation> open{given_separation(options, rule)};
    if (options.theta > 0 || options.order > 0) {
        return open;
    }
    for (const double theta : usual_thetas(rule).subspan(1)) {
        const int order = rule(options.tolerance, theta);
        if (!is_cut_off(rule.kernel(), order)) {
            open.push_back({theta, order});
        }
    }
    if (open.size() > 1 && rule.has_cells() && is_cut_off(rule.kernel(), open[0].order)) {
        open.erase(open.begin());
    }
    return open;
}

/// Sources a leaf where neither the user nor predictions say.
constexpr double usual_leaf_size = 64;

/// Levels that the options name or imply.
int given_levels(const PlanOptions& options, int dimension, std::size_t n_sources) {
    if (options.levels < 0) {
        const double leaf_size = options.leaf_size > 0 ? options.leaf_size : usual_leaf_size;
        return levels_for_leaf_size(dimension, n_sources, leaf_size);
    }
    if (n_boxes<2>(options.levels) > n_sources) {
        throw InputError(
            "levels = " + std::to_string(options.levels) + ": more leaves than the " +
            std::to_string(n_sources) + " sources, at most " +
            std::to_string(levels_for_leaf_size(2, n_sources, 0.625)) + " levels"
        );
    }
    return options.levels;
}

int given_roots(const PlanOptions& options) {
    return options.roots > 0 ? options.roots : min_roots;
}

/// A quadtree's leaves hold between a quarter of what they may hold and all of it: so much that
/// those of uniform points are as large as the leaves of the pyramid that is chosen.
std::uint32_t orthtree_leaf_size(
    const PlanOptions& options, const Choice& pyramid, int dimension, std::size_t n
) {
    if (options.leaf_size > 0) {
        return static_cast<std::uint32_t>(options.leaf_size);
    }
    constexpr double spread = 1.6;
    const auto leaves = static_cast<double>(n_boxes(dimension, pyramid.levels));
    const double leaf = static_cast<double>(n) / leaves;
    return static_cast<std::uint32_t>(std::max(1.0, spread * leaf));
}

/// Levels of a pyramid, or of what is built like one.
std::vector<PlanShape> open_pyramids(PlanShape shape) {
    std::vector<PlanShape> open;
    while (n_boxes<2>(shape.levels) <= shape.n_sources) {
        open.push_back(shape);
        ++shape.levels;
    }
    return open;
}

/// Roots and levels of octrees whose leaves are not too small for the estimates.
std::vector<PlanShape> open_octrees(const PlanShape& any, int given_roots) {
    constexpr double fewest = 8; // points a leaf
    std::vector<PlanShape> open;
    for (int roots = min_roots; roots <= max_roots; ++roots) {
        if (given_roots > 0 && roots != given_roots) {
            continue;
        }
        PlanShape shape = any;
        shape.roots = roots;
        shape.levels = roots > min_roots ? 3 : 0; // levels above do not tell such roots apart
        do {
            open.push_back(shape);
            ++shape.levels;
        } while (points_of_octree_leaf(shape) >= fewest);
    }
    return open;
}

std::vector<PlanShape>
open_trees(const PlanOptions& options, const KernelTraits& kernel, const ProblemSize& size) {
    PlanShape shape{size.n_sources, size.n_targets, size.separate_targets, 0};
    shape.dimension = kernel.dimension;
    shape.terms_besides = kernel.terms_besides;
    return kernel.dimension == 3 ? open_octrees(shape, options.roots) : open_pyramids(shape);
}

/// The leaf size of an octree. Where points are uneven its leaves hold less than half of what they
/// may, in the mean, and translations of small leaves cost more than pairs of large ones, on GPUs
/// still more. So they may hold more, but not so much that uniform points have other leaves.
std::uint32_t chosen_leaf_size(const PlanShape& shape, const WorkerCounts& workers) {
    const bool only_gpus = workers.n_cuda > 0 && workers.n_cpu == 0;
    const double spread = only_gpus ? 3 : 2.5;
    const auto larger = static_cast<std::uint32_t>(spread * points_of_octree_leaf(shape));
    return std::max(octree_leaf_size(shape), larger);
}

Choice chosen(const PlanShape& shape, PairTerms terms, double time, const WorkerCounts& workers) {
    Choice choice;
    choice.theta = shape.theta;
    choice.order = shape.order;
    choice.terms = terms;
    choice.levels = shape.levels;
    choice.roots = shape.roots;
    choice.fmm_s = time;
    if (shape.dimension == 3) {
        choice.leaf_size = chosen_leaf_size(shape, workers);
    }
    return choice;
}

/// The fastest tree, and theta, if that is open.
Choice choose_tree(
    const PlanOptions& options,
    const KernelTraits& kernel,
    const ProblemSize& size,
    const UnitCosts& costs,
    const WorkerCounts& workers
) {
    const std::vector<PlanShape> trees = open_trees(options, kernel, size);
    Choice best;
    const auto try_trees = [&](const Separation& separation) {
        for (PlanShape shape : trees) {
            shape.theta = separation.theta;
            shape.order = separation.order;
            shape.wave_tolerance = wave_tolerance(options, separation.terms, workers);
            if (shape.wave_tolerance > 0 && octree_leaves(shape) < least_leaves(options, workers)) {
                continue;
            }
            const double time = predict_fmm(costs, shape, workers);
            if (best.fmm_s == 0 || time < best.fmm_s) {
                best = chosen(shape, separation.terms, time, workers);
            }
        }
    };
    if (const auto by_waves = wave_separation(options, kernel, workers)) {
        try_trees(*by_waves);
    }
    if (best.fmm_s == 0 || options.plane_waves != PlaneWaves::always) {
        for (const Separation& separation : open_separations(options, {kernel})) {
            try_trees(separation);
        }
    }
    if (kernel.dimension == 2) {
        best.leaf_size = orthtree_leaf_size(options, best, kernel.dimension, size.n_sources);
        best.roots = given_roots(options);
    }
    return best;
}

/// Whether, by the leaf size, there are enough leaves for plane waves, or they are wanted in any
/// case.
bool are_leaves_enough(
    const PlanOptions& options, std::size_t n_sources, const WorkerCounts& workers
) {
    return options.plane_waves == PlaneWaves::always ||
           static_cast<double>(n_sources) >= least_leaves(options, workers) * options.leaf_size;
}

/// What leaves nothing to predict.
Choice choose_given(
    const PlanOptions& options,
    const KernelTraits& kernel,
    std::size_t n_sources,
    const WorkerCounts& workers
) {
    Choice given;
    Separation separation = given_separation(options, {kernel});
    if (are_leaves_enough(options, n_sources, workers)) {
        separation = wave_separation(options, kernel, workers).value_or(separation);
    }
    given.theta = separation.theta;
    given.order = separation.order;
    given.terms = separation.terms;
    if (options.method == Method::direct) {
        given.method = Method::direct;
    } else {
        given.levels = given_levels(options, kernel.dimension, n_sources);
        given.leaf_size = orthtree_leaf_size(options, given, kernel.dimension, n_sources);
        given.roots = given_roots(options);
    }
    return given;
}

} // namespace

double wave_tolerance(const PlanOptions& options, PairTerms terms, const WorkerCounts& workers) {
    return terms == PairTerms::all && workers.n_cuda > 0 ? options.tolerance : 0;
}

std::span<const double> usual_thetas(const OrderRule& rule) {
    return rule.has_cells() ? std::span<const double>(thetas_in_space) : thetas_in_plane;
}

bool is_automatic(const PlanOptions& options) {
    return options.method != Method::direct && are_levels_open(options);
}

Choice choose(
    const PlanOptions& options,
    const KernelTraits& kernel,
    const ProblemSize& size,
    const UnitCosts& costs,
    const WorkerCounts& workers
) {
    if (!is_automatic(options)) {
        return choose_given(options, kernel, size.n_sources, workers);
    }
    Choice best = choose_tree(options, kernel, size, costs, workers);
    if (options.method == Method::automatic) {
        best.direct_s = predict_direct(costs, size.n_sources, size.n_targets, workers);
        if (best.direct_s <= best.fmm_s) {
            best.method = Method::direct;
            best.levels = 0;
        }
    }
    return best;
}

} // namespace starfmm
