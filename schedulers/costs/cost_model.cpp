// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/cost_model.hpp"

#include "schedulers/costs/work_estimate.hpp"
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

/// Of one plan and one evaluation: rank twice and sort; eleven operators a group; the top's.
double n_tasks(int groups) {
    return 3 + 11.0 * groups + (groups > 1 ? 4 : 0);
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

/// Of a least-squares problem.
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

Units units_of(const PlanShape& shape) {
    const WorkEstimate work =
        estimate_work(shape.n_sources, shape.n_targets, shape.levels, shape.theta);
    const double order = shape.order;
    const auto points =
        static_cast<double>(shape.n_sources + (shape.separate_targets ? shape.n_targets : 0));
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
        work.near,
        work.pairs};
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
    if (workers.n_cuda > 0) {
        return far + near;
    }
    const int groups = default_groups(shape.n_sources, shape.levels, workers.n_cpu, workers.n_cuda);
    const double tasks = costs.task * n_tasks(groups);
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
    if (workers.n_cuda > 0) {
        return time;
    }
    const std::size_t block = direct_block_size(n_targets, workers.n_cpu);
    const auto blocks = std::ceil(static_cast<double>(n_targets) / static_cast<double>(block));
    return costs.task * blocks + time / std::min<double>(workers.n_cpu, blocks);
}

bool are_plausible(const UnitCosts& costs, const WorkerCounts& workers) {
    constexpr double slowest = 1e6;
    constexpr double fastest = 1e-3;
    constexpr PlanShape shape{40'000, 40'000, false, 5, 0.5, 24};
    constexpr std::size_t n = 3000;
    const UnitCosts& usual = builtin_costs(workers);
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

const UnitCosts& builtin_costs(const WorkerCounts& workers) {
    // in the order of Unit
    static constexpr UnitCosts cpu{
        {3e-5, 3e-6, 3e-8, 2e-9, 6e-10, 3e-7, 2.4e-10, 1.2e-8, 4.6e-10, 1.7e-11, 4e-9, 2.6e-10},
        {1e-6, 2e-9, 2.45e-10},
        8e-6};
    static constexpr UnitCosts gpu{
        {5e-4,
         6e-6,
         4.3e-10,
         9.4e-11,
         1.9e-12,
         7.6e-10,
         1.45e-12,
         6.3e-11,
         7.9e-13,
         8.6e-14,
         9.1e-11,
         7.2e-13},
        {1.5e-4, 8e-9, 8.1e-13},
        0};
    return workers.n_cuda > 0 ? gpu : cpu;
}

} // namespace starfmm
