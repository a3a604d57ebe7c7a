// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/wave_matrices.hpp"

#include "core/expansions/solid_harmonics3d.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace starfmm {

namespace {

/// Returns the classes of harmonics, in the order of expansions.
std::vector<int> classes_of(int order) {
    std::vector<int> classes(static_cast<std::size_t>(order * order));
    for (int n = 0; n < order; ++n) {
        for (int m = 0; m <= n; ++m) {
            const int z = (n + m) % 2;
            classes[static_cast<std::size_t>(SolidIndex::cos(n, m))] = wave_class(m % 2, 0, z);
            if (m > 0) {
                classes[static_cast<std::size_t>(SolidIndex::sin(n, m))] =
                    wave_class((m + 1) % 2, 1, z);
            }
        }
    }
    return classes;
}

/// Returns (node R / side)^n times the factor that normalizes degree n and order m.
double wave_factor(double node, int n, int m) {
    constexpr double half_diagonal = 0.86602540378443864676; // R / side
    const double logarithm = n * std::log(half_diagonal * node) -
                             0.5 * (std::lgamma(n - m + 1.0) + std::lgamma(n + m + 1.0));
    return std::sqrt(m == 0 ? 1.0 : 2.0) * std::exp(logarithm);
}

/// The wave of an angle a_j <= pi / 2 and that of pi - a_j.
struct HalfWave {
    double node;
    double weight;
    double angle;
    int angles; ///< M_k / 2
    bool is_its_twin;
};

class MatrixBuilder {
public:
    MatrixBuilder(const WaveRule& rule, int order) : classes_(classes_of(order)) {
        matrices_.shape.order = order;
        find_halves(rule);
        place_slots();
    }

    WaveMatrices build() {
        matrices_.outgoing.assign(matrices_.shape.entries(), 0);
        matrices_.incoming.assign(matrices_.shape.entries(), 0);
        for (std::size_t h = 0; h < halves_.size(); ++h) {
            put_conversions(h);
        }
        put_phases();
        return std::move(matrices_);
    }

private:
    using Row = std::vector<double>;

    void find_halves(const WaveRule& rule) {
        for (int k = 0; k < rule.size; ++k) {
            const int angles = wave_angles(rule, k);
            for (int j = 0; 2 * j < angles; ++j) {
                const double angle = std::numbers::pi * (2 * j + 1) / (2 * angles);
                halves_.push_back(
                    {rule.nodes[k], rule.weights[k], angle, angles, 2 * j + 1 == angles}
                );
            }
        }
        const auto n = static_cast<int>(halves_.size());
        matrices_.shape.tiles = (n + tile_halves - 1) / tile_halves;
    }

    void place_slots() {
        WaveShape& shape = matrices_.shape;
        matrices_.slot_of.resize(classes_.size());
        for (int c = 0; c < wave_classes; ++c) {
            int slot = shape.class_begin[c];
            for (int n = 0; n < shape.order; ++n) {
                for (int i = n * n; i < (n + 1) * (n + 1); ++i) {
                    if (classes_[static_cast<std::size_t>(i)] == c) {
                        matrices_.slot_of[static_cast<std::size_t>(i)] =
                            static_cast<std::uint16_t>(slot++);
                    }
                }
            }
            shape.class_begin[c + 1] = (slot + slot_step - 1) / slot_step * slot_step;
        }
        shape.slots = shape.class_begin[wave_classes];
    }

    /// Returns the entry of a half wave and a coefficient.
    [[nodiscard]] double& outgoing(std::size_t half, WaveAxis axis, std::size_t coefficient) {
        const int slot = matrices_.slot_of[coefficient];
        const int row = slot % slot_step;
        const auto lane = 4 * (half % tile_halves) + static_cast<std::size_t>(row % 4);
        return matrices_
            .outgoing[begin(half, axis, slot) + 2 * lane + static_cast<std::size_t>(row / 4)];
    }

    [[nodiscard]] double& incoming(std::size_t half, WaveAxis axis, std::size_t coefficient) {
        const int slot = matrices_.slot_of[coefficient];
        const std::size_t row = half % tile_halves;
        const std::size_t lane = 4 * static_cast<std::size_t>(slot % slot_step) + row / 2;
        return matrices_.incoming[begin(half, axis, slot) + 2 * lane + row % 2];
    }

    [[nodiscard]] std::size_t begin(std::size_t half, WaveAxis axis, int slot) const {
        return matrices_.shape.fragment(
            static_cast<int>(half / tile_halves),
            static_cast<int>(axis),
            slot / slot_step * slot_step
        );
    }

    /// Puts what coefficients send to a half wave of each axis, and get from it. A wave is i^-m
    /// times a cosine or sine: real where m is even, imaginary where m is odd; the way back takes
    /// its conjugate. Orders that the angles do not tell from lower ones are left out. Along z,
    /// either way is as follows; exchanges of axes, which are orthogonal, make the other axes' rows
    /// of it. The wave of pi / 2 is its own twin: where others have two waves, it has one twice,
    /// each of which brings half.
    void put_conversions(std::size_t half) {
        const HalfWave& wave = halves_[half];
        const int order = matrices_.shape.order;
        const double share = (wave.is_its_twin ? 0.5 : 1) * wave.weight / wave.angles;
        Row sent(classes_.size(), 0.0);
        Row got(classes_.size(), 0.0);
        for (int m = 0; m < std::min(order, wave.angles); ++m) {
            const double back = m / 2 % 2 == 1 ? -1 : 1;
            const double forth = m % 2 == 1 ? -back : back;
            for (int n = m; n < order; ++n) {
                const double factor = wave_factor(wave.node, n, m);
                const auto put = [&](int at, double part) {
                    sent[static_cast<std::size_t>(at)] = forth * factor * part;
                    got[static_cast<std::size_t>(at)] = back * share * factor * part;
                };
                put(SolidIndex::cos(n, m), std::cos(m * wave.angle));
                if (m > 0) {
                    put(SolidIndex::sin(n, m), std::sin(m * wave.angle));
                }
            }
        }
        for (const WaveAxis axis : {WaveAxis::x, WaveAxis::y, WaveAxis::z}) {
            const Row out = from_axis(axis, sent);
            const Row in = from_axis(axis, got);
            for (std::size_t i = 0; i < classes_.size(); ++i) {
                outgoing(half, axis, i) = out[i];
                incoming(half, axis, i) = in[i];
            }
        }
    }

    /// Returns the expansion that one in the coordinates of `axis` is in those of space.
    [[nodiscard]] Row from_axis(WaveAxis axis, const Row& a) const {
        if (axis == WaveAxis::z) {
            return a;
        }
        Row turned(a.size());
        SolidHarmonics3D<double>::exchange_x_and_z(matrices_.shape.order, a.data(), turned.data());
        return axis == WaveAxis::x ? turned : exchanged_x_and_y(turned);
    }

    /// Returns the expansion that the exchange of x and y makes of `a`.
    [[nodiscard]] Row exchanged_x_and_y(const Row& a) const {
        Row out(a);
        for (int n = 1; n < matrices_.shape.order; ++n) {
            for (int m = 1; m <= n; ++m) {
                const auto cos = static_cast<std::size_t>(SolidIndex::cos(n, m));
                const auto sin = static_cast<std::size_t>(SolidIndex::sin(n, m));
                const double sign = m / 2 % 2 == 1 ? -1 : 1;
                out[cos] = sign * (m % 2 == 1 ? a[sin] : a[cos]);
                out[sin] = sign * (m % 2 == 1 ? a[cos] : -a[sin]);
            }
        }
        return out;
    }

    void put_phases() {
        const auto waves = static_cast<std::size_t>(matrices_.shape.waves());
        matrices_.phases.assign(std::size_t(wave_offsets * wave_offsets) * 2 * waves, 0);
        matrices_.decays.assign(2 * waves, 0);
        for (std::size_t h = 0; h < halves_.size(); ++h) {
            const std::size_t at = h / tile_halves * tile_waves + h % tile_halves;
            put_phases(halves_[h].node, halves_[h].angle, at);
            put_phases(halves_[h].node, std::numbers::pi - halves_[h].angle, at + tile_halves);
        }
    }

    void put_phases(double node, double angle, std::size_t at) {
        const auto waves = static_cast<std::size_t>(matrices_.shape.waves());
        for (int dy = -most_wave_offset; dy <= most_wave_offset; ++dy) {
            for (int dx = -most_wave_offset; dx <= most_wave_offset; ++dx) {
                const double phase = node * (dx * std::cos(angle) + dy * std::sin(angle));
                double* to = matrices_.phases.data() + matrices_.shape.phase(dx, dy);
                to[at] = std::cos(phase);
                to[waves + at] = std::sin(phase);
            }
        }
        matrices_.decays[at] = std::exp(-2 * node);
        matrices_.decays[waves + at] = std::exp(-3 * node);
    }

    std::vector<int> classes_;
    std::vector<HalfWave> halves_;
    WaveMatrices matrices_;
};

} // namespace

WaveMatrices make_wave_matrices(const WaveRule& rule, int order) {
    return MatrixBuilder(rule, order).build();
}

} // namespace starfmm
