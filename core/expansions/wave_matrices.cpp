// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/wave_matrices.hpp"

#include <algorithm>
#include <utility>

namespace starfmm {

namespace {

/// The parities of a coefficient's harmonic, and its degree, in the order of expansions.
struct Harmonic {
    int wave_class;
    int degree;
};

std::vector<Harmonic> harmonics_of(int order) {
    std::vector<Harmonic> harmonics(static_cast<std::size_t>(order * order));
    for (int n = 0; n < order; ++n) {
        for (int m = 0; m <= n; ++m) {
            const int z = (n + m) % 2;
            harmonics[static_cast<std::size_t>(SolidIndex::cos(n, m))] = {
                wave_class(m % 2, 0, z), n};
            if (m > 0) {
                harmonics[static_cast<std::size_t>(SolidIndex::sin(n, m))] = {
                    wave_class((m + 1) % 2, 1, z), n};
            }
        }
    }
    return harmonics;
}

/// The place of a half wave in the tables.
struct HalfWave {
    int band;
    int wave;     ///< index of its wave in the band
    int mirrored; ///< index of the mirrored wave in the band
};

class MatrixBuilder {
public:
    MatrixBuilder(const WaveRule& rule, int order)
        : tables_(make_wave_tables<double>(rule, order, most_band_waves)),
          harmonics_(harmonics_of(order)) {
        matrices_.shape.order = order;
        find_halves();
        place_slots();
    }

    WaveMatrices build() {
        const WaveShape& shape = matrices_.shape;
        matrices_.outgoing.assign(shape.entries(), 0);
        matrices_.incoming.assign(shape.entries(), 0);
        for (const WaveAxis axis : {WaveAxis::x, WaveAxis::y, WaveAxis::z}) {
            put_outgoing(axis);
            put_incoming(axis);
        }
        put_phases();
        return std::move(matrices_);
    }

private:
    using Row = std::vector<double>;

    void find_halves() {
        for (std::size_t b = 0; b < tables_.bands.size(); ++b) {
            const WaveBand& band = tables_.bands[b];
            for (int k = band.first_node; k < band.first_node + band.nodes; ++k) {
                const WaveNode& node = tables_.nodes[static_cast<std::size_t>(k)];
                for (int j = 0; 2 * j < node.angles; ++j) {
                    const int mirrored = node.first + node.angles - 1 - j;
                    halves_.push_back({static_cast<int>(b), node.first + j, mirrored});
                }
            }
        }
        const auto n = static_cast<int>(halves_.size());
        matrices_.shape.tiles = (n + tile_halves - 1) / tile_halves;
    }

    void place_slots() {
        WaveShape& shape = matrices_.shape;
        matrices_.slot_of.resize(harmonics_.size());
        for (int c = 0; c < wave_classes; ++c) {
            int slot = shape.class_begin[c];
            for (int n = 0; n < shape.order; ++n) {
                for (int i = n * n; i < (n + 1) * (n + 1); ++i) {
                    if (harmonics_[static_cast<std::size_t>(i)].wave_class == c) {
                        matrices_.slot_of[static_cast<std::size_t>(i)] =
                            static_cast<std::uint16_t>(slot++);
                    }
                }
            }
            shape.class_begin[c + 1] = (slot + slot_step - 1) / slot_step * slot_step;
        }
        shape.slots = shape.class_begin[wave_classes];
    }

    [[nodiscard]] int n_coefficients() const { return static_cast<int>(harmonics_.size()); }

    /// Returns the entry of a half wave and a coefficient.
    [[nodiscard]] double& outgoing(std::size_t half, WaveAxis axis, int coefficient) {
        const int slot = matrices_.slot_of[static_cast<std::size_t>(coefficient)];
        const int row = slot % slot_step;
        const auto lane = 4 * (half % tile_halves) + static_cast<std::size_t>(row % 4);
        return matrices_
            .outgoing[begin(half, axis, slot) + 2 * lane + static_cast<std::size_t>(row / 4)];
    }

    [[nodiscard]] double& incoming(std::size_t half, WaveAxis axis, int coefficient) {
        const int slot = matrices_.slot_of[static_cast<std::size_t>(coefficient)];
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

    /// Puts what each coefficient alone sends along the axis. Its half waves are real, or
    /// imaginary.
    void put_outgoing(WaveAxis axis) {
        Row scratch(harmonics_.size());
        Row turned(harmonics_.size());
        for (int i = 0; i < n_coefficients(); ++i) {
            Row unit(harmonics_.size(), 0.0);
            unit[static_cast<std::size_t>(i)] = 1;
            turn_to_axis<double>(
                axis, matrices_.shape.order, unit.data(), scratch.data(), turned.data()
            );
            const std::vector<Row> waves = form(turned);
            for (std::size_t h = 0; h < halves_.size(); ++h) {
                const HalfWave& half = halves_[h];
                const auto b = static_cast<std::size_t>(half.band);
                const auto wave = static_cast<std::size_t>(half.wave);
                const auto size = static_cast<std::size_t>(tables_.bands[b].waves);
                outgoing(h, axis, i) = waves[b][wave] + waves[b][size + wave];
            }
        }
    }

    /// Returns the waves of each band.
    [[nodiscard]] std::vector<Row> form(const Row& multipole) const {
        std::vector<Row> waves;
        for (const WaveBand& band : tables_.bands) {
            waves.emplace_back(static_cast<std::size_t>(4 * band.waves));
            const WaveConversion<double> conversion(tables_.view(), band);
            conversion.form(multipole.data(), waves.back().data());
        }
        return waves;
    }

    /// Puts what each half wave alone brings, with both of its parts. The wave of pi / 2 is its own
    /// twin: where others have two waves, it has one twice, each of which brings half.
    void put_incoming(WaveAxis axis) {
        Row scratch(harmonics_.size());
        Row local(harmonics_.size());
        for (std::size_t h = 0; h < halves_.size(); ++h) {
            const HalfWave& half = halves_[h];
            const WaveBand& band = tables_.bands[static_cast<std::size_t>(half.band)];
            const WaveConversion<double> conversion(tables_.view(), band);
            Row waves(std::size_t(4) * static_cast<std::size_t>(band.waves), 0.0);
            waves[static_cast<std::size_t>(half.wave)] = 1;
            waves[static_cast<std::size_t>(band.waves) + static_cast<std::size_t>(half.wave)] = 1;
            Row turned(harmonics_.size(), 0.0);
            conversion.receive(waves.data(), turned.data());
            turn_from_axis<double>(
                axis, matrices_.shape.order, turned.data(), scratch.data(), local.data()
            );
            const double share = half.wave == half.mirrored ? 0.5 : 1;
            for (int i = 0; i < n_coefficients(); ++i) {
                const Harmonic& harmonic = harmonics_[static_cast<std::size_t>(i)];
                // of odd degrees parts are waves against the axis less those along it
                const double sign = harmonic.degree % 2 == 1 ? -1 : 1;
                incoming(h, axis, i) = sign * share * local[static_cast<std::size_t>(i)];
            }
        }
    }

    void put_phases() {
        const WaveShape& shape = matrices_.shape;
        const auto waves = static_cast<std::size_t>(shape.waves());
        matrices_.phases.assign(std::size_t(wave_offsets * wave_offsets) * 2 * waves, 0);
        matrices_.decays.assign(2 * waves, 0);
        for (std::size_t h = 0; h < halves_.size(); ++h) {
            const std::size_t at = h / tile_halves * tile_waves + h % tile_halves;
            put_phases(halves_[h], halves_[h].wave, at);
            put_phases(halves_[h], halves_[h].mirrored, at + tile_halves);
        }
    }

    void put_phases(const HalfWave& half, int wave, std::size_t at) {
        const WaveBand& band = tables_.bands[static_cast<std::size_t>(half.band)];
        const auto waves = static_cast<std::size_t>(matrices_.shape.waves());
        for (int dy = -most_wave_offset; dy <= most_wave_offset; ++dy) {
            for (int dx = -most_wave_offset; dx <= most_wave_offset; ++dx) {
                const double* from = tables_.view().phases(band, dx, dy);
                double* to = matrices_.phases.data() + matrices_.shape.phase(dx, dy);
                to[at] = from[wave];
                to[waves + at] = from[band.waves + wave];
            }
        }
        matrices_.decays[at] = tables_.view().decays(band, 2)[wave];
        matrices_.decays[waves + at] = tables_.view().decays(band, 3)[wave];
    }

    WaveTables<double> tables_;
    std::vector<Harmonic> harmonics_;
    std::vector<HalfWave> halves_;
    WaveMatrices matrices_;
};

} // namespace

WaveMatrices make_wave_matrices(const WaveRule& rule, int order) {
    return MatrixBuilder(rule, order).build();
}

} // namespace starfmm
