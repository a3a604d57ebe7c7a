// SPDX-License-Identifier: BSD-3-Clause
// The plainest loop sums softened gravity here, in double precision [MTM13 Eq 1].
#pragma once

#include "core/particles/bodies.hpp"

#include <cmath>
#include <cstddef>

/// Accelerations and potentials of all bodies, as starfmm::GravityTree gives them.
struct PlainGravity {
    double g = 1;
    double epsilon = 0;
    int calls = 0;

    void operator()(const starfmm::Bodies& bodies, starfmm::Accelerations& out) {
        ++calls;
        const std::size_t n = bodies.size();
        out.potential.assign(n, 0.0);
        for (auto& component : out.a) {
            component.assign(n, 0.0);
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                if (i != j) {
                    add_pair(bodies, i, j, out);
                }
            }
        }
    }

private:
    void add_pair(
        const starfmm::Bodies& bodies, std::size_t i, std::size_t j, starfmm::Accelerations& out
    ) const {
        double d[3];
        double square = epsilon * epsilon;
        for (int c = 0; c < 3; ++c) {
            d[c] = bodies.x[c][j] - bodies.x[c][i];
            square += d[c] * d[c];
        }
        const double inverse = 1 / std::sqrt(square);
        out.potential[i] -= g * bodies.mass[j] * inverse;
        for (int c = 0; c < 3; ++c) {
            out.a[c][i] += g * bodies.mass[j] * d[c] * inverse * inverse * inverse;
        }
    }
};
