// SPDX-License-Identifier: BSD-3-Clause
// Tests of dense matrices, which do what WaveConversion does; their senders meet each far cube
// once.
#include "core/expansions/wave_matrices.hpp"
#include "core/expansions/wave_sources.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

using starfmm::WaveAxis;
using starfmm::WaveMatrices;
using starfmm::WaveRule;
using starfmm::WaveShape;

namespace {

using Numbers = std::vector<double>;

constexpr WaveAxis axes[] = {WaveAxis::x, WaveAxis::y, WaveAxis::z};

Numbers random_numbers(std::size_t n) {
    std::mt19937_64 engine(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Numbers numbers(n);
    std::generate(numbers.begin(), numbers.end(), [&] { return uniform(engine); });
    return numbers;
}

/// A rule and an order whose waves are made by WaveConversion, and by matrices as matrix units read
/// them.
class Conversions {
public:
    Conversions(int nodes, int order)
        : rule_(WaveRule::of(nodes)), order_(order),
          tables_(starfmm::make_wave_tables<double>(rule_, order, 100)),
          matrices_(starfmm::make_wave_matrices(rule_, order)) {}

    void check() {
        const Numbers multipole = random_numbers(n_coefficients());
        for (const WaveAxis axis : axes) {
            CAPTURE(static_cast<int>(axis));
            const Numbers waves = conversion_waves(axis, multipole);
            const Numbers by_matrix = matrix_waves(axis, multipole);
            check_close(waves, by_matrix);
            // turned by any axis: what a box receives is no transform of its own multipole
            Numbers incoming = random_numbers(waves.size());
            check_close(conversion_local(axis, incoming), matrix_local(axis, incoming));
        }
    }

private:
    static void check_close(const Numbers& a, const Numbers& b) {
        REQUIRE(a.size() == b.size());
        double largest = 0;
        double difference = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            largest = std::max(largest, std::abs(a[i]));
            difference = std::max(difference, std::abs(a[i] - b[i]));
        }
        CHECK(largest > 0);
        CHECK(difference <= 1e-13 * largest); // rounding of sums of 1000 terms
    }

    /// Makes waves by WaveConversion: [along, against][re, im][stored wave], one node after
    /// another.
    Numbers conversion_waves(WaveAxis axis, const Numbers& multipole) {
        Numbers scratch(multipole.size());
        Numbers turned(multipole.size());
        starfmm::turn_to_axis<double>(
            axis, order_, multipole.data(), scratch.data(), turned.data()
        );
        Numbers all(4 * n_waves());
        std::size_t first = 0;
        for (const auto& band : tables_.bands) {
            Numbers waves(static_cast<std::size_t>(4 * band.waves));
            starfmm::WaveConversion<double>(tables_.view(), band).form(turned.data(), waves.data());
            first = visit(band, first, [&](std::size_t part, std::size_t i, std::size_t wave) {
                all[part * n_waves() + i] = waves[wave];
            });
        }
        return all;
    }

    Numbers conversion_local(WaveAxis axis, const Numbers& all) {
        Numbers turned(static_cast<std::size_t>(order_ * order_), 0.0);
        std::size_t first = 0;
        for (const auto& band : tables_.bands) {
            Numbers waves(static_cast<std::size_t>(4 * band.waves), 0.0);
            first = visit(band, first, [&](std::size_t part, std::size_t i, std::size_t wave) {
                waves[wave] = all[part * n_waves() + i];
            });
            starfmm::WaveConversion<double>(tables_.view(), band)
                .receive(waves.data(), turned.data());
        }
        Numbers scratch(turned.size());
        Numbers local(turned.size());
        starfmm::turn_from_axis<double>(axis, order_, turned.data(), scratch.data(), local.data());
        return local;
    }

    /// Calls use(part, stored wave, wave in the band's array).
    template <class Use>
    std::size_t visit(const starfmm::WaveBand& band, std::size_t first, const Use& use) const {
        for (int k = band.first_node; k < band.first_node + band.nodes; ++k) {
            const auto& node = tables_.nodes[static_cast<std::size_t>(k)];
            for (int j = 0; j < node.angles; ++j, ++first) {
                for (int part = 0; part < 4; ++part) {
                    use(static_cast<std::size_t>(part),
                        first,
                        static_cast<std::size_t>(part) * static_cast<std::size_t>(band.waves) +
                            static_cast<std::size_t>(node.first + j));
                }
            }
        }
        return first;
    }

    [[nodiscard]] std::size_t n_waves() const { return static_cast<std::size_t>(tables_.n_waves); }

    /// Returns the stored wave of each half wave, and of its twin.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> halves() const {
        std::vector<std::pair<std::size_t, std::size_t>> halves;
        std::size_t first = 0;
        for (const auto& node : tables_.nodes) {
            const auto angles = static_cast<std::size_t>(node.angles);
            for (std::size_t j = 0; 2 * j < angles; ++j) {
                halves.emplace_back(first + j, first + angles - 1 - j);
            }
            first += angles;
        }
        return halves;
    }

    [[nodiscard]] Numbers slots(const Numbers& coefficients) const {
        Numbers slots(static_cast<std::size_t>(matrices_.shape.slots), 0.0);
        for (std::size_t i = 0; i < coefficients.size(); ++i) {
            slots[matrices_.slot_of[i]] = coefficients[i];
        }
        return slots;
    }

    /// Calls use(slot, half, entry) with the matrix of a class and an axis.
    template <class Use>
    void visit_matrix(const Numbers& matrix, WaveAxis axis, int c, bool back, const Use& use) {
        const WaveShape& shape = matrices_.shape;
        for (int tile = 0; tile < shape.tiles; ++tile) {
            for (int begin = shape.class_begin[c]; begin < shape.class_begin[c + 1]; begin += 8) {
                const double* entries =
                    matrix.data() + shape.fragment(tile, static_cast<int>(axis), begin);
                for (int lane = 0; lane < 32; ++lane) {
                    for (int i = 0; i < 2; ++i) {
                        const int slot = begin + (back ? lane / 4 : 4 * i + lane % 4);
                        const int half = 8 * tile + (back ? 2 * (lane % 4) + i : lane / 4);
                        use(static_cast<std::size_t>(slot),
                            static_cast<std::size_t>(half),
                            entries[2 * lane + i]);
                    }
                }
            }
        }
    }

    Numbers matrix_waves(WaveAxis axis, const Numbers& multipole) {
        const Numbers in = slots(multipole);
        const auto twins = halves();
        Numbers all(4 * n_waves(), 0.0);
        for (int q = 0; q < 2; ++q) {
            for (int quarter = 0; quarter < 4; ++quarter) {
                Numbers part(std::size_t(8) * matrices_.shape.tiles, 0.0);
                const int c = starfmm::class_of_part(axis, q, quarter);
                visit_matrix(
                    matrices_.outgoing,
                    axis,
                    c,
                    false,
                    [&](std::size_t slot, std::size_t half, double x) {
                        part[half] += x * in[slot];
                    }
                );
                for (std::size_t h = 0; h < twins.size(); ++h) {
                    add_part(all, twins[h], q, quarter, part[h]);
                }
            }
        }
        return all;
    }

    void add_part(
        Numbers& all, std::pair<std::size_t, std::size_t> twins, int q, int quarter, double x
    ) const {
        const auto im = static_cast<std::size_t>(quarter / 2);
        const double against = q == 1 ? -x : x;
        const double twin = starfmm::adds_mirrored(quarter) ? 1 : -1;
        all[im * n_waves() + twins.first] += x;
        all[(2 + im) * n_waves() + twins.first] += against;
        if (twins.first != twins.second) {
            all[im * n_waves() + twins.second] += twin * x;
            all[(2 + im) * n_waves() + twins.second] += twin * against;
        }
    }

    Numbers matrix_local(WaveAxis axis, const Numbers& waves) {
        Numbers out(static_cast<std::size_t>(matrices_.shape.slots), 0.0);
        const auto twins = halves();
        for (int q = 0; q < 2; ++q) {
            for (int quarter = 0; quarter < 4; ++quarter) {
                Numbers folded(std::size_t(8) * matrices_.shape.tiles, 0.0);
                for (std::size_t h = 0; h < twins.size(); ++h) {
                    folded[h] = fold(waves, twins[h], q, quarter);
                }
                const int c = starfmm::class_of_part(axis, q, quarter);
                visit_matrix(
                    matrices_.incoming,
                    axis,
                    c,
                    true,
                    [&](std::size_t slot, std::size_t half, double x) {
                        out[slot] += x * folded[half];
                    }
                );
            }
        }
        Numbers local(n_coefficients());
        for (std::size_t i = 0; i < local.size(); ++i) {
            local[i] = out[matrices_.slot_of[i]];
        }
        return local;
    }

    [[nodiscard]] double fold(
        const Numbers& waves, std::pair<std::size_t, std::size_t> twins, int q, int quarter
    ) const {
        const auto im = static_cast<std::size_t>(quarter / 2);
        const auto both = [&](std::size_t j) {
            const double along = waves[im * n_waves() + j];
            const double against = waves[(2 + im) * n_waves() + j];
            return q == 0 ? against + along : against - along;
        };
        const double twin = starfmm::adds_mirrored(quarter) ? 1 : -1;
        return both(twins.first) + twin * both(twins.second);
    }

    [[nodiscard]] std::size_t n_coefficients() const {
        return static_cast<std::size_t>(order_) * static_cast<std::size_t>(order_);
    }

    WaveRule rule_;
    int order_;
    starfmm::WaveTables<double> tables_;
    WaveMatrices matrices_;
};

/// Counts how often each place sends waves to each child.
class Deliveries {
public:
    void add(int direction, const starfmm::WaveSenders& group, const starfmm::WaveSender& sender) {
        const auto axis = static_cast<WaveAxis>(direction / 2);
        const int sign = direction % 2 == 0 ? 1 : -1;
        const int layer = sender.place / 36;
        const int row = sender.place / 6 % 6;
        const starfmm::Vector3<int> from{sender.place % 6 - 2, row - 2, layer - 2};
        for (int octant = 0; octant < 8; ++octant) {
            const starfmm::Vector3<int> child{octant % 2, octant / 2 % 2, octant / 4};
            const auto to = starfmm::along_axis(axis, child);
            if ((group.children >> (to.x + 2 * to.y + 4 * to.z) & 1) == 0) {
                continue;
            }
            ++seen_[sender.place][octant];
            const auto offset = starfmm::along_axis(axis, child - from);
            const int nearer = sign > 0 ? to.z : 1 - to.z;
            CHECK(sign * offset.z == (group.is_outer ? 2 + nearer : 2));
            CHECK(sender.dx == sign * (offset.x - to.x));
            CHECK(sender.dy == sign * (offset.y - to.y));
        }
    }

    /// Checks that a place sends to a child once if it is far from the child, else never.
    void check() const {
        for (int place = 0; place < starfmm::all_wave_places; ++place) {
            for (int octant = 0; octant < 8; ++octant) {
                const int apart = std::max(
                    {std::abs(place % 6 - 2 - octant % 2),
                     std::abs(place / 6 % 6 - 2 - octant / 2 % 2),
                     std::abs(place / 36 - 2 - octant / 4)}
                );
                CHECK(seen_[place][octant] == (apart >= 2 ? 1 : 0));
            }
        }
    }

private:
    int seen_[starfmm::all_wave_places][8] = {};
};

} // namespace

TEST_CASE("wave_matrices: conversions by matrix are those of one harmonic after the other") {
    for (const int nodes : {2, 7, 16}) {
        for (const int order : {1, 2, 7, 8, 17}) {
            CAPTURE(nodes);
            CAPTURE(order);
            Conversions(nodes, order).check();
        }
    }
}

TEST_CASE("wave_matrices: each axis sees each class as one part") {
    for (const WaveAxis axis : axes) {
        for (int part = 0; part < 8; ++part) {
            const int c = starfmm::class_of_part(axis, part / 4, part % 4);
            CHECK(starfmm::part_of_class(axis, c) == part);
        }
        for (int octant = 0; octant < 8; ++octant) {
            const starfmm::Vector3<int> child{octant % 2, octant / 2 % 2, octant / 4};
            const auto to = starfmm::along_axis(axis, child);
            CHECK(starfmm::octant_from_axis(axis, to.x + 2 * to.y + 4 * to.z) == octant);
        }
    }
}

TEST_CASE("wave_matrices: each far cube sends waves once to each child") {
    static constexpr starfmm::WaveSenderTable table;
    Deliveries deliveries;
    int senders = 0;
    for (int direction = 0; direction < 6; ++direction) {
        for (int g = 0; g < table.n_groups[direction]; ++g) {
            const starfmm::WaveSenders& group = table.groups[direction][g];
            senders += group.end - group.begin;
            for (int i = group.begin; i < group.end; ++i) {
                deliveries.add(direction, group, table.senders[i]);
            }
        }
    }
    CHECK(senders == starfmm::WaveSenderTable::n_senders);
    deliveries.check();
}
