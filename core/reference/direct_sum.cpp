// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/direct_sum.hpp"

#include "core/complex.hpp"
#include "core/error.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/check_indices.hpp"
#include "core/reference/error_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <unordered_set>

namespace starfmm {

namespace {

using Real = long double; // its range makes squares of all doubles representable

/// Exact potential of one target, summed up.
struct Sum {
    Complex<Real> potential{0, 0};
    Real magnitude = 0;
};

void add_harmonic(Sum& sum, const Complex<Real>& d, Real square, const Complex<Real>& q) {
    const Real inverse = 1 / square;
    sum.potential += inverse * (q * conj(d));
    sum.magnitude += std::sqrt(norm(q) * inverse);
}

void add_log(Sum& sum, Real square, const Complex<Real>& q) {
    const Real logarithm = std::log(square) / 2;
    sum.potential += logarithm * q;
    sum.magnitude += std::abs(logarithm) * std::sqrt(norm(q));
}

template <KernelKind kernel>
Sum sum_over_sources(const Points<2>& sources, const Strengths& strengths, double x, double y) {
    Sum sum;
    const bool is_complex = strengths.is_complex();
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const Complex<Real> d{Real(sources.x[0][j]) - x, Real(sources.x[1][j]) - y};
        const Real square = norm(d);
        if (square == 0) {
            continue;
        }
        const Complex<Real> q{strengths.re[j], is_complex ? Real(strengths.im[j]) : Real(0)};
        if constexpr (kernel == KernelKind::harmonic) {
            add_harmonic(sum, d, square, q);
        } else {
            add_log(sum, square, q);
        }
    }
    return sum;
}

void check_sizes(const Points<2>& sources, const Strengths& strengths) {
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

} // namespace

DirectSum direct_sum(
    KernelKind kernel,
    const Points<2>& sources,
    const Strengths& strengths,
    const Points<2>& targets,
    const std::vector<std::size_t>& which
) {
    check_sizes(sources, strengths);
    check_indices(which, targets.size(), "targets");
    const std::size_t n = which.size();
    DirectSum result{std::vector<Real>(n), std::vector<Real>(n), std::vector<Real>(n)};
    const auto sum_one = kernel == KernelKind::harmonic ? sum_over_sources<KernelKind::harmonic>
                                                        : sum_over_sources<KernelKind::log>;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < n; ++i) {
        const Sum sum = sum_one(sources, strengths, targets.x[0][which[i]], targets.x[1][which[i]]);
        result.re[i] = sum.potential.re;
        result.im[i] = sum.potential.im;
        result.magnitude[i] = sum.magnitude;
    }
    return result;
}

Potentials harmonic_of_gradient(const Potentials& potentials) {
    Potentials harmonic{potentials.gradient[0], potentials.gradient[1], {}};
    for (double& x : harmonic.re) {
        x = -x;
    }
    return harmonic;
}

ErrorNorms compare(
    const Potentials& potentials, const DirectSum& exact, const std::vector<std::size_t>& which
) {
    check_indices(which, potentials.size(), "potentials");
    if (exact.re.size() != which.size() || exact.im.size() != which.size()) {
        throw InputError(
            std::to_string(exact.re.size()) + " exact values for " + std::to_string(which.size()) +
            " targets: must be equal"
        );
    }
    double max_rel = 0;
    Real sum_error = 0;
    Real sum_exact = 0;
    for (std::size_t i = 0; i < which.size(); ++i) {
        const std::size_t target = which[i];
        const Real re = potentials.re[target];
        const Real im = potentials.im.empty() ? Real(0) : Real(potentials.im[target]);
        const Real error = norm(Complex<Real>{re - exact.re[i], im - exact.im[i]});
        const Real size = norm(Complex<Real>{exact.re[i], exact.im[i]});
        max_rel = std::max(max_rel, error_ratio(std::sqrt(error), std::sqrt(size)));
        sum_error += error;
        sum_exact += size;
    }
    return {max_rel, error_ratio(std::sqrt(sum_error), std::sqrt(sum_exact)), which.size()};
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
