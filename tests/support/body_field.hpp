// SPDX-License-Identifier: BSD-3-Clause
// A field of bodies is made here for separations by own errors.
#pragma once

#include "codelets/tree/powers.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

/// Makes masses, potentials and components of accelerations, over four orders of magnitude.
template <int D>
std::vector<std::vector<double>> body_field(std::size_t n) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(-2, 2);
    std::vector<std::vector<double>> parts(starfmm::n_field_parts<D>, std::vector<double>(n));
    for (std::vector<double>& part : parts) {
        for (double& value : part) {
            value = std::pow(10, exponent(random));
        }
    }
    return parts;
}
