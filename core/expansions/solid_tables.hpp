// SPDX-License-Identifier: BSD-3-Clause
// Constant matrices of real solid harmonics, for the exchange of x and z and for translations along
// z.
#pragma once

#include "core/host_device.hpp"

#include <algorithm>

namespace starfmm {

/// The number of degrees of the longest expansion in solid harmonics.
inline constexpr int max_degrees = 40;

/// The places of the coefficients of one degree: those of even m come before those of odd m,
/// cosines before sines, so that what the exchange of x and z mixes is contiguous. Degree n begins
/// at n^2.
struct SolidIndex {
    STARFMM_HOST_DEVICE static constexpr int n_cos_even(int n) { return n / 2 + 1; }

    STARFMM_HOST_DEVICE static constexpr int n_odd(int n) { return (n + 1) / 2; }

    STARFMM_HOST_DEVICE static constexpr int n_sin_even(int n) { return n / 2; }

    /// Returns the place of C_n^m ~ cos(m phi), 0 <= m <= n.
    STARFMM_HOST_DEVICE static constexpr int cos(int n, int m) {
        return n * n + m / 2 + (m % 2) * n_cos_even(n);
    }

    /// Returns the place of S_n^m ~ sin(m phi), 1 <= m <= n.
    STARFMM_HOST_DEVICE static constexpr int sin(int n, int m) {
        return n * n + n_cos_even(n) + n_odd(n) + (m % 2 == 0 ? m / 2 - 1 : n_sin_even(n) + m / 2);
    }
};

namespace detail {

/// Returns the square root of x >= 0, correctly rounded but for the last bit. (std::sqrt is no
/// constant expression yet.)
constexpr double constant_sqrt(double x) {
    if (x <= 0) {
        return 0;
    }
    double scale = 1;
    while (x > 0x1p32) { // in few steps, which compilers take ten thousands of times
        x *= 0x1p-32;
        scale *= 0x1p16;
    }
    while (x > 4) {
        x /= 4;
        scale *= 2;
    }
    while (x < 1) {
        x *= 4;
        scale /= 2;
    }
    double y = 1 + (x - 1) / 2;
    for (int i = 0; i < 6; ++i) {
        y -= (y * y - x) / (2 * y);
    }
    return scale * y;
}

/// The binomial coefficients C(n, k), exact below 2^53 and rounded above.
struct Binomials {
    static constexpr int size = 2 * max_degrees;
    double choose[size][size] = {};

    constexpr Binomials() {
        for (int n = 0; n < size; ++n) {
            choose[n][0] = 1;
            for (int k = 1; k <= n; ++k) {
                choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k];
            }
        }
    }
};

inline constexpr Binomials binomials{};

/// The square matrices of all m, whose rows and columns are the degrees m to max_degrees - 1.
template <class Real>
struct AxialMatrices {
    static constexpr int size() {
        return max_degrees * (max_degrees + 1) * (2 * max_degrees + 1) / 6;
    }

    Real entry[size()] = {};

    /// Returns where the matrix of m begins.
    STARFMM_HOST_DEVICE static constexpr int begin(int m) {
        const int left = max_degrees - m;
        return size() - left * (left + 1) * (2 * left + 1) / 6;
    }

    /// Returns the distance from row to row in the matrix of m.
    STARFMM_HOST_DEVICE static constexpr int stride(int m) { return max_degrees - m; }
};

} // namespace detail

/// The translation of multipoles to a local expansion along z by a unit distance. With irregular
/// harmonics I_n^m about the origin [GD08 Eq 19],
///
/// I_n^m(z + t) = sum_j entry(m, j, n) C_j^m(t),
/// entry(m, j, n) = (-1)^(j+m) (n+j)! / sqrt((n-m)! (n+m)! (j-m)! (j+m)!).
template <class Real>
struct AxialM2L : detail::AxialMatrices<Real> {
    constexpr AxialM2L() {
        for (int m = 0; m < max_degrees; ++m) {
            Real* matrix = this->entry + this->begin(m);
            for (int j = m; j < max_degrees; ++j) {
                for (int n = m; n <= j; ++n) { // symmetric but for signs
                    const double square = detail::binomials.choose[n + j][n + m] *
                                          detail::binomials.choose[n + j][n - m];
                    const double root = detail::constant_sqrt(square);
                    matrix[(j - m) * this->stride(m) + n - m] =
                        static_cast<Real>((j + m) % 2 == 0 ? root : -root);
                    matrix[(n - m) * this->stride(m) + j - m] =
                        static_cast<Real>((n + m) % 2 == 0 ? root : -root);
                }
            }
        }
    }
};

/// The translation of regular harmonics along z by a unit distance:
///
/// C_n^m(t + z) = sum_{j <= n} entry(m, n, j) C_j^m(t),
/// entry(m, n, j) = sqrt(C(n-m, j-m) C(n+m, j+m)).
template <class Real>
struct AxialShift : detail::AxialMatrices<Real> {
    constexpr AxialShift() {
        for (int m = 0; m < max_degrees; ++m) {
            Real* matrix = this->entry + this->begin(m);
            for (int n = m; n < max_degrees; ++n) {
                for (int j = m; j <= n; ++j) {
                    const double square = detail::binomials.choose[n - m][j - m] *
                                          detail::binomials.choose[n + m][j + m];
                    matrix[(n - m) * this->stride(m) + j - m] =
                        static_cast<Real>(detail::constant_sqrt(square));
                }
            }
        }
    }
};

/// The exchange of x and z: f(z, y, x) for f = C_n^m or S_n^m, as four dense matrices a degree. By
/// its parities in x and z the exchange mixes neither cosines with sines nor all m: in even degrees
/// cosines keep the parity of m and sines change it, in odd degrees the reverse holds. The matrix
/// is orthogonal, symmetric and its own inverse.
template <class Real>
class AxisExchange {
public:
    /// Returns the number of entries of one degree: rows of even cosines, of odd cosines, of even
    /// sines and of odd sines.
    STARFMM_HOST_DEVICE static constexpr int size(int n) {
        const int even = SolidIndex::n_cos_even(n);
        const int odd = SolidIndex::n_odd(n);
        const int sines = SolidIndex::n_sin_even(n);
        return n % 2 == 0 ? even * even + odd * odd + 2 * sines * odd
                          : 2 * even * odd + sines * sines + odd * odd;
    }

    /// Returns the number of entries of degrees 0 to n - 1.
    STARFMM_HOST_DEVICE static constexpr int begin(int n) {
        int sum = 0;
        for (int i = 0; i < n; ++i) {
            sum += size(i);
        }
        return sum;
    }

    Real entry[begin(max_degrees)] = {};

    constexpr AxisExchange() {
        Degree before;
        before.cos[0][0] = 1;
        put(0, before, entry);
        for (int n = 1; n < max_degrees; ++n) {
            const Degree here = next(n, before);
            put(n, here, entry + begin(n));
            before = here;
        }
    }

private:
    /// The matrices of one degree: [row of m'][column of m].
    struct Degree {
        double cos[max_degrees][max_degrees] = {};
        double sin[max_degrees][max_degrees] = {};
    };

    /// The square roots that all entries of the recursion to degree n share.
    struct Weights {
        double up[max_degrees] = {};      ///< [m] factor of the term of m - 1
        double down[max_degrees] = {};    ///< [m] factor of the term of m + 1
        double divisor[max_degrees] = {}; ///< [k]

        explicit constexpr Weights(int n) {
            const double root_half = detail::constant_sqrt(0.5);
            for (int m = 0; m <= n; ++m) {
                up[m] =
                    (m == 1 ? root_half : 0.5) * detail::constant_sqrt(double(n + m) * (n + m - 1));
                down[m] =
                    (m == 0 ? root_half : 0.5) * detail::constant_sqrt(double(n - m) * (n - m - 1));
                divisor[m] = detail::constant_sqrt(double(n - m) * (n + m));
            }
        }
    };

    /// Returns the matrices of degree n. The derivative by z of f(z, y, x) is the derivative of f
    /// by x, exchanged, and both are known in harmonics of degree n - 1. So follow all rows below
    /// n; symmetry gives the others but one entry.
    static constexpr Degree next(int n, const Degree& before) {
        const Weights weights(n);
        Degree here;
        for (int m = 1; m <= n; ++m) {
            for (int k = 0; k <= (m < n ? m : n - 1); ++k) {
                here.cos[k][m] = here.cos[m][k] = by_derivative(n, k, m, weights, before.cos, 0);
                if (k > 0) {
                    here.sin[k][m] = here.sin[m][k] =
                        by_derivative(n, k, m, weights, before.sin, 1);
                }
            }
        }
        here.cos[0][0] = by_derivative(n, 0, 0, weights, before.cos, 0);
        double corner = 2; // of (z + i y)^n in (x + i y)^n
        for (int i = 0; i < n; ++i) {
            corner /= 2;
        }
        (n % 2 == 0 ? here.cos : here.sin)[n][n] = corner;
        return here;
    }

    static constexpr double by_derivative(
        int n,
        int k,
        int m,
        const Weights& weights,
        const double (&before)[max_degrees][max_degrees],
        int least_m
    ) {
        double sum = 0;
        if (m - 1 >= least_m) {
            sum += weights.up[m] * before[k][m - 1];
        }
        if (m + 1 < n) {
            sum -= weights.down[m] * before[k][m + 1];
        }
        return sum / weights.divisor[k];
    }

    static constexpr void put(int n, const Degree& degree, Real* out) {
        const bool is_odd = n % 2 == 1;
        out = put_block(n, degree.cos, 0, is_odd ? 1 : 0, out);
        out = put_block(n, degree.cos, 1, is_odd ? 0 : 1, out);
        out = put_block(n, degree.sin, 2, is_odd ? 2 : 1, out);
        put_block(n, degree.sin, 1, is_odd ? 1 : 2, out);
    }

    /// Puts the rows and columns of every other m.
    /// \returns where the next block begins
    static constexpr Real* put_block(
        int n,
        const double (&matrix)[max_degrees][max_degrees],
        int first_row,
        int first_column,
        Real* out
    ) {
        for (int row = first_row; row <= n; row += 2) {
            for (int column = first_column; column <= n; column += 2) {
                *out++ = static_cast<Real>(matrix[row][column]);
            }
        }
        return out;
    }
};

/// The square roots of i <= 2 max_degrees + 1.
template <class Real>
struct SquareRoots {
    Real entry[2 * max_degrees + 2] = {};

    constexpr SquareRoots() {
        for (int i = 0; i < 2 * max_degrees + 2; ++i) {
            entry[i] = static_cast<Real>(detail::constant_sqrt(i));
        }
    }
};

/// The factors of the recurrences C_n^m = along z C_(n-1)^m - back r^2 C_(n-2)^m, and of C_m^m from
/// C_(m-1)^(m-1).
template <class Real>
struct SolidRecurrence {
    /// The number of degrees, one more than expansions have, since gradients of multipoles take it.
    static constexpr int degrees = max_degrees + 1;

    Real along[degrees][degrees] = {}; ///< [m][n]
    Real back[degrees][degrees] = {};  ///< [m][n]
    Real diagonal[degrees] = {};       ///< [m]

    constexpr SolidRecurrence() {
        for (int m = 0; m < degrees; ++m) {
            diagonal[m] = m < 2 ? Real(1) : root(double(2 * m - 1) / (2 * m));
            for (int n = m + 1; n < degrees; ++n) {
                const double square = double(n - m) * (n + m);
                along[m][n] = static_cast<Real>((2 * n - 1) / detail::constant_sqrt(square));
                back[m][n] = root(double(n - 1 - m) * (n - 1 + m) / square);
            }
        }
    }

private:
    static constexpr Real root(double x) { return static_cast<Real>(detail::constant_sqrt(x)); }
};

/// The factors of harmonics by columns, whose A are real numbers that cosines and sines share:
///
/// C_n^m + i S_n^m = scale A_n^m (x + i y)^m,
/// A_m^m = 1,  A_n^m = z A_(n-1)^m - back r^2 A_(n-2)^m.
template <class Real>
struct SolidColumns {
    Real scale[max_degrees][max_degrees] = {};    ///< [m][n]
    Real back[max_degrees][max_degrees + 1] = {}; ///< [m][n]

    constexpr SolidColumns() {
        double diagonal = 1;
        for (int m = 0; m < max_degrees; ++m) {
            diagonal *= m < 2 ? 1.0 : detail::constant_sqrt(double(2 * m - 1) / (2 * m));
            double product = diagonal;
            scale[m][m] = static_cast<Real>(product);
            for (int n = m + 1; n < max_degrees; ++n) {
                product *= (2 * n - 1) / detail::constant_sqrt(double(n - m) * (n + m));
                scale[m][n] = static_cast<Real>(product);
            }
            for (int n = m + 2; n <= max_degrees; ++n) {
                const double square = double(n - 1 - m) * (n - 1 + m);
                back[m][n] = static_cast<Real>(square / (double(2 * n - 1) * (2 * n - 3)));
            }
        }
    }
};

namespace detail {

template <class Table>
inline constexpr Table host_table{};

#ifdef __CUDACC__
template <class Table>
static const __device__ Table device_table{}; // whole-program CUDA allows no other linkage
#endif

} // namespace detail

/// Returns any of the tables, in the memory where the caller runs.
template <class Table>
STARFMM_HOST_DEVICE inline const Table& constant_table() {
#ifdef __CUDA_ARCH__
    return detail::device_table<Table>;
#else
    return detail::host_table<Table>;
#endif
}

} // namespace starfmm
