// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/problem.hpp"

#include "core/io/point_file.hpp"
#include "core/position.hpp"
#include "examples/cli/room.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace starfmm {

namespace {

AnyPoints make_points(const DriverOptions& options, std::size_t n, std::uint64_t seed) {
    return with_dimension(options.dimension, [&](auto dimension) {
        return AnyPoints(
            make_points<decltype(dimension)::value>(options.distribution, n, options.sigma, seed)
        );
    });
}

/// Refuses points that there is no memory for, before anything is drawn.
void check_room_of_points(const DriverOptions& options) {
    const bool is_complex = options.strength_type == StrengthType::complex;
    const auto n_sums = static_cast<double>(options.right_hand_sides);
    const auto n = static_cast<double>(options.input.empty() ? options.n : 0);
    const auto m = static_cast<double>(options.targets);
    const double strengths = n * n_sums * (is_complex ? 2 : 1);
    const double results =
        (m > 0 ? m : n) * n_sums * (options.gradient ? 1 + options.dimension : 1);
    std::string what = n > 0 ? "--n " + std::to_string(options.n) : "";
    if (m > 0) {
        what += (n > 0 ? " and --targets " : "--targets ") + std::to_string(options.targets);
    }
    check_room(what, sizeof(double) * ((n + m) * options.dimension + strengths + results));
}

void make_sources(const DriverOptions& options, Problem& problem) {
    problem.sources = make_points(options, options.n, options.seed);
    for (std::size_t i = 0; i < options.right_hand_sides; ++i) {
        problem.strengths.push_back(make_strengths(
            options.n, options.strength_sign, options.strength_type, options.seed + i
        ));
    }
}

} // namespace

Problem make_problem(const DriverOptions& options) {
    Problem problem;
    check_room_of_points(options);
    if (options.input.empty()) {
        make_sources(options, problem);
    } else {
        PointFile file = read_sources(options.input, options.right_hand_sides, options.dimension);
        problem.sources = std::move(file.points);
        problem.strengths = std::move(file.strengths);
    }
    problem.separate_targets = options.targets > 0 || !options.target_input.empty();
    if (!options.target_input.empty()) {
        problem.targets = read_targets(options.target_input, options.dimension);
    } else if (options.targets > 0) {
        problem.targets = make_points(options, options.targets, options.seed + 1);
    }
    // what single pairs of the user's choice lose, is lost
    const bool is_open = options.precision == Precision::automatic ||
                         options.precision == Precision::double_precision;
    if (options.dimension == 3 && is_open) {
        const auto result = options.gradient ? SpaceResult::with_gradient : SpaceResult::potential;
        const std::vector<StrengthsRef> strengths(
            problem.strengths.begin(), problem.strengths.end()
        );
        problem.cancellation =
            cancellation_of(problem.sources, strengths, problem.evaluation_points(), result);
    }
    return problem;
}

std::deque<PageLock> page_lock(const Problem& problem, std::span<Potentials> potentials) {
    std::deque<PageLock> locks;
    const auto lock = [&locks](const std::vector<double>& values) {
        locks.emplace_back(const_cast<double*>(values.data()), values.size() * sizeof(double));
    };
    const std::size_t m = problem.evaluation_points().size();
    for (const AnyPoints* points : {&problem.sources, &problem.targets}) {
        for (const auto& coordinate : points->x) {
            lock(coordinate);
        }
    }
    for (const Strengths& strengths : problem.strengths) {
        lock(strengths.re);
        lock(strengths.im);
    }
    for (Potentials& each : potentials) {
        each.re.resize(m);
        each.im.resize(m);
        lock(each.re);
        lock(each.im);
        for (const auto& derivative : each.gradient) {
            lock(derivative);
        }
    }
    return locks;
}

} // namespace starfmm
