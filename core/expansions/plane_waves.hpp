// SPDX-License-Identifier: BSD-3-Clause
// Plane waves in place of solid harmonics for M2L between cubes of one size, two or three sides
// apart along the z axis [GR97 Sec 3]: translations multiply each wave by a number.
//
// In units of the cubes' side a source box's field at r = x - c is, for r.z >= 3/2,
//
//   (1 / side) sum_k sum_j w_k 2 / M_k Re[W_kj exp(-l_k r.z + i l_k (r.x cos a_j + r.y sin a_j))],
//
// with a_j = 2 pi (j + 1/2) / M_k, j < M_k / 2: the waves of the other half circle are conjugates.
// Against the axis the field is the same sum with the multipole and the offsets mirrored at the
// origin.
#pragma once

#include "core/expansions/solid_harmonics3d.hpp"
#include "core/expansions/wave_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675 // nvcc knows no pragma of GCC
#endif

namespace starfmm {

/// The largest offset across the axis that phases are tabulated for.
inline constexpr int most_wave_offset = 3;
inline constexpr int wave_offsets = 2 * most_wave_offset + 1;

/// A few nodes of a rule, whose waves are treated together, since these fit into a cache.
struct WaveBand {
    int nodes;      ///< number of nodes
    int first_node; ///< index of the first node in the tables
    int waves;    ///< number of its nodes' waves, padded with none up to a multiple of wave_padding
    int degrees;  ///< number of degrees whose terms count in its nodes
    int orders;   ///< number of orders m whose terms count in its nodes
    int outgoing; ///< where its matrices begin: [m][parity of n][n][node of most_band_nodes]
    int incoming; ///< where the same matrices, times weights, begin
    int phases;   ///< where its phases begin: [offset y][offset x][re, im][wave]
    int decays;   ///< where its decays begin: [offset z, up to most_wave_offset][wave]
};

/// One node of a rule.
struct WaveNode {
    int angles; ///< M_k / 2, number of waves that are stored
    int first;  ///< index of its first wave in the band
    int orders; ///< number of orders m that take part
    /// Where its matrices begin: of even cosines, even sines, odd cosines, odd sines, each
    /// [angle][m].
    int forward;
    int back; ///< where the transposed matrices begin
};

/// The number of lanes of the widest batches.
inline constexpr int wave_padding = 16;

/// The most nodes in a band: as many sums of cosines and of sines as registers hold.
inline constexpr int most_band_nodes = 4;

/// The most waves that there is room for in a band and in a node.
inline constexpr int most_band_waves = 512;
inline constexpr int most_node_waves = 128;

/// The tables as an operator sees them, wherever they lie.
template <class Real>
struct WaveView {
    const WaveBand* bands;
    const WaveNode* nodes;
    const Real* entries;

    /// Returns the phases of an offset across the axis, |dx|, |dy| <= most_wave_offset:
    /// [re, im][wave].
    STARFMM_HOST_DEVICE const Real* phases(const WaveBand& band, int dx, int dy) const {
        const int at = (dy + most_wave_offset) * wave_offsets + dx + most_wave_offset;
        return entries + band.phases + at * 2 * band.waves;
    }

    /// Returns the decays of an offset along the axis, 0 <= dz <= most_wave_offset: [wave].
    STARFMM_HOST_DEVICE const Real* decays(const WaveBand& band, int dz) const {
        return entries + band.decays + dz * band.waves;
    }
};

/// All constants that a rule and an order have.
template <class Real>
struct WaveTables {
    int order = 0;
    int n_waves = 0; ///< number of waves stored in each direction
    std::vector<WaveBand> bands;
    std::vector<WaveNode> nodes;
    std::vector<Real> entries;

    [[nodiscard]] WaveView<Real> view() const {
        return {bands.data(), nodes.data(), entries.data()};
    }
};

/// Returns the tables of `rule` for expansions of `order` degrees, in bands of about `band_waves`.
/// \pre band_waves <= most_band_waves
template <class Real>
[[nodiscard]] WaveTables<Real> make_wave_tables(const WaveRule& rule, int order, int band_waves);

extern template WaveTables<float> make_wave_tables(const WaveRule&, int, int);
extern template WaveTables<double> make_wave_tables(const WaveRule&, int, int);

/// Returns the shortest rule whose largest error is at most 2.5 times a relative tolerance, or the
/// longest: sums then err no more than by M2L of the order for cubes (docs/numerics.md).
[[nodiscard]] WaveRule wave_rule(double tolerance);

/// The longest expansions whose sums plane waves are as good as.
inline constexpr int most_wave_order = 36;

/// The number of leaves below which launches and matrices take a GPU as long as turns of axes do.
inline constexpr std::size_t least_wave_leaves = 2000;

/// The least tolerance that waves in single precision meet: their roundings, 6e-8 each, add up to a
/// tenth of the tolerance.
inline constexpr double least_single_waves = 5e-7;

/// Whether waves meet a relative tolerance, expansions are not longer than waves allow, and the
/// multipole acceptance criterion separates cubes of one size with one between them, as waves take
/// for granted.
[[nodiscard]] bool are_plane_waves_apt(double tolerance, int order, double theta);

/// Returns the tables of wave_rule(tolerance), made once in a process.
template <class Real>
[[nodiscard]] const WaveTables<Real>& wave_tables(double tolerance, int order);

extern template const WaveTables<float>& wave_tables(double, int);
extern template const WaveTables<double>& wave_tables(double, int);

/// Returns how many orders m below `orders` are even, or odd; sines lack the first of the even
/// ones.
STARFMM_HOST_DEVICE constexpr int wave_columns(int orders, int parity, bool sines) {
    return parity == 1 ? orders / 2 : (orders + 1) / 2 - (sines ? 1 : 0);
}

/// Conversions between a box's expansion and its waves of one band, along the z axis and against
/// it. They take O(order^2 nodes + orders waves).
template <class Real>
class WaveConversion {
public:
    STARFMM_HOST_DEVICE WaveConversion(const WaveView<Real>& tables, const WaveBand& band)
        : tables_(tables), band_(band) {}

    /// Forms the waves of a multipole.
    /// \param a [order^2] multipole
    /// \param waves [along, against][re, im][wave of the band]; padding is set to zero
    template <class T>
    STARFMM_HOST_DEVICE void form(const T* a, T* waves) const {
        Sums<T> sums;
        const Real* matrix = tables_.entries + band_.outgoing;
        for (int m = 0; m < band_.orders; ++m) {
            for (int q = 0; q < 2; ++q) {
                matrix = add_degrees(matrix, a, m, q, sums);
            }
        }
        int end = 0;
        for (int k = 0; k < band_.nodes; ++k) {
            const WaveNode& node = tables_.nodes[band_.first_node + k];
            form_node(node, sums.of_node[k], waves + node.first);
            end = node.first + node.angles;
        }
        for (; end < band_.waves; ++end) {
            for (int part = 0; part < 4; ++part) {
                waves[part * band_.waves + end] = T(0);
            }
        }
    }

    /// Adds the expansion of waves about the centre of their box, but for a factor 1 / side, to
    /// `b`.
    /// \param waves [along, against][re, im][wave of the band], as form() writes them
    template <class T>
    STARFMM_HOST_DEVICE void receive(const T* waves, T* b) const {
        Sums<T> sums;
        for (int k = 0; k < band_.nodes; ++k) {
            const WaveNode& node = tables_.nodes[band_.first_node + k];
            receive_node(node, waves + node.first, sums.of_node[k]);
        }
        const Real* matrix = tables_.entries + band_.incoming;
        for (int m = 0; m < band_.orders; ++m) {
            for (int q = 0; q < 2; ++q) {
                matrix = add_orders(matrix, sums, m, q, b);
            }
        }
    }

private:
    static constexpr int half = max_degrees / 2;

    /// The sums over n of each node:
    ///
    /// [parity of n][even cosines, even sines, odd cosines, odd sines][m/2]
    template <class T>
    struct Sums {
        T of_node[most_band_nodes][8][half + 1];
    };

    static constexpr int nodes = most_band_nodes;

    /// Sums the cosines and the sines of order m over degrees of parity q.
    /// \returns where the next matrix begins
    template <class T>
    STARFMM_HOST_DEVICE const Real*
    add_degrees(const Real* matrix, const T* a, int m, int q, Sums<T>& sums) const {
        T cos[nodes];
        T sin[nodes];
        for (int k = 0; k < nodes; ++k) {
            cos[k] = T(0);
            sin[k] = T(0);
        }
        for (int n = m + (m + q) % 2; n < band_.degrees; n += 2, matrix += nodes) {
            const T c = a[SolidIndex::cos(n, m)];
            const T s = m > 0 ? a[SolidIndex::sin(n, m)] : c;
#pragma GCC unroll 4
            for (int k = 0; k < nodes; ++k) {
                const T factor(matrix[k]);
                cos[k] = Arithmetic<T>::multiply_add(factor, c, cos[k]);
                sin[k] = Arithmetic<T>::multiply_add(factor, s, sin[k]);
            }
        }
        const int at = 4 * q + 2 * (m % 2);
        for (int k = 0; k < nodes; ++k) {
            sums.of_node[k][at][m / 2] = cos[k];
            if (m > 0) {
                sums.of_node[k][at + 1][(m - 1) / 2] = sin[k];
            }
        }
        return matrix;
    }

    /// Adds to `b` by the transpose of the matrix that add_degrees() takes.
    template <class T>
    STARFMM_HOST_DEVICE const Real*
    add_orders(const Real* matrix, const Sums<T>& sums, int m, int q, T* b) const {
        const int at = 4 * q + 2 * (m % 2);
        T cos[nodes];
        T sin[nodes];
        for (int k = 0; k < nodes; ++k) {
            // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): receive_node() sets those
            cos[k] = k < band_.nodes ? sums.of_node[k][at][m / 2] : T(0);
            sin[k] = k < band_.nodes && m > 0 ? sums.of_node[k][at + 1][(m - 1) / 2] : T(0);
        }
        for (int n = m + (m + q) % 2; n < band_.degrees; n += 2, matrix += nodes) {
            T c = b[SolidIndex::cos(n, m)];
            T s = m > 0 ? b[SolidIndex::sin(n, m)] : T(0);
#pragma GCC unroll 4
            for (int k = 0; k < nodes; ++k) {
                const T factor(matrix[k]);
                c = Arithmetic<T>::multiply_add(factor, cos[k], c);
                s = Arithmetic<T>::multiply_add(factor, sin[k], s);
            }
            b[SolidIndex::cos(n, m)] = c;
            if (m > 0) {
                b[SolidIndex::sin(n, m)] = s;
            }
        }
        return matrix;
    }

    using Rows = detail::Size<-1>;

    /// Calls use(parity of m, sines, columns, offset of the matrix) for the four quarters.
    template <class Use>
    STARFMM_HOST_DEVICE static void visit_quarters(const WaveNode& node, const Use& use) {
        const int rows = (node.angles + 1) / 2;
        int at = 0;
        for (int quarter = 0; quarter < 4; ++quarter) {
            const int columns = wave_columns(node.orders, quarter / 2, quarter % 2 == 1);
            use(quarter, rows, columns, at);
            at += rows * columns;
        }
    }

    /// Puts the waves of angle a_j and of pi - a_j, whose cosines or sines differ in sign.
    template <class T>
    STARFMM_HOST_DEVICE void
    form_node(const WaveNode& node, const T (*sums)[half + 1], T* waves) const {
        T part[8][most_node_waves / 2 + 1]; // no power of two, which caches map badly
        for (int q = 0; q < 2; ++q) {
            visit_quarters(node, [&](int quarter, int rows, int columns, int at) {
                T* out = part[4 * q + quarter];
                if (columns > 0) {
                    const Real* matrix = tables_.entries + node.forward + at;
                    const T* x = sums[4 * q + quarter];
                    detail::multiply(Rows{rows}, Rows{columns}, matrix, columns, x, out);
                } else {
                    for (int j = 0; j < rows; ++j) {
                        out[j] = T(0);
                    }
                }
            });
        }
        for (int j = 0; 2 * j < node.angles; ++j) {
            const int mirrored = node.angles - 1 - j;
            put(part[0][j] + part[1][j], part[4][j] + part[5][j], waves + j);
            put(part[2][j] + part[3][j], part[6][j] + part[7][j], waves + band_.waves + j);
            put(part[0][j] - part[1][j], part[4][j] - part[5][j], waves + mirrored);
            put(part[3][j] - part[2][j], part[7][j] - part[6][j], waves + band_.waves + mirrored);
        }
    }

    /// Puts a wave along the axis and one against it, from its sums over even and over odd degrees.
    template <class T>
    STARFMM_HOST_DEVICE void put(const T& even, const T& odd, T* wave) const {
        const int against = 2 * band_.waves;
        wave[0] = even + odd;
        wave[against] = even - odd;
    }

    template <class T>
    STARFMM_HOST_DEVICE void
    receive_node(const WaveNode& node, const T* waves, T (*sums)[half + 1]) const {
        for (int q = 0; q < 2; ++q) {
            visit_quarters(node, [&](int quarter, int rows, int columns, int at) {
                if (columns > 0) {
                    T folded[most_node_waves / 2];
                    fold(node, waves + (quarter / 2) * band_.waves, q, quarter, folded);
                    const Real* matrix = tables_.entries + node.back + at;
                    T* out = sums[4 * q + quarter];
                    detail::multiply(Rows{columns}, Rows{rows}, matrix, rows, folded, out);
                }
            });
            clear_rest(node, sums + 4 * q);
        }
    }

    /// Sets the waves that degrees of parity q have, those of a_j and of pi - a_j together.
    template <class T>
    STARFMM_HOST_DEVICE void
    fold(const WaveNode& node, const T* waves, int q, int quarter, T* out) const {
        const auto both = [&](int j) {
            const T& against = waves[2 * band_.waves + j];
            return q == 0 ? against + waves[j] : against - waves[j];
        };
        const bool adds = quarter == 0 || quarter == 3;
        for (int j = 0; 2 * j < node.angles; ++j) {
            const int mirrored = node.angles - 1 - j;
            const T here = both(j);
            const T other = mirrored == j ? T(0) : both(mirrored);
            out[j] = adds ? here + other : here - other;
        }
    }

    /// Clears the sums that other nodes of the band have, but not this one.
    template <class T>
    STARFMM_HOST_DEVICE void clear_rest(const WaveNode& node, T (*sums)[half + 1]) const {
        for (int quarter = 0; quarter < 4; ++quarter) {
            const bool sines = quarter % 2 == 1;
            const int end = wave_columns(band_.orders, quarter / 2, sines);
            for (int i = wave_columns(node.orders, quarter / 2, sines); i < end; ++i) {
                sums[quarter][i] = T(0);
            }
        }
    }

    WaveView<Real> tables_;
    WaveBand band_;
};

/// The coordinates in which an axis is z: (z, y, x) for x, (z, x, y) for y.
enum class WaveAxis : std::uint8_t { x, y, z };

/// Returns `v` in the coordinates of `axis`.
template <class T>
STARFMM_HOST_DEVICE constexpr Vector3<T> along_axis(WaveAxis axis, const Vector3<T>& v) {
    switch (axis) {
    case WaveAxis::x:
        return {v.z, v.y, v.x};
    case WaveAxis::y:
        return {v.z, v.x, v.y};
    default:
        return v;
    }
}

/// Sets `out` to the expansion that the exchange of x and y makes of `a`.
template <class T>
STARFMM_HOST_DEVICE void exchange_x_and_y(int p, const T* a, T* out) {
    for (int n = 0; n < p; ++n) {
        for (int m = 0; m <= n; ++m) {
            const int cos = SolidIndex::cos(n, m);
            const int sin = m > 0 ? SolidIndex::sin(n, m) : cos;
            const T sign(m / 2 % 2 == 1 ? -1 : 1);
            if (m % 2 == 1) {
                out[cos] = sign * a[sin];
                out[sin] = sign * a[cos];
            } else {
                out[sin] = -sign * a[sin];
                out[cos] = sign * a[cos];
            }
        }
    }
}

/// Sets `out` to an expansion in the coordinates of `axis`.
/// \param scratch [order^2]
template <class Real, class T>
STARFMM_HOST_DEVICE void turn_to_axis(WaveAxis axis, int p, const T* a, T* scratch, T* out) {
    if (axis == WaveAxis::y) {
        exchange_x_and_y(p, a, scratch);
        SolidHarmonics3D<Real>::exchange_x_and_z(p, scratch, out);
    } else if (axis == WaveAxis::x) {
        SolidHarmonics3D<Real>::exchange_x_and_z(p, a, out);
    } else {
        for (int i = 0; i < p * p; ++i) {
            out[i] = a[i];
        }
    }
}

/// Sets `out` to the expansion that one in the coordinates of `axis` is in those of space.
/// \param scratch [order^2]
template <class Real, class T>
STARFMM_HOST_DEVICE void turn_from_axis(WaveAxis axis, int p, const T* a, T* scratch, T* out) {
    if (axis == WaveAxis::y) {
        SolidHarmonics3D<Real>::exchange_x_and_z(p, a, scratch);
        exchange_x_and_y(p, scratch, out);
    } else {
        turn_to_axis<Real>(axis, p, a, scratch, out);
    }
}

} // namespace starfmm

#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif
