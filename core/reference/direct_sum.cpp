// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/direct_sum.hpp"

#include "core/complex.hpp"
#include "core/error.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/check_indices.hpp"
#include "core/reference/error_ratio.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <unordered_set>

namespace starfmm {

namespace {

using Real = ExactKernel::Real;

template <std::size_t D>
Real square_of(const std::array<Real, D>& d) {
    Real sum = 0;
    for (const Real each : d) {
        sum += each * each;
    }
    return sum;
}

void check_dimension(const PointsRef& points, int dimension, const std::string& what) {
    if (points.dimension() != dimension) {
        throw InputError(
            what + ": of " + std::to_string(points.dimension()) + " dimensions: must be of " +
            std::to_string(dimension)
        );
    }
}

void check_sizes(const PointsRef& sources, const StrengthsRef& strengths) {
    const std::size_t n = sources.size();
    const bool is_complex = strengths.is_complex();
    if (strengths.size() != n || (is_complex && strengths.im.size() != n)) {
        throw InputError(
            "strengths: " + std::to_string(strengths.size()) + " real and " +
            std::to_string(strengths.im.size()) + " imaginary parts for " + std::to_string(n) +
            " sources: must be equal (or no imaginary parts)"
        );
    }
}

void check_counts(std::size_t n_exact, std::size_t n_targets) {
    if (n_exact != n_targets) {
        throw InputError(
            std::to_string(n_exact) + " exact values for " + std::to_string(n_targets) +
            " targets: must be equal"
        );
    }
}

/// The squares of one target's error and of its exact value.
struct Squares {
    Real error;
    Real exact;
};

template <class SquaresOf>
ErrorNorms norms_of(std::size_t n, const SquaresOf& squares_of) {
    double max_rel = 0;
    Squares sum{0, 0};
    for (std::size_t i = 0; i < n; ++i) {
        const Squares squares = squares_of(i);
        max_rel =
            std::max(max_rel, error_ratio(std::sqrt(squares.error), std::sqrt(squares.exact)));
        sum.error += squares.error;
        sum.exact += squares.exact;
    }
    return {max_rel, error_ratio(std::sqrt(sum.error), std::sqrt(sum.exact)), n};
}

/// The sources that act on one target, with their strengths.
struct ActingSources {
    std::vector<std::vector<double>> x;
    Strengths strengths;

    ActingSources(
        const PointsRef& sources,
        const StrengthsRef& all,
        const PairFilter& acts,
        std::size_t target
    )
        : x(sources.x.size()) {
        for (std::size_t j = 0; j < sources.size(); ++j) {
            if (!acts(target, j)) {
                continue;
            }
            for (std::size_t d = 0; d < x.size(); ++d) {
                x[d].push_back(sources.x[d][j]);
            }
            strengths.re.push_back(all.re[j]);
            if (all.is_complex()) {
                strengths.im.push_back(all.im[j]);
            }
        }
    }
};

/// Returns the coordinates of each point's box, dimension by dimension.
std::vector<std::vector<std::int32_t>>
boxes_of(const PointsRef& points, const std::vector<double>& corner, double side, int height) {
    const double n_boxes = std::ldexp(1.0, height);
    std::vector<std::vector<std::int32_t>> boxes(points.x.size());
    for (std::size_t d = 0; d < points.x.size(); ++d) {
        for (const double x : points.x[d]) {
            const double at = (x - corner[d]) * (n_boxes / side);
            boxes[d].push_back(static_cast<std::int32_t>(std::min(at, n_boxes - 1)));
        }
    }
    return boxes;
}

} // namespace

PairFilter near_pairs(const PointsRef& sources, const PointsRef& targets, int height) {
    std::vector<double> corner;
    double side = 0;
    for (std::size_t d = 0; d < sources.x.size(); ++d) {
        const auto [low, high] = std::ranges::minmax(sources.x[d]);
        const auto [lowest, highest] = std::ranges::minmax(targets.x[d]);
        corner.push_back(std::min(low, lowest));
        side = std::max(side, std::max(high, highest) - corner.back());
    }
    side = side > 0 ? side : 1;
    return [from = boxes_of(sources, corner, side, height),
            to = boxes_of(targets, corner, side, height)](std::size_t target, std::size_t source) {
        for (std::size_t d = 0; d < from.size(); ++d) {
            if (std::abs(from[d][source] - to[d][target]) > 1) {
                return false;
            }
        }
        return true;
    };
}

DirectSum direct_sum(
    const ExactKernel& kernel,
    const PointsRef& sources,
    const StrengthsRef& strengths,
    const PointsRef& targets,
    const std::vector<std::size_t>& which,
    const PairFilter& acts
) {
    check_dimension(sources, kernel.dimension, "sources");
    check_dimension(targets, kernel.dimension, "targets");
    check_sizes(sources, strengths);
    check_indices(which, targets.size(), "targets");
    const std::size_t n = which.size();
    DirectSum result{std::vector<Real>(n), std::vector<Real>(n), std::vector<Real>(n)};
    const bool has_gradient = kernel.n_values > 2;
    for (int d = 0; has_gradient && d < kernel.dimension; ++d) {
        result.gradient[d].resize(n);
    }
    result.gradient_magnitude.resize(has_gradient ? n : 0);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < n; ++i) {
        std::array<Real, 3> target{};
        for (int d = 0; d < kernel.dimension; ++d) {
            target[d] = targets.x[d][which[i]];
        }
        const auto sum_over = [&](const PointsRef& some, const StrengthsRef& their) {
            return kernel.sum(kernel.parameters, target.data(), some, their);
        };
        ExactSum sum;
        if (acts) {
            const ActingSources acting(sources, strengths, acts, which[i]);
            sum = sum_over(PointsRef(acting.x), acting.strengths);
        } else {
            sum = sum_over(sources, strengths);
        }
        const bool is_complex = kernel.n_values == 2;
        result.re[i] = sum.re[0] - (is_complex ? sum.im[1] : 0);
        result.im[i] = sum.im[0] + (is_complex ? sum.re[1] : 0);
        result.magnitude[i] = sum.magnitude;
        if (has_gradient) {
            result.gradient_magnitude[i] = sum.gradient_magnitude;
        }
        for (int d = 0; has_gradient && d < kernel.dimension; ++d) {
            result.gradient[d][i] = sum.re[1 + d];
        }
    }
    return result;
}

ErrorNorms compare(
    const Potentials& potentials, const DirectSum& exact, const std::vector<std::size_t>& which
) {
    check_indices(which, potentials.size(), "potentials");
    check_counts(exact.re.size(), which.size());
    check_counts(exact.im.size(), which.size());
    return norms_of(which.size(), [&](std::size_t i) {
        const Real re = potentials.re[which[i]];
        const Real im = potentials.im.empty() ? Real(0) : Real(potentials.im[which[i]]);
        return Squares{
            norm(Complex<Real>{re - exact.re[i], im - exact.im[i]}),
            norm(Complex<Real>{exact.re[i], exact.im[i]})};
    });
}

ErrorNorms compare_gradient(
    const Potentials& potentials, const DirectSum& exact, const std::vector<std::size_t>& which
) {
    const std::size_t dimension = exact.gradient[2].empty() && !which.empty() ? 2 : 3;
    for (std::size_t c = 0; c < dimension; ++c) {
        check_indices(which, potentials.gradient[c].size(), "gradients");
        check_counts(exact.gradient[c].size(), which.size());
    }
    return norms_of(which.size(), [&](std::size_t i) {
        std::array<Real, 3> error{};
        std::array<Real, 3> size{};
        for (std::size_t c = 0; c < dimension; ++c) {
            size[c] = exact.gradient[c][i];
            error[c] = Real(potentials.gradient[c][which[i]]) - size[c];
        }
        return Squares{square_of(error), square_of(size)};
    });
}

std::vector<std::size_t> random_targets(std::size_t m, std::size_t k, std::uint64_t seed) {
    std::vector<std::size_t> all;
    if (k >= m) {
        all.resize(m);
        std::iota(all.begin(), all.end(), std::size_t(0));
        return all;
    }
    // Floyd's sampling: every subset is equally likely, in O(k) however large m is.
    std::mt19937_64 engine(seed);
    std::unordered_set<std::size_t> chosen;
    for (std::size_t last = m - k; last < m; ++last) {
        const auto index =
            static_cast<std::size_t>(uniform01(engine) * static_cast<double>(last + 1));
        chosen.insert(chosen.contains(index) ? last : index);
    }
    all.assign(chosen.begin(), chosen.end());
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace starfmm
