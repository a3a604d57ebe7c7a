// SPDX-License-Identifier: BSD-3-Clause
// Real solid harmonics and their series are evaluated here in extended precision, from their
// definition. Nothing is shared with the library but the order of coefficients.
#pragma once

#include "core/expansions/kernels3d.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

using Extended = starfmm::Vector3<long double>;

template <class Real>
Extended extended(const starfmm::Vector3<Real>& v) {
    return {v.x, v.y, v.z};
}

inline long double norm(const Extended& v) {
    return std::hypot(v.x, v.y, v.z);
}

/// Returns C_n^m(v) and S_n^m(v), 0 <= m <= n < p, in the order of SolidIndex, by the recurrences
/// of Legendre's functions without their normalization: numbers up to 80! have room here.
inline std::vector<long double> exact_harmonics(int p, const Extended& v) {
    std::vector<long double> out(static_cast<std::size_t>(p) * static_cast<std::size_t>(p));
    const long double r2 = v.x * v.x + v.y * v.y + v.z * v.z;
    std::complex<long double> diagonal = 1; // (2m - 1)!! (x + i y)^m
    for (int m = 0; m < p; ++m) {
        std::complex<long double> before = 0;
        std::complex<long double> here = diagonal;
        // square of the norm: (2 - [m = 0]) (n - m)! / (n + m)!
        long double square = m == 0 ? 1 : 2;
        for (int i = 2; i <= 2 * m; ++i) {
            square /= i;
        }
        for (int n = m; n < p; ++n) {
            out[starfmm::SolidIndex::cos(n, m)] = std::sqrt(square) * here.real();
            if (m > 0) {
                out[starfmm::SolidIndex::sin(n, m)] = std::sqrt(square) * here.imag();
            }
            square *= static_cast<long double>(n + 1 - m) / (n + 1 + m);
            const auto along = static_cast<long double>(2 * n + 1) * v.z * here;
            const auto next = along - static_cast<long double>(n + m) * r2 * before;
            before = here;
            here = next / static_cast<long double>(n + 1 - m);
        }
        diagonal *= static_cast<long double>(2 * m + 1) * std::complex{v.x, v.y};
    }
    return out;
}

/// Returns the value of a local expansion, or of a multipole, at `v` relative to the centre of its
/// box.
template <class Real>
long double exact_local(int p, const std::vector<Real>& b, double radius, const Extended& v) {
    const auto harmonics = exact_harmonics(p, (1 / static_cast<long double>(radius)) * v);
    long double sum = 0;
    for (std::size_t i = 0; i < harmonics.size(); ++i) {
        sum += b[i] * harmonics[i];
    }
    return sum;
}

template <class Real>
long double exact_multipole(int p, const std::vector<Real>& a, double radius, const Extended& v) {
    const long double r = norm(v);
    const long double scale = static_cast<long double>(radius) / (r * r);
    return exact_local(p, a, 1, scale * v) / r;
}

/// Returns the gradient by differences of fourth order over steps h, of a function that changes on
/// a scale of 1.
template <class Function>
Extended finite_differences(const Function& f, const Extended& v, long double h) {
    std::array<long double, 3> slope{};
    for (int d = 0; d < 3; ++d) {
        const auto at = [&](int steps) {
            Extended moved = v;
            (d == 0 ? moved.x : d == 1 ? moved.y : moved.z) += steps * h;
            return f(moved);
        };
        slope[d] = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
    }
    return {slope[0], slope[1], slope[2]};
}

/// Seeded points and coefficients.
template <class Real>
class SolidDraws {
public:
    using Vector = starfmm::Vector3<Real>;

    explicit SolidDraws(std::uint64_t seed) : engine_(seed) {}

    double number() { return uniform_(engine_); }

    /// Draws a number in [0, 1).
    double share() { return 0.5 * (1 + number()); }

    /// Draws a point that is uniform in the unit ball.
    Extended in_ball() {
        for (;;) {
            const Extended v{number(), number(), number()};
            if (norm(v) <= 1) {
                return v;
            }
        }
    }

    Extended direction() {
        const Extended v = in_ball();
        return (1 / norm(v)) * v;
    }

    /// Draws coefficients in [-1, 1].
    std::vector<Real> coefficients(int p) {
        std::vector<Real> out(static_cast<std::size_t>(p) * static_cast<std::size_t>(p));
        for (Real& c : out) {
            c = static_cast<Real>(number());
        }
        return out;
    }

    static Vector rounded(const Extended& v) {
        return {static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z)};
    }

private:
    std::mt19937_64 engine_;
    std::uniform_real_distribution<double> uniform_{-1, 1};
};

/// Directions along the axes, both ways, and along none of them.
inline const std::array<Extended, 8> solid_directions{
    {{0, 0, 1},
     {0, 0, -1},
     {1, 0, 0},
     {-1, 0, 0},
     {0, 1, 0},
     {0, -1, 0},
     {0.48L, 0.6L, 0.64L},
     {-0.36L, 0.48L, -0.8L}}};
