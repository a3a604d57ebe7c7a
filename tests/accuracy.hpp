// SPDX-License-Identifier: BSD-3-Clause
// Sums compared with the direct sum in extended precision, and what double precision cannot do.
#pragma once

#include "core/direct_sum.hpp"
#include "core/distributions.hpp"
#include "core/expansions/kernels2d.hpp"
#include "schedulers/plan.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

/// Names of make_shape: the six distributions, and three sets that are hard on a tree.
inline const std::vector<std::string> shape_names = {
    "uniform",
    "normal",
    "layer",
    "circle",
    "plummer",
    "lattice",
    "line",    ///< all on one
    "twice",   ///< every point has a double
    "clusters" ///< two of diameter 1e-8 at distance 1
};

inline starfmm::Points<2> make_shape(const std::string& name, std::size_t n, std::uint64_t seed) {
    using starfmm::Distribution;
    if (name == "line") {
        auto points = starfmm::make_points<2>(Distribution::uniform, n, 0.1, seed);
        for (std::size_t i = 0; i < n; ++i) {
            points.x[1][i] = 0.25 + 0.5 * points.x[0][i];
        }
        return points;
    }
    if (name == "twice") {
        auto points = starfmm::make_points<2>(Distribution::uniform, (n + 1) / 2, 0.1, seed);
        for (auto& x : points.x) {
            const auto copy = x;
            x.insert(x.end(), copy.begin(), copy.end());
            x.resize(n);
        }
        return points;
    }
    if (name == "clusters") {
        auto points = starfmm::make_points<2>(Distribution::uniform, n, 0.1, seed);
        for (std::size_t i = 0; i < n; ++i) {
            points.x[0][i] = 0.7e-8 * points.x[0][i] + static_cast<double>(i % 2);
            points.x[1][i] *= 0.7e-8;
        }
        return points;
    }
    return starfmm::make_points<2>(starfmm::parse_distribution(name), n, 0.1, seed);
}

/// What is summed, and the exact result at some targets.
struct Reference {
    starfmm::KernelKind kernel;
    std::vector<std::size_t> which;
    starfmm::DirectSum exact;
    std::vector<long double> plain; ///< error of a direct sum in double precision

    Reference(
        starfmm::Runtime& runtime,
        starfmm::KernelKind kind,
        const starfmm::Points<2>& sources,
        const starfmm::Strengths& strengths,
        const starfmm::Points<2>& targets,
        std::size_t n_checked
    )
        : kernel(kind), which(starfmm::random_targets(targets.size(), n_checked, 3)),
          exact(starfmm::direct_sum(kind, sources, strengths, targets, which)) {
        starfmm::Points<2> some;
        for (const std::size_t target : which) {
            some.x[0].push_back(targets.x[0][target]);
            some.x[1].push_back(targets.x[1][target]);
        }
        starfmm::PlanOptions options;
        options.method = starfmm::Method::direct;
        starfmm::Plan direct(runtime, kernel_set(), sources, some, options);
        const starfmm::Potentials potentials = direct.evaluate(strengths);
        for (std::size_t i = 0; i < which.size(); ++i) {
            plain.push_back(error(potentials, i, i));
        }
    }

    [[nodiscard]] starfmm::KernelSet& kernel_set() const {
        return kernel == starfmm::KernelKind::harmonic
                   ? starfmm::kernel_set<starfmm::Harmonic<double, false>>()
                   : starfmm::kernel_set<starfmm::Log<double>>();
    }

    [[nodiscard]] long double
    error(const starfmm::Potentials& potentials, std::size_t at, std::size_t i) const {
        const double im = potentials.im.empty() ? 0 : potentials.im[at];
        return std::hypot(potentials.re[at] - exact.re[i], im - exact.im[i]);
    }

    [[nodiscard]] long double value(std::size_t i) const {
        return std::hypot(exact.re[i], exact.im[i]);
    }
};

/// How a sum meets a tolerance.
struct Verdict {
    double worst = 0;         ///< largest error over tolerance where double precision can meet it
    double worst_excused = 0; ///< largest error over rounding where it cannot
    std::size_t excused = 0;  ///< targets (log: sums) that it cannot
};

/// The rounding of any sum in double precision: each of its terms is rounded 8 times (difference,
/// square, reciprocal, products), which the summands' magnitudes bound; and a direct sum's own
/// error shows what additions cost.
inline long double sum_rounding(long double magnitude, long double plain) {
    return std::max(8 * 0x1p-53L * magnitude, plain);
}

inline void judge(
    Verdict& verdict, long double error, long double tolerated, long double rounding, int stages
) {
    if (rounding > tolerated) {
        ++verdict.excused;
        // an expansion is rounded like a pair by each of its operators
        const long double allowed = rounding * stages;
        verdict.worst_excused =
            std::max(verdict.worst_excused, static_cast<double>(error / allowed));
    } else if (error > 0) {
        const long double ratio = error / tolerated;
        verdict.worst = std::max(
            verdict.worst,
            std::isfinite(ratio) ? static_cast<double>(ratio)
                                 : std::numeric_limits<double>::infinity()
        );
    }
}

/// Harmonic sums: every target's relative error. Logarithmic ones cross zero: the L2 norm's.
inline Verdict judge(
    const Reference& reference, const starfmm::Potentials& potentials, double tolerance, int levels
) {
    Verdict verdict;
    const int stages = 3 + 2 * levels; // P2M, M2L, L2P; a shift up and one down a level
    long double squares[4] = {};
    for (std::size_t i = 0; i < reference.which.size(); ++i) {
        const long double error = reference.error(potentials, reference.which[i], i);
        const long double magnitude = reference.exact.magnitude[i];
        const long double value = reference.value(i);
        const long double plain = reference.plain[i];
        if (reference.kernel == starfmm::KernelKind::harmonic) {
            judge(verdict, error, tolerance * value, sum_rounding(magnitude, plain), stages);
        }
        squares[0] += error * error;
        squares[1] += value * value;
        squares[2] += magnitude * magnitude;
        squares[3] += plain * plain;
    }
    if (reference.kernel == starfmm::KernelKind::log) {
        const long double rounding = sum_rounding(std::sqrt(squares[2]), std::sqrt(squares[3]));
        judge(verdict, std::sqrt(squares[0]), tolerance * std::sqrt(squares[1]), rounding, stages);
    }
    return verdict;
}
