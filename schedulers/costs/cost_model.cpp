// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/cost_model.hpp"

#include "codelets/tree/cells.hpp"
#include "core/expansions/plane_waves.hpp"
#include "schedulers/costs/work_estimate.hpp"
#include "schedulers/costs/work_in_space.hpp"
#include "schedulers/graphs/direct_graph.hpp"
#include "schedulers/graphs/grouping.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starfmm {

namespace {

constexpr std::size_t index(Unit unit) {
    return static_cast<std::size_t>(unit);
}

double cost_of(const Units& costs, const Units& units, Unit first, Unit last) {
    const auto begin = static_cast<std::ptrdiff_t>(index(first));
    const auto end = static_cast<std::ptrdiff_t>(index(last));
    return std::inner_product(
        units.begin() + begin, units.begin() + end, costs.begin() + begin, 0.0
    );
}

/// Tasks of one plan and one evaluation: rank twice and sort; eleven operators a group; the top's.
double n_tasks(int groups) {
    return 3 + 11.0 * groups + (groups > 1 ? 4 : 0);
}

double sorted_points(const PlanShape& shape) {
    return static_cast<double>(shape.n_sources + (shape.separate_targets ? shape.n_targets : 0));
}

Units units_in_plane(const PlanShape& shape) {
    const WorkEstimate work =
        estimate_work(shape.n_sources, shape.n_targets, shape.levels, shape.theta);
    const double order = shape.order;
    const double points = sorted_points(shape);
    return {
        1,
        static_cast<double>(shape.levels),
        points,
        points * shape.levels,
        points * order,
        work.boxes,
        work.boxes * order * order,
        work.far,
        work.far * order,
        work.far * order * order,
        0,
        work.near,
        work.pairs};
}

/// Means over M2L of the second and the third power of the number of terms.
struct TermPowers {
    double square;
    double cube;
};

/// A pair needs `a` terms at any rate, and a share of the others. A count of terms is rounded up.
TermPowers term_powers(const SpaceWork& work, double order, double besides) {
    const double a = std::min(order, besides + 0.5);
    const double rest = order - a;
    return {
        a * a + 2 * a * rest * work.share + rest * rest * work.share2,
        a * a * a + 3 * a * a * rest * work.share + 3 * a * rest * rest * work.share2 +
            rest * rest * rest * work.share3};
}

/// M2L by plane waves of a box, in products of coefficients and waves in single precision.
double wave_work(const PlanShape& shape) {
    constexpr double in_double = 1.7; // of an H200: 0.28 and 0.48 ns a box and order^2
    const double products = static_cast<double>(shape.order) * shape.order;
    return shape.wave_tolerance < least_single_waves ? in_double * products : products;
}

Units units_in_space(const PlanShape& shape) {
    const SpaceWork work = estimate_work_in_space(
        shape.n_sources, shape.n_targets, {shape.levels, shape.roots}, shape.theta
    );
    const double order = shape.order;
    const TermPowers terms = term_powers(work, order, shape.terms_besides);
    const double points = sorted_points(shape);
    const bool by_waves = shape.wave_tolerance > 0;
    const double shifts = by_waves ? 0 : work.counts.far; // that take coefficients
    return {
        1,
        static_cast<double>(shape.levels),
        points,
        points * shape.levels,
        points * order * order,
        work.counts.boxes,
        work.counts.boxes * order * order * order,
        work.counts.far,
        shifts * terms.square,
        shifts * terms.cube,
        by_waves ? work.counts.boxes * wave_work(shape) : 0,
        work.counts.near,
        work.counts.pairs};
}

int default_groups_of(const PlanShape& shape, const WorkerCounts& workers) {
    const auto& [n_cpu, n_cuda] = workers;
    if (shape.dimension == 3) {
        constexpr std::size_t short_lists = 0;
        return default_runs(shape.n_sources, short_lists, n_cpu, n_cuda);
    }
    return default_groups(shape.n_sources, shape.levels, n_cpu, n_cuda, 0);
}

/// Time over what it was expected to be, in the middle of the runs.
double median_slowness(const std::vector<TimedRun>& runs, const std::vector<double>& expected) {
    std::vector<double> ratios;
    ratios.reserve(runs.size());
    for (const TimedRun& run : runs) {
        ratios.push_back(
            run.time / std::inner_product(run.units.begin(), run.units.end(), expected.begin(), 0.0)
        );
    }
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle;
}

/// The normal equations of a least-squares problem.
struct NormalEquations {
    std::vector<std::vector<double>> matrix;
    std::vector<double> right;

    explicit NormalEquations(std::size_t n) : matrix(n, std::vector<double>(n)), right(n) {}

    /// Asks for coefficients x = 1.
    void add(const std::vector<double>& coefficients, double weight) {
        for (std::size_t i = 0; i < right.size(); ++i) {
            right[i] += weight * coefficients[i];
            for (std::size_t j = 0; j < right.size(); ++j) {
                matrix[i][j] += weight * coefficients[i] * coefficients[j];
            }
        }
    }
};

/// The x >= 0 that solve them best, by coordinate descent.
std::vector<double> solve(const NormalEquations& equations) {
    constexpr int sweeps = 2000; // a millisecond; changes are below 1e-6 by then
    const std::size_t n = equations.right.size();
    std::vector<double> x(n, 1.0);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<double>& row = equations.matrix[i];
            const double product = std::inner_product(row.begin(), row.end(), x.begin(), 0.0);
            x[i] = std::max(0.0, x[i] + (equations.right[i] - product) / row[i]);
        }
    }
    return x;
}

} // namespace

double octree_leaves(const PlanShape& shape) {
    return std::pow(cells_a_side({shape.levels, shape.roots}), 3);
}

double points_of_octree_leaf(const PlanShape& shape) {
    return static_cast<double>(std::max(shape.n_sources, shape.n_targets)) / octree_leaves(shape);
}

std::uint32_t octree_leaf_size(const PlanShape& shape) {
    constexpr double deviations = 5; // of a number whose variance is its mean
    const double mean = points_of_octree_leaf(shape);
    return static_cast<std::uint32_t>(std::ceil(mean + deviations * std::sqrt(mean) + 2));
}

Units units_of(const PlanShape& shape) {
    return shape.dimension == 2 ? units_in_plane(shape) : units_in_space(shape);
}

DirectUnits direct_units(std::size_t n_sources, std::size_t n_targets) {
    const auto n = static_cast<double>(n_sources);
    const auto m = static_cast<double>(n_targets);
    return {1, n + m, n * m};
}

double predict_fmm(const UnitCosts& costs, const PlanShape& shape, const WorkerCounts& workers) {
    const Units units = units_of(shape);
    const double far = cost_of(costs.fmm, units, Unit::once, Unit::near_leaf);
    const double near = cost_of(costs.fmm, units, Unit::near_leaf, Unit::count);
    const int groups = default_groups_of(shape, workers);
    const double tasks = costs.task * n_tasks(groups);
    if (workers.n_cuda > 0) { // whose costs are those of all workers together
        return far + near + (workers.n_cpu > 0 ? tasks : 0);
    }
    if (groups == 1) { // P2P runs beside everything else
        return tasks + (workers.n_cpu > 1 ? std::max(far, near) : far + near);
    }
    return tasks + (far + near) / std::min(workers.n_cpu, groups);
}

double predict_direct(
    const UnitCosts& costs,
    std::size_t n_sources,
    std::size_t n_targets,
    const WorkerCounts& workers
) {
    const DirectUnits units = direct_units(n_sources, n_targets);
    const double time = std::inner_product(units.begin(), units.end(), costs.direct.begin(), 0.0);
    if (workers.n_cuda > 0 && workers.n_cpu == 0) {
        return time;
    }
    const std::size_t block = direct_block_size(n_targets, workers.n_cpu + workers.n_cuda);
    const auto blocks = std::ceil(static_cast<double>(n_targets) / static_cast<double>(block));
    if (workers.n_cuda > 0) {
        return time + costs.task * blocks;
    }
    return costs.task * blocks + time / std::min<double>(workers.n_cpu, blocks);
}

bool are_plausible(const UnitCosts& costs, const WorkerCounts& workers, int dimension) {
    constexpr double slowest = 1e6;
    constexpr double fastest = 1e-3;
    constexpr std::size_t n = 3000;
    PlanShape shape{40'000, 40'000, false, 5, 0.5, 24};
    if (dimension == 3) {
        shape.levels = 3;
        shape.dimension = 3;
    }
    const UnitCosts& usual = builtin_costs(workers, dimension);
    const auto is_in_reach = [](double cost, double usual_cost) {
        return cost >= 0 && cost <= slowest * usual_cost;
    };
    const double direct = predict_direct(costs, n, n, workers);
    return std::equal(costs.fmm.begin(), costs.fmm.end(), usual.fmm.begin(), is_in_reach) &&
           std::equal(
               costs.direct.begin(), costs.direct.end(), usual.direct.begin(), is_in_reach
           ) &&
           is_in_reach(costs.task, usual.task) &&
           predict_fmm(costs, shape, workers) >= fastest * predict_fmm(usual, shape, workers) &&
           direct >= fastest * predict_direct(usual, n, n, workers);
}

std::vector<double>
fit_costs(const std::vector<TimedRun>& runs, const std::vector<double>& expected) {
    constexpr double weight_of_expectation = 0.01;
    const std::size_t n = expected.size();
    const double slowness = median_slowness(runs, expected);
    NormalEquations equations(n); // for costs over slowness * expected
    for (const TimedRun& run : runs) {
        std::vector<double> shares(n);
        for (std::size_t i = 0; i < n; ++i) {
            shares[i] = slowness * expected[i] * run.units[i] / run.time;
        }
        equations.add(shares, 1);
    }
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> one(n, 0.0);
        one[i] = 1;
        equations.add(one, weight_of_expectation);
    }
    std::vector<double> costs = solve(equations);
    for (std::size_t i = 0; i < n; ++i) {
        costs[i] *= slowness * expected[i];
    }
    return costs;
}

} // namespace starfmm
