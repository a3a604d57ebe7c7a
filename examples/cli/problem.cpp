// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/problem.hpp"

#include "core/error.hpp"
#include "core/io/point_file.hpp"
#include "core/position.hpp"
#include "schedulers/trace/numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
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
    const int result_size = options.driver == drivers::gravity ? options.dimension
                            : options.gradient                 ? 1 + options.dimension
                                                               : 1;
    const double strengths = n * n_sums * (is_complex ? 2 : 1);
    const double results = (m > 0 ? m : n) * n_sums * result_size;
    std::string what = n > 0 ? "--n " + std::to_string(options.n) : "";
    if (m > 0) {
        what += (n > 0 ? " and --targets " : "--targets ") + std::to_string(options.targets);
    }
    check_room(what, sizeof(double) * ((n + m) * options.dimension + strengths + results));
}

std::vector<double> make_masses(const DriverOptions& options) {
    std::vector<double> masses(options.n, 0.5);
    if (options.has_random_masses) {
        masses =
            make_strengths(options.n, StrengthSign::positive, StrengthType::real, options.seed).re;
    }
    for (double& mass : masses) {
        mass *= 2 / static_cast<double>(options.n);
    }
    return masses;
}

void make_sources(const DriverOptions& options, Problem& problem) {
    problem.sources = make_points(options, options.n, options.seed);
    if (options.driver == drivers::gravity) {
        problem.strengths = {{make_masses(options), {}}};
        return;
    }
    for (std::size_t i = 0; i < options.right_hand_sides; ++i) {
        problem.strengths.push_back(make_strengths(
            options.n, options.strength_sign, options.strength_type, options.seed + i
        ));
    }
}

void read_sources_into(Problem& problem, const DriverOptions& options) {
    if (options.driver == drivers::gravity) {
        Bodies bodies = read_bodies(options.input);
        problem.sources = Points<3>{std::move(bodies.x)};
        problem.strengths = {{std::move(bodies.mass), {}}};
        problem.lengths = std::move(bodies.epsilon);
        return;
    }
    PointFile file = read_sources(options.input, options.right_hand_sides, options.dimension);
    problem.sources = std::move(file.points);
    problem.strengths = std::move(file.strengths);
}

} // namespace

void check_room(const std::string& what, double bytes, std::size_t available) {
    const auto bytes_available = static_cast<double>(available);
    if (bytes > bytes_available) {
        throw InputError(
            what + print_number(": takes at least %.3g GB of memory, ", 1e-9 * bytes) +
            print_number("%.3g GB are available: fewer need less", 1e-9 * bytes_available)
        );
    }
}

Problem make_problem(const DriverOptions& options) {
    Problem problem;
    check_room_of_points(options);
    if (options.input.empty()) {
        make_sources(options, problem);
    } else {
        read_sources_into(problem, options);
    }
    problem.separate_targets = options.has_targets();
    if (!options.target_input.empty()) {
        problem.targets = read_targets(options.target_input, options.dimension);
    } else if (options.targets > 0) {
        problem.targets = make_points(options, options.targets, options.seed + 1);
    }
    return problem;
}

ConstArrayView view_of(const AnyPoints& points) {
    return ConstArrayView::of_columns({points.x.begin(), points.x.end()});
}

ConstArrayView strengths_of(const Problem& problem, const KernelShape& shape) {
    if (problem.is_complex() && shape.strengths == 1 && shape.n_values() > 1) {
        throw InputError(
            "kernel " + shape.name + ": takes real strengths: sum real and imaginary parts one " +
            "after the other"
        );
    }
    std::vector<std::span<const double>> columns;
    for (const Strengths& each : problem.strengths) {
        columns.emplace_back(each.re);
        if (each.is_complex()) {
            columns.emplace_back(each.im);
        }
    }
    return ConstArrayView::of_columns(columns, columns.size() / shape.strengths);
}

ArrayView
room_for(const Problem& problem, const KernelShape& shape, std::vector<Potentials>& potentials) {
    std::vector<std::span<double>> columns;
    const auto add = [&](std::vector<double>& values) {
        values.resize(problem.evaluation_points().size());
        columns.emplace_back(values);
    };
    potentials.resize(problem.strengths.size());
    for (Potentials& each : potentials) {
        for (const ValuePart& part : shape.values) {
            if (part.name == "gradient" || part.name == "acceleration") {
                std::for_each_n(each.gradient.begin(), part.size, add);
                continue;
            }
            add(each.re);
            if (part.size == 2 || problem.is_complex()) {
                add(each.im);
            }
        }
    }
    return ArrayView::of_columns(columns, columns.size() / shape.n_values());
}

} // namespace starfmm
