// SPDX-License-Identifier: BSD-3-Clause
// This benchmark measures what a user who gives only --tol loses to the best of a grid over roots,
// depth and theta, for N = 1e4, 1e5, ... up to --n. Costs are measured before, as the first large
// plan on a machine does.
#include "core/expansions/kernels3d.hpp"
#include "schedulers/costs/cost_model.hpp"
#include "tests/perf/bench.hpp"
#include "tests/perf/plan_times.hpp"

#include <cstdio>
#include <string>

namespace {

using starfmm::PlanOptions;
using starfmm::PlanShape;
using starfmm::PlanTimes;

/// Returns a tree that is picked by hand.
PlanTimes by_hand(const PlanOptions& asked, const PlanShape& shape, double theta) {
    PlanOptions options = asked;
    options.method = starfmm::Method::fmm;
    options.roots = shape.roots;
    options.leaf_size = starfmm::octree_leaf_size(shape);
    options.theta = theta;
    char name[80];
    static_cast<void>(std::snprintf(
        name,
        sizeof name,
        "%.1f a leaf, roots %d, theta %.2f",
        starfmm::points_of_octree_leaf(shape),
        shape.roots,
        theta
    ));
    return {name, options, {}, {}};
}

/// Returns octrees whose leaves have up to 2.2 times as many points as `leaf`, or as few.
std::vector<PlanShape> octrees(std::size_t n, double leaf) {
    constexpr double reach = 2.2;
    std::vector<PlanShape> trees;
    for (int roots = starfmm::min_roots; roots <= starfmm::max_roots; ++roots) {
        PlanShape shape{n, n};
        shape.dimension = 3;
        shape.roots = roots;
        shape.levels = roots > starfmm::min_roots ? 3 : 1;
        for (double points = leaf; points >= leaf / reach; ++shape.levels) {
            points = starfmm::points_of_octree_leaf(shape);
            if (points >= leaf / reach && points <= leaf * reach) {
                trees.push_back(shape);
            }
        }
    }
    return trees;
}

/// Returns the grid about leaves of `leaf` points, and direct summation of few points.
std::vector<PlanTimes> grid(const PlanOptions& asked, std::size_t n, double leaf) {
    constexpr std::size_t few = 30'000;
    std::vector<PlanTimes> ways;
    for (const PlanShape& tree : octrees(n, leaf)) {
        for (const double theta : {0.407, 0.442, 0.548, 0.633, 0.7, 0.765}) {
            if (starfmm::Laplace<double>::order_of_cells(asked.tolerance, theta) <=
                starfmm::max_degrees) {
                ways.push_back(by_hand(asked, tree, theta));
            }
        }
    }
    if (n <= few) {
        PlanOptions direct = asked;
        direct.method = starfmm::Method::direct;
        ways.push_back({"direct", direct, {}, {}});
    }
    return ways;
}

void print(std::size_t n, const PlanTimes& way) {
    std::printf(
        "%10zu  %-34s order %2d  %10.3f ms\n",
        n,
        way.name.c_str(),
        way.info.order,
        1e3 * starfmm::median(way.total)
    );
}

/// Times the grid and the automatic choice in turn.
void compare(
    starfmm::Runtime& runtime,
    starfmm::KernelSet& kernel,
    const starfmm::DriverOptions& options,
    std::size_t n
) {
    const starfmm::Problem problem = starfmm::problem_of(options, n);
    PlanOptions tree = options.plan;
    tree.method = starfmm::Method::fmm;
    const starfmm::Plan first(runtime, kernel, problem.sources, tree);
    const auto leaves = static_cast<double>(first.info().leaves);
    std::vector<PlanTimes> ways = grid(options.plan, n, static_cast<double>(n) / leaves);
    ways.push_back({"automatic", options.plan, {}, {}});
    starfmm::time_in_turn(runtime, problem, kernel, options.repeat, ways);
    for (const PlanTimes& way : ways) {
        print(n, way);
    }
    const PlanTimes automatic = ways.back();
    ways.pop_back();
    const PlanTimes& best = starfmm::fastest(ways);
    std::printf(
        "%10zu  automatic: %s, leaves of up to %u, roots %d, theta %.2f, predicted %.3f ms\n",
        n,
        automatic.info.method == starfmm::Method::fmm ? "fmm" : "direct",
        automatic.info.leaf_size,
        automatic.info.roots,
        automatic.info.theta,
        1e3 * automatic.info.predicted_fmm_s
    );
    constexpr double bar = 1.10;
    starfmm::print_ratio(
        "N = " + std::to_string(n) + ", automatic / " + best.name,
        starfmm::median_ratio(automatic.total, best.total),
        starfmm::Bar::at_most,
        bar
    );
}

int run(int argc, char** argv) {
    constexpr int rounds = 5;
    const auto options = starfmm::parse_bench_options(argc, argv, "laplace3d_tuning", rounds, 3);
    if (!options) {
        return 0;
    }
    starfmm::Runtime runtime(options->runtime);
    starfmm::KernelSet& kernel = starfmm::tuned_kernel(runtime, *options);
    for (std::size_t n = 10'000; n <= options->n; n *= 10) {
        compare(runtime, kernel, *options, n);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
