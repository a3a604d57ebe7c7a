// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/image.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace starfmm {

namespace {

using Colour = std::array<double, 3>;

/// Colours from nothing to the greatest mass; lightness grows evenly, so that a grey print reads as
/// well.
constexpr std::array<Colour, 5> colours{
    {{0, 0, 4}, {81, 18, 124}, {183, 55, 121}, {252, 137, 97}, {252, 253, 239}}};

constexpr double decades = 3;
constexpr double share_in_view = 0.95;

/// \param t in [0, 1]
Colour colour(double t) {
    const double position = t * (colours.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(position), colours.size() - 2);
    const double weight = position - static_cast<double>(below);
    Colour mixed{};
    for (std::size_t c = 0; c < mixed.size(); ++c) {
        mixed[c] = (1 - weight) * colours[below][c] + weight * colours[below + 1][c];
    }
    return mixed;
}

/// The next of ..., 1, 2, 5, 10, 20, 50, ... that is not below `value` > 0.
double rounded_up(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= value) {
            return factor * power;
        }
    }
    return 10 * power;
}

/// (1 4 6 4 1) / 16 along lines of `n` pixels, `stride` apart; nothing beyond the edges.
void smooth_line(double* line, int n, std::ptrdiff_t stride) {
    constexpr std::array<double, 5> weights{1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};
    std::array<double, 5> window{};
    for (int i = -2; i < n; ++i) { // window: pixels i - 2 to i + 2
        std::rotate(window.begin(), window.begin() + 1, window.end());
        window.back() = i + 2 < n ? line[(i + 2) * stride] : 0;
        if (i >= 0) {
            double sum = 0;
            for (std::size_t k = 0; k < weights.size(); ++k) {
                sum += weights[k] * window[k];
            }
            line[i * stride] = sum;
        }
    }
}

void smooth(std::vector<double>& mass, int pixels) {
    for (int row = 0; row < pixels; ++row) {
        smooth_line(mass.data() + static_cast<std::ptrdiff_t>(row) * pixels, pixels, 1);
    }
    for (int column = 0; column < pixels; ++column) {
        smooth_line(mass.data() + column, pixels, pixels);
    }
}

} // namespace

double fitting_width(const Bodies& bodies) {
    std::vector<double> reach(bodies.size());
    for (std::size_t i = 0; i < reach.size(); ++i) {
        reach[i] = std::max(std::abs(bodies.x[0][i]), std::abs(bodies.x[1][i]));
    }
    if (reach.empty()) {
        return 1;
    }
    const auto inside =
        static_cast<std::ptrdiff_t>(share_in_view * static_cast<double>(reach.size() - 1));
    std::nth_element(reach.begin(), reach.begin() + inside, reach.end());
    const double half = reach[static_cast<std::size_t>(inside)];
    return half > 0 ? rounded_up(2 * half) : 1;
}

std::vector<double> projected_mass(const Bodies& bodies, double width, int pixels) {
    const double scale = pixels / width;
    std::vector<double> mass(static_cast<std::size_t>(pixels) * static_cast<std::size_t>(pixels));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double column = std::floor((bodies.x[0][i] + 0.5 * width) * scale);
        const double row = std::floor((0.5 * width - bodies.x[1][i]) * scale);
        if (column >= 0 && column < pixels && row >= 0 && row < pixels) {
            mass[static_cast<std::size_t>(row * pixels + column)] += bodies.mass[i];
        }
    }
    smooth(mass, pixels);
    return mass;
}

Image draw(const Bodies& bodies, double width, int pixels) {
    check_range("pixels", pixels, 16, 16384);
    check_range("width of the picture", width, 1e-100, 1e100);
    const std::vector<double> mass = projected_mass(bodies, width, pixels);
    const double greatest = *std::max_element(mass.begin(), mass.end());
    Image image{pixels, pixels, {}};
    image.rgb.reserve(3 * mass.size());
    for (const double m : mass) {
        const double t = m > 0 ? 1 + std::log10(m / greatest) / decades : 0;
        for (const double part : colour(std::clamp(t, 0.0, 1.0))) {
            image.rgb.push_back(static_cast<std::uint8_t>(std::lround(part)));
        }
    }
    return image;
}

} // namespace starfmm
