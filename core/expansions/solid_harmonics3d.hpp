// SPDX-License-Identifier: BSD-3-Clause
// Expansions of harmonic functions of space in real solid harmonics [GD08 Sec 2.2].
//
// C_n^m and S_n^m, 0 <= m <= n, are Schmidt's:
//
//   r^n sqrt((2 - [m = 0]) (n-m)! / (n+m)!) P_n^m(cos theta) times cos(m phi) or sin(m phi).
//
// None exceeds r^n, those of one degree turn into each other by orthogonal matrices, and for |y| <
// |x|
//
//   1 / |x - y| = sum_n sum_m |x|^-(2n+1) (C_n^m(x) C_n^m(y) + S_n^m(x) S_n^m(y)).
#pragma once

#include "core/expansions/expansion.hpp"
#include "core/expansions/solid_tables.hpp"

#include <utility>

#ifdef __CUDACC__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675 // nvcc knows no pragma of GCC
#endif

namespace starfmm {

namespace detail {

/// A size that the compiler knows, or, if `constant` is negative, does not know.
template <int constant>
struct Size {
    int value;

    STARFMM_HOST_DEVICE constexpr int operator()() const {
        return constant >= 0 ? constant : value;
    }
};

/// Calls use(Size) with `size` if it is one of `known`, which the compiler makes a switch of.
template <class Use, int... known>
[[gnu::always_inline]] inline void
with_one_of(int size, const Use& use, std::integer_sequence<int, known...> /*sizes*/) {
    const bool is_known = ((size == known && (use(Size<known>{known}), true)) || ...);
    if (!is_known) {
        use(Size<-1>{size});
    }
}

/// Calls use(Size) with `size`; a GPU has one code for all sizes, since one for each would not fit.
template <class Use>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void with_size(int size, const Use& use) {
#ifdef __CUDA_ARCH__
    use(Size<-1>{size});
#else
    with_one_of(size, use, std::make_integer_sequence<int, 21>());
#endif
}

/// Sets out[i] = sum_j matrix[i][j] x[j] for `n_rows` rows at once, whose sums are independent.
template <int n_rows, int columns, class T, class Real>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
multiply_rows(Size<columns> n_columns, const Real* matrix, int stride, const T* x, T* out) {
    T sum[n_rows];
    for (int i = 0; i < n_rows; ++i) {
        const int begin = i * stride;
        sum[i] = T(matrix[begin]) * x[0];
    }
    const auto add_column = [&](int j) __attribute__((always_inline)) {
#pragma GCC unroll 8
        for (int i = 0; i < n_rows; ++i) {
            sum[i] = Arithmetic<T>::multiply_add(T(matrix[i * stride + j]), x[j], sum[i]);
        }
    };
    if constexpr (columns >= 0) {
#pragma GCC unroll 32
        for (int j = 1; j < columns; ++j) {
            add_column(j);
        }
    } else {
        const int end = n_columns();
        for (int j = 1; j < end; ++j) {
            add_column(j);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < n_rows; ++i) {
        out[i] = sum[i];
    }
}

inline constexpr int rows_at_once = 8;

template <int rows, int columns, class T, class Real>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
multiply_constant(const Real* matrix, int stride, const T* x, T* out) {
    constexpr int n = rows < rows_at_once ? rows : rows_at_once;
    if constexpr (n > 0) {
        multiply_rows<n>(Size<columns>{columns}, matrix, stride, x, out);
        multiply_constant<rows - n, columns>(matrix + n * stride, stride, x, out + n);
    }
}

/// Sets out = matrix x for at least one column.
template <int rows, int columns, class T, class Real>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void multiply(
    Size<rows> n_rows, Size<columns> n_columns, const Real* matrix, int stride, const T* x, T* out
) {
    if constexpr (rows >= 0) {
        multiply_constant<rows, columns>(matrix, stride, x, out);
    } else {
        int i = 0;
        for (; i + rows_at_once <= n_rows(); i += rows_at_once) {
            multiply_rows<rows_at_once>(n_columns, matrix + i * stride, stride, x, out + i);
        }
        for (; i + 2 <= n_rows(); i += 2) {
            multiply_rows<2>(n_columns, matrix + i * stride, stride, x, out + i);
        }
        if (i < n_rows()) {
            multiply_rows<1>(n_columns, matrix + i * stride, stride, x, out + i);
        }
    }
}

/// Does what multiply does for a square matrix, never inlined.
template <int n, class T, class Real>
[[gnu::noinline]] STARFMM_HOST_DEVICE void
multiply_square(Size<n> size, const Real* matrix, int stride, const T* x, T* out) {
    multiply(size, size, matrix, stride, x, out);
}

} // namespace detail

/// Returns the root mean square of what expansions of `order` degrees leave out of 1 / |x - y|,
/// relative to 1 / d, over points x and y anywhere in two cubes of one size whose balls, at distance
/// d, just satisfy the theta criterion [GE12 Eq 2.1] (docs/numerics.md). It takes O(max_degrees^2).
[[nodiscard]] double solid_error(int order, double theta);

/// Returns the least order whose sums meet a relative tolerance in the mean square, and whose
/// gradients meet 30 times that, or max_degrees + 1 if none does: solid_error is at most 0.4 of the
/// tolerance, which lattices reach; most distributions stay below a tenth of it.
[[nodiscard]] int solid_order(double tolerance, double theta);

/// Returns the root mean square of what expansions of `order` degrees leave out of the sum of
/// 1 / |x - y| over far cubes of one size, two or three sides apart, relative to that sum's, over
/// points anywhere in the cubes, if M2L takes all degrees. The errors are measured
/// (docs/numerics.md); ctest solid_order measures them anew.
/// \param order in [1, max_degrees]
[[nodiscard]] double solid_neighbours_error(int order);

/// Returns the least order whose solid_neighbours_error is at most 0.225 of a tolerance, or
/// max_degrees + 1 if none is.
[[nodiscard]] int solid_neighbours_order(double tolerance);

/// Returns the mean square over directions of what expansions of `order` degrees leave out of
/// 1 / |x - y|, in units of 1 / d^2, for points x and y of two boxes whose centres are d apart, in
/// O(order).
/// \param source2,target2 squares of the points' distances from their centres, over d^2; the
/// distances' sum is below d
[[nodiscard]] double solid_square_left_out(int order, double source2, double target2);

/// The place and strength of a source for the regular harmonics of a unit ball.
template <class T>
struct SolidSource {
    Vector3<T> at;
    T strength;
};

/// Two turns that bring a shift to the z axis, each followed by the exchange of x and z. The first
/// turn, about z, brings the shift into the plane x = 0, of which the exchange makes z = 0; the
/// second brings it to the x axis.
template <class T>
struct SolidTurns {
    T inverse; ///< inverse of the distance; 0 without a shift
    T distance;
    Complex<T> first;
    Complex<T> second;

    STARFMM_HOST_DEVICE explicit SolidTurns(const Vector3<T>& shift) {
        const T squared = square(shift);
        inverse = Arithmetic<T>::reciprocal_sqrt_or_zero(squared);
        distance = squared * inverse;
        const Vector3<T> unit = inverse * shift;
        const T flat = Arithmetic<T>::multiply_add(unit.x, unit.x, unit.y * unit.y);
        const T inverse_flat = Arithmetic<T>::reciprocal_sqrt_or_zero(flat);
        // a shift along z, or none, is turned by no angle
        const T upright = one_if_zero(inverse_flat);
        first = {upright + inverse_flat * unit.y, inverse_flat * unit.x};
        second = {one_if_zero(inverse) + unit.z, -(flat * inverse_flat)};
    }

private:
    STARFMM_HOST_DEVICE static T one_if_zero(const T& x) { return zero_if_greater(T(1), x, T(0)); }
};

/// What kernels over real solid harmonics share. With R the radius of the box and c its centre:
///
///   multipole  M(x) = sum_{n < p} R^n / |x - c|^(2n+1) (a_nm C_n^m(x - c) + a'_nm S_n^m(x - c))
///   local      L(x) = sum_{n < p} R^-n (b_nm C_n^m(x - c) + b'_nm S_n^m(x - c))
///
/// Arrays hold p^2 real coefficients in the order of SolidIndex; those of a multipole have the unit
/// of strengths. A translation turns the expansion until the shift lies along z, where degrees mix
/// only within one m, and back: O(p^3) [GD08 Sec 2.2.2]. One point costs O(p^2).
template <class R>
struct SolidHarmonics3D {
    using Real = R;
    using Translations = SolidHarmonics3D; ///< translations of kernels that replace none
    template <class T>
    using Coefficient = T;
    template <class T>
    using Box = Frame<T, 3>;

    static constexpr int dimension = 3;
    static constexpr int most_coefficients = max_degrees * max_degrees;
    static constexpr int largest_order = max_degrees;

    /// Whether the first coefficients alone are the expansion of lower order, and a pair converges
    /// like its rho^p.
    static constexpr bool truncates_by_distance = true;

    static double square_left_out(int order, double source2, double target2) {
        return solid_square_left_out(order, source2, target2);
    }

    /// Whether cubes of one size can meet by plane waves (core/expansions/plane_waves.hpp).
    static constexpr bool has_plane_waves = true;

    /// The terms besides those that rho asks for: solid_error falls at the rate rho, but the factor
    /// before it is the larger the fewer terms there are.
    static constexpr float terms_besides = 1.5F;

    /// The least error in epsilons: sums of random sign over n near points lose about sqrt(n) / 4
    /// epsilons, and one leaf has 1e5 points at worst.
    static constexpr double reach_in_roundings = 80;

    STARFMM_HOST_DEVICE static int n_coefficients(int order) { return order * order; }

    /// Returns a source as a unit ball's multipole sees it, whose coefficients are strength
    /// C_n^m(at).
    template <class T>
    STARFMM_HOST_DEVICE static SolidSource<T>
    multipole_source(const Box<T>& box, const Vector3<T>& source, const T& q) {
        return {(T(1) / box.radius) * (source - box.centre), q};
    }

    /// Returns a source as a unit ball's local expansion sees it, by inversion at the sphere of
    /// radius sqrt(R).
    template <class T>
    STARFMM_HOST_DEVICE static SolidSource<T>
    local_source(const Box<T>& box, const Vector3<T>& source, const T& q) {
        const Vector3<T> s = source - box.centre;
        const T inverse = Arithmetic<T>::reciprocal_sqrt(square(s));
        return {(box.radius * inverse * inverse) * s, q * inverse};
    }

    /// Adds the multipole of a source, q R^-n C_n^m(s).
    template <class T>
    STARFMM_HOST_DEVICE static void p2m(int p, Box<T> box, Vector3<T> source, T q, T* a) {
        const SolidSource<T> unit = multipole_source(box, source, q);
        add_harmonics(p, unit.at, unit.strength, a);
    }

    /// Adds the local expansion of a source, q R^n |s|^-(2n+1) C_n^m(s).
    template <class T>
    STARFMM_HOST_DEVICE static void p2l(int p, Box<T> box, Vector3<T> source, T q, T* b) {
        const SolidSource<T> mirrored = local_source(box, source, q);
        add_harmonics(p, mirrored.at, mirrored.strength, b);
    }

    /// Adds the multipole of a child to its parent's.
    template <class T>
    STARFMM_HOST_DEVICE static void m2m(int p, Box<T> child, const T* a, Box<T> parent, T* out) {
        const T inverse = T(1) / parent.radius;
        const Alignment<T> along(p, inverse * (child.centre - parent.centre));
        T one[max_degrees];
        T shrink[max_degrees];
        T shift[max_degrees];
        powers(p, T(1), T(1), one);
        powers(p, T(1), child.radius * inverse, shrink);
        powers(p, T(1), along.distance, shift);
        const auto& matrices = constant_table<AxialShift<Real>>();
        const auto column_of = [&](int m, const T* x, T* out) {
            const Real* matrix = matrices.entry + matrices.begin(m);
            for (int n = 0; n < p - m; ++n) {
                T sum = x[n];
                for (int j = 0; j < n; ++j) {
                    const T entry = T(matrix[n * matrices.stride(m) + j]);
                    sum = Arithmetic<T>::multiply_add(entry * shift[n - j], x[j], sum);
                }
                out[n] = sum;
            }
        };
        translate(p, along, {a, shrink, one}, column_of, out);
    }

    /// Adds the local expansion of a parent to its child's.
    template <class T>
    STARFMM_HOST_DEVICE static void l2l(int p, Box<T> parent, const T* b, Box<T> child, T* out) {
        const T inverse = T(1) / parent.radius;
        const Alignment<T> along(p, inverse * (child.centre - parent.centre));
        T one[max_degrees];
        T shrink[max_degrees];
        T shift[max_degrees];
        powers(p, T(1), T(1), one);
        powers(p, T(1), child.radius * inverse, shrink);
        powers(p, T(1), along.distance, shift);
        const auto& matrices = constant_table<AxialShift<Real>>();
        const auto column_of = [&](int m, const T* x, T* out) {
            const Real* matrix = matrices.entry + matrices.begin(m);
            for (int j = 0; j < p - m; ++j) {
                T sum = x[j];
                for (int n = j + 1; n < p - m; ++n) {
                    const T entry = T(matrix[n * matrices.stride(m) + j]);
                    sum = Arithmetic<T>::multiply_add(entry * shift[n - j], x[n], sum);
                }
                out[j] = sum;
            }
        };
        translate(p, along, {b, one, shrink}, column_of, out);
    }

    /// Adds the multipole of a well separated source box to the local expansion of a target box.
    template <class T>
    STARFMM_HOST_DEVICE static void m2l(int p, Box<T> source, const T* a, Box<T> target, T* b) {
        m2l_truncated(p, T(Real(p)), source, a, target, b);
    }

    /// Does what m2l does with degrees below `terms` <= p only; SIMD batches have a number for each
    /// lane.
    template <class T>
    STARFMM_HOST_DEVICE static void
    m2l_truncated(int p, T terms, Box<T> source, const T* a, Box<T> target, T* b) {
        const Alignment<T> along(p, target.centre - source.centre);
        T outgoing[max_degrees];
        T incoming[max_degrees];
        powers(p, T(1), source.radius * along.inverse, outgoing);
        powers(p, along.inverse, target.radius * along.inverse, incoming);
        for (int n = 0; n < p; ++n) {
            outgoing[n] = zero_if_greater(outgoing[n], T(Real(n + 1)), terms);
            incoming[n] = zero_if_greater(incoming[n], T(Real(n + 1)), terms);
        }
        const auto& matrices = constant_table<AxialM2L<Real>>();
        const auto column_of = [&](int m, const T* x, T* out) {
            const Real* matrix = matrices.entry + matrices.begin(m);
            detail::with_size(p - m, [&](auto size) {
                detail::multiply_square(size, matrix, matrices.stride(m), x, out);
            });
        };
        translate(p, along, {a, outgoing, incoming}, column_of, b);
    }

    /// Returns the value of a local expansion at a point in its ball.
    template <class T, class C>
    STARFMM_HOST_DEVICE static T evaluate_local(int p, Box<T> box, const C* b, Vector3<T> target) {
        return evaluate(p, b, (T(1) / box.radius) * (target - box.centre));
    }

    /// Returns the value of a multipole at a point outside its ball.
    template <class T, class C>
    STARFMM_HOST_DEVICE static T
    evaluate_multipole(int p, Box<T> box, const C* a, Vector3<T> target) {
        const Vector3<T> d = target - box.centre;
        const T inverse = Arithmetic<T>::reciprocal_sqrt(square(d));
        return inverse * evaluate(p, a, (box.radius * inverse * inverse) * d);
    }

    /// Returns the value and the gradient of a local expansion at a point in its ball.
    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    differentiate_local(int p, Box<T> box, const C* b, Vector3<T> target) {
        const T inverse = T(1) / box.radius;
        WithGradient<T, 3> sum{T(0), {T(0), T(0), T(0)}};
        visit_harmonics(p, inverse * (target - box.centre), [&](int n, int m, T c, T s) {
            add_product(b, n, m, c, s, sum.potential);
            add_gradient(local_terms(p, b, n, m), c, s, sum.gradient);
        });
        sum.gradient = inverse * sum.gradient;
        return sum;
    }

    /// The contributions of C_n^m and S_n^m, but for SolidColumns' scale, to a local expansion's
    /// potential, or to that and its gradient.
    template <int n_sums, class C>
    struct alignas(2 * sizeof(C)) Terms {
        C of[n_sums][2]; ///< factors of the cosine and the sine
    };

    STARFMM_HOST_DEVICE static constexpr int n_harmonics(int order) {
        return order * (order + 1) / 2;
    }

    /// Returns the terms of harmonic (n, m) in a local expansion of p degrees.
    /// \tparam n_sums  1, or 4 with the gradient by coordinates in radii
    template <int n_sums, class C>
    STARFMM_HOST_DEVICE static Terms<n_sums, C> derive_terms(int p, const C* b, int n, int m) {
        const C scale(constant_table<SolidColumns<Real>>().scale[m][n]);
        Terms<n_sums, C> terms;
        const auto set = [&](int i, const C& of_cos, const C& of_sin) {
            terms.of[i][0] = scale * of_cos;
            terms.of[i][1] = scale * of_sin;
        };
        set(0, b[SolidIndex::cos(n, m)], m > 0 ? b[SolidIndex::sin(n, m)] : C(0));
        if constexpr (n_sums == 4) {
            const GradientTerms<C> gradient = local_terms(p, b, n, m);
            set(1, gradient.x.cos, gradient.x.sin);
            set(2, gradient.y.cos, gradient.y.sin);
            set(3, gradient.z.cos, gradient.z.sin);
        }
        return terms;
    }

    /// SolidColumns' A_n^m at a point for one m, degree by degree from m on.
    template <class T>
    class Column {
    public:
        STARFMM_HOST_DEVICE explicit Column(const Vector3<T>& v) : z_(v.z), r2_(square(v)) {}

        STARFMM_HOST_DEVICE const T& here() const { return here_; }

        /// Begins the next m.
        STARFMM_HOST_DEVICE void restart() {
            before_ = T(0);
            here_ = T(1);
        }

        /// Goes on to the next degree.
        /// \param back  SolidColumns' of the degree to come
        STARFMM_HOST_DEVICE void advance(const T& back) {
            const T next = z_ * here_ - (back * r2_) * before_;
            before_ = here_;
            here_ = next;
        }

    private:
        T z_;
        T r2_;
        T before_ = T(0);
        T here_ = T(1);
    };

    /// Sets sums to the sum of terms times harmonics, in O(p^2).
    /// \param term_at  term_at(k), the Terms of harmonic k, ordered by m, then by n
    /// \param back_at  back_at(k, n, m), SolidColumns' of degree n, which follows harmonic k
    template <int n_sums, class T, class TermAt, class BackAt>
    STARFMM_HOST_DEVICE static void sum_terms(
        int p, const Vector3<T>& v, const TermAt& term_at, const BackAt& back_at, T (&sums)[n_sums]
    ) {
        using A = Arithmetic<T>;
        const Complex<T> flat{v.x, v.y};
        Complex<T> turned{T(1), T(0)}; // (x + i y)^m
        Column<T> column(v);
        for (T& sum : sums) {
            sum = T(0);
        }
        int k = 0;
        for (int m = 0; m < p; ++m) {
            T cosines[n_sums];
            T sines[n_sums];
            for (int i = 0; i < n_sums; ++i) {
                cosines[i] = sines[i] = T(0);
            }
            for (int n = m; n < p; ++n, ++k) {
                const auto terms = term_at(k);
                const T here = column.here();
                column.advance(T(back_at(k, n + 1, m)));
                for (int i = 0; i < n_sums; ++i) {
                    cosines[i] = A::multiply_add(T(terms.of[i][0]), here, cosines[i]);
                    sines[i] = A::multiply_add(T(terms.of[i][1]), here, sines[i]);
                }
            }
            for (int i = 0; i < n_sums; ++i) {
                sums[i] = A::multiply_add(turned.re, cosines[i], sums[i]);
                sums[i] = A::multiply_add(turned.im, sines[i], sums[i]);
            }
            turned = turned * flat;
            column.restart();
        }
    }

    /// The number of coefficients that differentiate_derived takes instead of a local expansion's:
    /// Terms.
    STARFMM_HOST_DEVICE static int n_derived(int order) { return 8 * n_harmonics(order); }

    /// Derives the Terms of a local expansion once for all targets of its box, in O(order^2).
    /// \param out  [n_derived(order)]
    template <class C>
    STARFMM_HOST_DEVICE static void derive_local(int p, const C* b, C* out) {
        for (int m = 0; m < p; ++m) {
            for (int n = m; n < p; ++n) {
                const Terms<4, C> terms = derive_terms<4>(p, b, n, m);
                for (const auto& pair : terms.of) {
                    *out++ = pair[0];
                    *out++ = pair[1];
                }
            }
        }
    }

    /// Does what differentiate_local does, from the Terms of derive_local.
    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    differentiate_derived(int p, Box<T> box, const C* derived, Vector3<T> target) {
        const T inverse = T(1) / box.radius;
        const auto& columns = constant_table<SolidColumns<Real>>();
        const auto term_at = [&](int k) {
            Terms<4, C> terms;
            for (int i = 0; i < 4; ++i) {
                terms.of[i][0] = derived[8 * k + 2 * i];
                terms.of[i][1] = derived[8 * k + 2 * i + 1];
            }
            return terms;
        };
        const auto back_at = [&](int, int n, int m) { return columns.back[m][n]; };
        T sums[4];
        sum_terms(p, inverse * (target - box.centre), term_at, back_at, sums);
        return {sums[0], inverse * Vector3<T>{sums[1], sums[2], sums[3]}};
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    differentiate_multipole(int p, Box<T> box, const C* a, Vector3<T> target) {
        const Vector3<T> d = target - box.centre;
        const T inverse = Arithmetic<T>::reciprocal_sqrt(square(d));
        WithGradient<T, 3> sum{T(0), {T(0), T(0), T(0)}};
        const Vector3<T> mirrored = (box.radius * inverse * inverse) * d;
        visit_harmonics(p + 1, mirrored, [&](int n, int m, T c, T s) {
            if (n < p) {
                add_product(a, n, m, c, s, sum.potential);
            }
            if (n > 0) {
                add_gradient(multipole_terms(a, n, m), c, s, sum.gradient);
            }
        });
        return {inverse * sum.potential, (inverse / box.radius) * sum.gradient};
    }

    /// Calls visit(n, m, C_n^m(v), S_n^m(v)), S_n^0 = 0, for degrees n < p <= max_degrees + 1.
    template <class T, class Visit>
    STARFMM_HOST_DEVICE static void
    visit_harmonics(int p, const Vector3<T>& v, const Visit& visit) {
        const auto& table = constant_table<SolidRecurrence<Real>>();
        const T r2 = square(v);
        Complex<T> diagonal{T(1), T(0)};
        for (int m = 0; m < p; ++m) {
            if (m > 0) {
                const Complex<T> flat{v.x, v.y};
                diagonal = T(table.diagonal[m]) * (diagonal * flat);
            }
            Complex<T> before{T(0), T(0)};
            Complex<T> here = diagonal;
            visit(m, m, here.re, here.im);
            for (int n = m + 1; n < p; ++n) {
                const T along = T(table.along[m][n]) * v.z;
                const T back = T(table.back[m][n]) * r2;
                const Complex<T> next = along * here - back * before;
                before = here;
                here = next;
                visit(n, m, here.re, here.im);
            }
        }
    }

    /// Sets `out` to the expansion that the exchange of x and z makes of `a`; the map is its own
    /// inverse.
    template <class T>
    STARFMM_HOST_DEVICE static void exchange_x_and_z(int p, const T* a, T* out) {
        const Real* matrices = constant_table<AxisExchange<Real>>().entry;
        for (int degree = 0; degree < p; ++degree) {
            detail::with_size(degree, [&](auto n) {
                Alignment<T>::exchange(n, matrices, a + n() * n(), out + n() * n());
            });
            matrices += AxisExchange<Real>::size(degree);
        }
    }

private:
    /// The coefficients of a cosine and its sine.
    template <class C>
    struct Pair {
        C cos, sin;
    };

    /// The contributions of C_n^m and S_n^m to each component of a gradient.
    template <class C>
    struct GradientTerms {
        Pair<C> x, y, z;
    };

    /// Returns the harmonics of degree n in the gradient of a local expansion of p degrees, which
    /// come from its degree n + 1, if it has that.
    template <class C>
    STARFMM_HOST_DEVICE static GradientTerms<C> local_terms(int p, const C* b, int n, int m) {
        const int from = n + 1;
        if (from == p) {
            return {};
        }
        const Real* root = constant_table<SquareRoots<Real>>().entry;
        return gradient_terms<C>(
            m,
            weighted(root[from + m + 1] * root[from + m], coefficients(b, from, m + 1)),
            weighted(root[from - m + 1] * root[from - m], coefficients(b, from, m - 1)),
            weighted(root[from - m] * root[from + m], coefficients(b, from, m))
        );
    }

    /// Sets out_n = scale base^n for n < p.
    template <class T>
    STARFMM_HOST_DEVICE static void powers(int p, T scale, T base, T* out) {
        for (int n = 0; n < p; ++n) {
            out[n] = scale;
            scale = scale * base;
        }
    }

    /// Coefficients that are to be translated, and the factors of each degree before and after
    /// that.
    template <class T>
    struct Weighted {
        const T* coefficients;
        const T* before;
        const T* after;
    };

    /// Coefficients with those of one m side by side, the one of degree n at n: cosines of m are in
    /// row 2 m, sines in the row before.
    template <class T>
    struct Columns {
        static constexpr int stride = max_degrees + 1; // no power of two, which caches map badly
        T entry[2 * max_degrees * stride];

        STARFMM_HOST_DEVICE T* cos(int m) { return entry + 2 * m * stride; }

        STARFMM_HOST_DEVICE T* sin(int m) { return entry + (2 * m - 1) * stride; }

        /// Takes the coefficients of degree n, times a factor.
        [[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
        put(int n, const T* a, const T& factor) {
            visit(n, [&](int i, int at) { entry[at] = factor * a[i]; });
        }

        [[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
        get(int n, const T& factor, T* a) const {
            visit(n, [&](int i, int at) { a[i] = factor * entry[at]; });
        }

    private:
        /// Calls use(i, at) for the coefficients of degree n, counted within the degree.
        template <class Use>
        [[gnu::always_inline]] STARFMM_HOST_DEVICE static inline void visit(int n, const Use& use) {
            const int cos_odd = SolidIndex::n_cos_even(n);
            const int sin_even = cos_odd + SolidIndex::n_odd(n);
            const int sin_odd = sin_even + SolidIndex::n_sin_even(n);
            visit_row(0, cos_odd, n, use);
            visit_row(cos_odd, sin_even, n + 2 * stride, use);
            visit_row(sin_even, sin_odd, n + 3 * stride, use);
            visit_row(sin_odd, 2 * n + 1, n + stride, use);
        }

        template <class Use>
        [[gnu::always_inline]] STARFMM_HOST_DEVICE static inline void
        visit_row(int begin, int end, int at, const Use& use) {
            for (int i = begin; i < end; ++i) {
                use(i, at);
                at += 4 * stride;
            }
        }
    };

    /// The cosines and sines of an angle's multiples, even ones and odd ones.
    template <class T>
    struct Angles {
        Complex<T> even[max_degrees / 2 + 1]; ///< multiples 0, 2, 4...
        Complex<T> odd[max_degrees / 2 + 1];  ///< multiples 1, 3, 5...

        STARFMM_HOST_DEVICE void set(int p, const Complex<T>& angle) {
            const Complex<T> twice = angle * angle;
            even[0] = {T(1), T(0)};
            odd[0] = angle;
            for (int i = 1; 2 * i < p; ++i) {
                even[i] = twice * even[i - 1];
                odd[i] = twice * odd[i - 1];
            }
        }
    };

    /// The coordinates in which a shift lies along z. Turns multiply pairs of coefficients; the
    /// exchange has one matrix for all shifts.
    template <class T>
    class Alignment {
    public:
        T inverse; ///< inverse of the distance; 0 without a shift
        T distance;

        STARFMM_HOST_DEVICE Alignment(int p, const Vector3<T>& shift) {
            const SolidTurns<T> turns(shift);
            inverse = turns.inverse;
            distance = turns.distance;
            first_.set(p, turns.first);
            second_.set(p, turns.second);
        }

        /// Sets `out` to `from` in the coordinates in which the shift lies along z, times the
        /// factors of its degrees.
        STARFMM_HOST_DEVICE void turn(int p, const Weighted<T>& from, Columns<T>& out) const {
            const Real* matrices = constant_table<AxisExchange<Real>>().entry;
            for (int degree = 0; degree < p; ++degree) {
                detail::with_size(
                    degree,
                    [&](auto n) __attribute__((always_inline)) {
                        T turned[2 * max_degrees - 1];
                        T exchanged[2 * max_degrees - 1];
                        turn_degree<1>(n(), first_, from.coefficients + n() * n(), turned);
                        exchange(n, matrices, turned, exchanged);
                        turn_degree<1>(n(), second_, exchanged, turned);
                        exchange(n, matrices, turned, exchanged);
                        out.put(n(), exchanged, from.before[n()]);
                    }
                );
                matrices += AxisExchange<Real>::size(degree);
            }
        }

        /// Adds `x`, in the original coordinates and times the factors of its degrees, to `out`.
        STARFMM_HOST_DEVICE void
        turn_back(int p, const Columns<T>& x, const T* factors, T* out) const {
            const Real* matrices = constant_table<AxisExchange<Real>>().entry;
            for (int degree = 0; degree < p; ++degree) {
                detail::with_size(
                    degree,
                    [&](auto n) __attribute__((always_inline)) {
                        T turned[2 * max_degrees - 1];
                        T exchanged[2 * max_degrees - 1];
                        x.get(n(), factors[n()], turned);
                        exchange(n, matrices, turned, exchanged);
                        turn_degree<-1>(n(), second_, exchanged, turned);
                        exchange(n, matrices, turned, exchanged);
                        turn_degree<-1>(n(), first_, exchanged, turned);
                        T* own = out + n() * n();
                        for (int i = 0; i <= 2 * n(); ++i) {
                            own[i] = own[i] + turned[i];
                        }
                    }
                );
                matrices += AxisExchange<Real>::size(degree);
            }
        }

        /// Exchanges x and z in one degree. Code unrolled for many degrees must fit into the cache
        /// of instructions, so that the larger degrees are not inlined.
        template <int degree>
        [[gnu::always_inline]] STARFMM_HOST_DEVICE static inline void
        exchange(detail::Size<degree> n, const Real* matrix, const T* a, T* out) {
            if constexpr (degree >= 0 && degree < 8) {
                exchange_degree(n, matrix, a, out);
            } else {
                exchange_apart(n, matrix, a, out);
            }
        }

    private:
        /// Turns one degree by the angle, or by its opposite.
        template <int sign>
        [[gnu::always_inline]] STARFMM_HOST_DEVICE static inline void
        turn_degree(int n, const Angles<T>& angles, const T* a, T* out) {
            const int cos_odd = SolidIndex::n_cos_even(n);
            const int sin_even = cos_odd + SolidIndex::n_odd(n);
            const int sin_odd = sin_even + SolidIndex::n_sin_even(n);
            out[0] = a[0];
            for (int i = 0; i < SolidIndex::n_sin_even(n); ++i) {
                turn_pair<sign>(
                    angles.even[i + 1], a + i + 1, a + sin_even + i, out + i + 1, out + sin_even + i
                );
            }
            for (int i = 0; i < SolidIndex::n_odd(n); ++i) {
                turn_pair<sign>(
                    angles.odd[i],
                    a + cos_odd + i,
                    a + sin_odd + i,
                    out + cos_odd + i,
                    out + sin_odd + i
                );
            }
        }

        template <int sign>
        [[gnu::always_inline]] STARFMM_HOST_DEVICE static inline void
        turn_pair(const Complex<T>& angle, const T* c, const T* s, T* out_c, T* out_s) {
            if constexpr (sign > 0) {
                *out_c = angle.re * *c - angle.im * *s;
                *out_s = angle.re * *s + angle.im * *c;
            } else {
                *out_c = angle.re * *c + angle.im * *s;
                *out_s = angle.re * *s - angle.im * *c;
            }
        }

        template <int degree>
        [[gnu::noinline]] STARFMM_HOST_DEVICE static void
        exchange_apart(detail::Size<degree> n, const Real* matrix, const T* a, T* out) {
            exchange_degree(n, matrix, a, out);
        }

        template <int degree>
        [[gnu::always_inline]] STARFMM_HOST_DEVICE static inline void
        exchange_degree(detail::Size<degree> of, const Real* matrix, const T* a, T* out) {
            constexpr bool is_constant = degree >= 0;
            const int n = of();
            const detail::Size<is_constant ? SolidIndex::n_cos_even(degree) : -1> cos_even{
                SolidIndex::n_cos_even(n)};
            const detail::Size<is_constant ? SolidIndex::n_odd(degree) : -1> odd{
                SolidIndex::n_odd(n)};
            const detail::Size<is_constant ? SolidIndex::n_sin_even(degree) : -1> sin_even{
                SolidIndex::n_sin_even(n)};
            const int first_odd = cos_even();
            const int first_sin = first_odd + odd();
            const int first_sin_odd = first_sin + sin_even();
            const auto block = [&](auto rows, int first, auto columns, int from)
                __attribute__((always_inline)) {
                if (rows() > 0) {
                    detail::multiply(rows, columns, matrix, columns(), a + from, out + first);
                    matrix += rows() * columns();
                }
            };
            if (n % 2 == 1) { // cosines change places with cosines
                block(cos_even, 0, odd, first_odd);
                block(odd, first_odd, cos_even, 0);
                block(sin_even, first_sin, sin_even, first_sin);
                block(odd, first_sin_odd, odd, first_sin_odd);
            } else { // sines with sines
                block(cos_even, 0, cos_even, 0);
                block(odd, first_odd, odd, first_odd);
                block(sin_even, first_sin, odd, first_sin_odd);
                block(odd, first_sin_odd, sin_even, first_sin);
            }
        }

        Angles<T> first_;
        Angles<T> second_;
    };

    /// Adds the translation of `from` along a shift to `out`.
    /// \param column_of column_of(m, x, y) translates the coefficients x of one m, of the degrees
    /// m to p - 1
    template <class T, class Column>
    STARFMM_HOST_DEVICE static void translate(
        int p, const Alignment<T>& along, const Weighted<T>& from, const Column& column_of, T* out
    ) {
        Columns<T> x;
        Columns<T> y;
        along.turn(p, from, x);
        for (int m = 0; m < p; ++m) {
            column_of(m, x.cos(m) + m, y.cos(m) + m);
            if (m > 0) {
                column_of(m, x.sin(m) + m, y.sin(m) + m);
            }
        }
        along.turn_back(p, y, from.after, out);
    }

    template <class T>
    STARFMM_HOST_DEVICE static void add_harmonics(int p, const Vector3<T>& v, const T& q, T* out) {
        visit_harmonics(p, v, [&](int n, int m, const T& c, const T& s) {
            T& cosine = out[SolidIndex::cos(n, m)];
            cosine = Arithmetic<T>::multiply_add(q, c, cosine);
            if (m > 0) {
                T& sine = out[SolidIndex::sin(n, m)];
                sine = Arithmetic<T>::multiply_add(q, s, sine);
            }
        });
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T evaluate(int p, const C* a, const Vector3<T>& v) {
        T sum(0);
        visit_harmonics(p, v, [&](int n, int m, const T& c, const T& s) {
            add_product(a, n, m, c, s, sum);
        });
        return sum;
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static void
    add_product(const C* a, int n, int m, const T& c, const T& s, T& sum) {
        sum = Arithmetic<T>::multiply_add(T(a[SolidIndex::cos(n, m)]), c, sum);
        if (m > 0) {
            sum = Arithmetic<T>::multiply_add(T(a[SolidIndex::sin(n, m)]), s, sum);
        }
    }

    /// Returns the coefficients of (n, m), zero where there are none.
    template <class C>
    STARFMM_HOST_DEVICE static Pair<C> coefficients(const C* a, int n, int m) {
        if (m < 0 || m > n) {
            return {C(0), C(0)};
        }
        return {a[SolidIndex::cos(n, m)], m > 0 ? a[SolidIndex::sin(n, m)] : C(0)};
    }

    /// Returns the terms of harmonics with order m, from coefficients with orders m + 1 and m - 1,
    /// times their weights, and with m itself.
    template <class C>
    STARFMM_HOST_DEVICE static GradientTerms<C>
    gradient_terms(int m, Pair<C> above, Pair<C> below, Pair<C> same) {
        const C root_half(Real(0.70710678118654752440));
        const C half(Real(0.5));
        if (m == 0) {
            return {{root_half * above.cos, C(0)}, {root_half * above.sin, C(0)}, same};
        }
        const C lower = m == 1 ? root_half : half;
        return {
            {half * above.cos - lower * below.cos, half * above.sin - lower * below.sin},
            {half * above.sin + lower * below.sin, -(half * above.cos + lower * below.cos)},
            same};
    }

    template <class C>
    STARFMM_HOST_DEVICE static Pair<C> weighted(Real weight, const Pair<C>& pair) {
        return {C(weight) * pair.cos, C(weight) * pair.sin};
    }

    /// Returns the harmonics of degree n >= 1 in the gradient of a multipole, which come from its
    /// degree n - 1.
    template <class C>
    STARFMM_HOST_DEVICE static GradientTerms<C> multipole_terms(const C* a, int n, int m) {
        const Real* root = constant_table<SquareRoots<Real>>().entry;
        const int from = n - 1;
        const Real above = m < from ? root[from - m] * root[from - m + 1] : Real(0);
        return gradient_terms<C>(
            m,
            weighted(above, coefficients(a, from, m + 1)),
            weighted(root[from + m] * root[from + m + 1], coefficients(a, from, m - 1)),
            weighted(-root[n - m] * root[n + m], coefficients(a, from, m))
        );
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static void
    add_gradient(const GradientTerms<C>& terms, const T& c, const T& s, Vector3<T>& sum) {
        add_pair(terms.x, c, s, sum.x);
        add_pair(terms.y, c, s, sum.y);
        add_pair(terms.z, c, s, sum.z);
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static void add_pair(const Pair<C>& pair, const T& c, const T& s, T& sum) {
        sum = Arithmetic<T>::multiply_add(T(pair.cos), c, sum);
        sum = Arithmetic<T>::multiply_add(T(pair.sin), s, sum);
    }
};

} // namespace starfmm

#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif
