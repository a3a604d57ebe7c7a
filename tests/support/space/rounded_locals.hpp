// SPDX-License-Identifier: BSD-3-Clause
// L2P of kernels that evaluate local expansions in single precision is compared with L2P in double.
#pragma once

#include "core/expansions/kernels3d.hpp"
#include "tests/support/space/space_run.hpp"

#include <cmath>

/// Largest difference of a component of the results, over the component's largest magnitude.
inline double
largest_difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
    double largest = 0;
    for (std::size_t first = 0; first < a.size(); first += n) {
        double magnitude = 0;
        double difference = 0;
        for (std::size_t i = first; i < first + n; ++i) {
            magnitude = std::max(magnitude, std::abs(b[i]));
            difference = std::max(difference, std::abs(a[i] - b[i]));
        }
        largest = std::max(largest, difference / magnitude);
    }
    return largest;
}

/// Makes random coefficients that fall as those of far sources do.
inline std::vector<double> falling_coefficients(const Scene<starfmm::Laplace<double>>& scene) {
    const auto n = static_cast<std::size_t>(scene.n_coefficients());
    std::vector<double> locals = Random(5).numbers<double>(scene.no_coefficients().size(), -1, 1);
    for (std::size_t i = 0; i < locals.size(); ++i) {
        const double degree = std::floor(std::sqrt(static_cast<double>(i % n)));
        locals[i] *= std::pow(0.6, degree);
    }
    return locals;
}

/// Checks L2P of a kernel that rounds.
/// \tparam BufferSet Buffers, or a GPU's
/// \tparam Mixed kernel that rounds
/// \tparam Double kernel that it rounds
template <class BufferSet, class Mixed, class Double>
void check_rounded_locals(
    const starfmm::KernelBodies& rounding, const starfmm::KernelBodies& in_double
) {
    static_assert(starfmm::rounds_locals<Mixed> && !starfmm::rounds_locals<Double>);
    for (const int order : {1, 2, 7, 14, 17, 24}) {
        CAPTURE(order);
        SpaceRun<BufferSet, Mixed> mixed(rounding, Scene<Mixed>(2, 2000, order));
        SpaceRun<BufferSet, Double> exact(in_double, Scene<Double>(2, 2000, order));
        const auto locals = falling_coefficients(Scene<starfmm::Laplace<double>>(2, 2000, order));
        for (const double unit : {1.0, 1e-120, 1e140}) { // far beyond single precision's range
            CAPTURE(unit);
            auto scaled = locals;
            for (double& coefficient : scaled) {
                coefficient *= unit;
            }
            // some thirty roundings of 6e-8
            const auto found = mixed.l2p(scaled);
            CHECK(largest_difference(found, exact.l2p(scaled), mixed.scene.n()) < 2e-6);
        }
        const std::vector<double> none(locals.size());
        CHECK(mixed.l2p(none) == std::vector<double>(mixed.scene.no_values().size()));
    }
}

template <class BufferSet, class Bodies>
void check_rounded_locals(const Bodies& bodies_of) {
    using starfmm::Laplace;
    using starfmm::LaplaceGradient;
    using starfmm::MixedLaplace;
    using starfmm::MixedLaplaceGradient;
    check_rounded_locals<BufferSet, MixedLaplace, Laplace<double>>(
        bodies_of(MixedLaplace{}), bodies_of(Laplace<double>{})
    );
    check_rounded_locals<BufferSet, MixedLaplaceGradient, LaplaceGradient<double>>(
        bodies_of(MixedLaplaceGradient{}), bodies_of(LaplaceGradient<double>{})
    );
}
