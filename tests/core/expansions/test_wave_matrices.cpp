// SPDX-License-Identifier: BSD-3-Clause
// Tests of plane waves by dense matrices: they stand for M2L of cubes two or three sides apart, to
// the error of their rule; their senders meet each far cube once.
#include "core/expansions/wave_matrices.hpp"
#include "core/expansions/wave_sources.hpp"
#include "tests/support/space/solid_exact.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

using starfmm::along_axis;
using starfmm::Frame;
using starfmm::Vector3;
using starfmm::WaveAxis;
using starfmm::WaveMatrices;
using starfmm::WaveRule;
using starfmm::WaveShape;

namespace {

using Numbers = std::vector<double>;
using Solid = starfmm::SolidHarmonics3D<double>;

constexpr WaveAxis axes[] = {WaveAxis::x, WaveAxis::y, WaveAxis::z};

/// Offset between cubes, in sides.
using Offset = Vector3<int>;

/// M2L as GPUs do it, one number after the other, by matrices as matrix units read them.
class WaveM2L {
public:
    WaveM2L(const WaveRule& rule, int order)
        : matrices_(starfmm::make_wave_matrices(rule, order)),
          n_waves_(static_cast<std::size_t>(matrices_.shape.waves())) {}

    /// Returns the local expansion of a cube of side one at `offset`.
    [[nodiscard]] Numbers local(const Offset& offset, const Numbers& multipole) const {
        const WaveAxis axis = std::abs(offset.z) >= 2   ? WaveAxis::z
                              : std::abs(offset.y) >= 2 ? WaveAxis::y
                                                        : WaveAxis::x;
        const Offset seen = along_axis(axis, offset);
        return received(axis, seen.z < 0, translated(seen, formed(axis, seen.z < 0, multipole)));
    }

private:
    /// Calls use(slot, wave, part, entry) for all entries of an axis, part: 4 parity + quarter.
    template <class Use>
    void visit(const Numbers& matrix, WaveAxis axis, bool back, const Use& use) const {
        const WaveShape& shape = matrices_.shape;
        for (int part = 0; part < 8; ++part) {
            const int c = starfmm::class_of_part(axis, part / 4, part % 4);
            for (int tile = 0; tile < shape.tiles; ++tile) {
                for (int begin = shape.class_begin[c]; begin < shape.class_begin[c + 1];
                     begin += 8) {
                    const double* entries =
                        matrix.data() + shape.fragment(tile, static_cast<int>(axis), begin);
                    for (int i = 0; i < 64; ++i) {
                        const int lane = i / 2;
                        const int slot = begin + (back ? lane / 4 : 4 * (i % 2) + lane % 4);
                        const int wave = 16 * tile + (back ? 2 * (lane % 4) + i % 2 : lane / 4);
                        use(static_cast<std::size_t>(slot),
                            static_cast<std::size_t>(wave),
                            part,
                            entries[i]);
                    }
                }
            }
        }
    }

    /// Returns waves along the axis, or against it: [re, im][wave].
    [[nodiscard]] Numbers formed(WaveAxis axis, bool against, const Numbers& multipole) const {
        Numbers slots(static_cast<std::size_t>(matrices_.shape.slots));
        for (std::size_t i = 0; i < multipole.size(); ++i) {
            slots[matrices_.slot_of[i]] = multipole[i];
        }
        Numbers waves(2 * n_waves_);
        visit(
            matrices_.outgoing,
            axis,
            false,
            [&](std::size_t slot, std::size_t half, int part, double entry) {
                const std::size_t at = (part % 4 < 2 ? 0 : n_waves_) + half;
                const double x = (against && part >= 4 ? -1 : 1) * entry * slots[slot];
                waves[at] += x;
                waves[at + 8] += starfmm::adds_mirrored(part % 4) ? x : -x;
            }
        );
        return waves;
    }

    [[nodiscard]] Numbers translated(const Offset& seen, const Numbers& waves) const {
        const int sign = seen.z < 0 ? -1 : 1;
        const double* phase =
            matrices_.phases.data() + matrices_.shape.phase(sign * seen.x, sign * seen.y);
        const double* decay = matrices_.decays.data() + (std::abs(seen.z) == 2 ? 0 : n_waves_);
        Numbers out(waves.size());
        for (std::size_t i = 0; i < n_waves_; ++i) {
            const double c = decay[i] * phase[i];
            const double s = decay[i] * phase[n_waves_ + i];
            out[i] = c * waves[i] - s * waves[n_waves_ + i];
            out[n_waves_ + i] = c * waves[n_waves_ + i] + s * waves[i];
        }
        return out;
    }

    [[nodiscard]] Numbers received(WaveAxis axis, bool against, const Numbers& waves) const {
        Numbers slots(static_cast<std::size_t>(matrices_.shape.slots));
        visit(
            matrices_.incoming,
            axis,
            true,
            [&](std::size_t slot, std::size_t half, int part, double entry) {
                const double* wave = waves.data() + (part % 4 < 2 ? 0 : n_waves_) + half;
                const double twin = starfmm::adds_mirrored(part % 4) ? wave[8] : -wave[8];
                slots[slot] += (!against && part >= 4 ? -1 : 1) * entry * (wave[0] + twin);
            }
        );
        Numbers local(matrices_.slot_of.size());
        for (std::size_t i = 0; i < local.size(); ++i) {
            local[i] = slots[matrices_.slot_of[i]];
        }
        return local;
    }

    WaveMatrices matrices_;
    std::size_t n_waves_;
};

constexpr std::array<Vector3<double>, 2> charges{{{0.5, -0.5, 0.5}, {-0.25, 0.125, 0.5}}};

/// Largest differences at the corners of a cube, for the charge farthest from the centre of its
/// cube and for one within.
struct Differences {
    double of_waves = 0; ///< difference of waves from M2L
    double of_m2l = 0;   ///< difference of M2L from the sum itself
};

Differences differences(const WaveM2L& waves, int order, const Offset& offset) {
    const double radius = std::sqrt(0.75);
    const Frame<double, 3> source{{0, 0, 0}, radius};
    const Frame<double, 3> target{{double(offset.x), double(offset.y), double(offset.z)}, radius};
    Numbers a(static_cast<std::size_t>(order) * static_cast<std::size_t>(order));
    for (const auto& charge : charges) {
        Solid::p2m(order, source, charge, 1.0, a.data());
    }
    Numbers expected(a.size());
    Solid::m2l(order, source, a.data(), target, expected.data());
    const Numbers b = waves.local(offset, a);
    Differences largest;
    for (unsigned corner = 0; corner < 8; ++corner) {
        const auto half = [&](unsigned bit) { return (corner >> bit & 1U) != 0 ? 0.5 : -0.5; };
        const auto point = target.centre + Vector3<double>{half(0), half(1), half(2)};
        const double by_waves = Solid::evaluate_local(order, target, b.data(), point);
        const double by_m2l = Solid::evaluate_local(order, target, expected.data(), point);
        long double sum = 0;
        for (const auto& charge : charges) {
            sum += 1 / norm(extended(point - charge));
        }
        largest.of_waves = std::max(largest.of_waves, std::abs(by_waves - by_m2l));
        largest.of_m2l = std::max(largest.of_m2l, static_cast<double>(std::abs(by_m2l - sum)));
    }
    return largest;
}

/// Checks the error of waves at all offsets. It is at most the rule's error, as much again by
/// angles, and the error of M2L of the nearest cubes, since a rule does not cover terms of the
/// highest degrees alone.
void check_all_offsets(const WaveRule& rule, int order) {
    const WaveM2L waves(rule, order);
    const double of_nearest = differences(waves, order, {0, 0, 2}).of_m2l;
    for (int i = 0; i < 343; ++i) {
        const Offset offset{i % 7 - 3, i / 7 % 7 - 3, i / 49 - 3};
        if (std::max({std::abs(offset.x), std::abs(offset.y), std::abs(offset.z)}) >= 2) {
            CAPTURE(offset.x);
            CAPTURE(offset.y);
            CAPTURE(offset.z);
            const double difference = differences(waves, order, offset).of_waves;
            CHECK(difference <= 4 * charges.size() * rule.error + 2 * of_nearest);
        }
    }
}

/// Counts how often each place sends waves to each child.
class Deliveries {
public:
    void add(int direction, const starfmm::WaveSenders& group, const starfmm::WaveSender& sender) {
        const auto axis = static_cast<WaveAxis>(direction / 2);
        const int sign = direction % 2 == 0 ? 1 : -1;
        const int layer = sender.place / 36;
        const int row = sender.place / 6 % 6;
        const Vector3<int> from{sender.place % 6 - 2, row - 2, layer - 2};
        for (int octant = 0; octant < 8; ++octant) {
            const Vector3<int> child{octant % 2, octant / 2 % 2, octant / 4};
            const auto to = along_axis(axis, child);
            if ((group.children >> (to.x + 2 * to.y + 4 * to.z) & 1) == 0) {
                continue;
            }
            ++seen_[sender.place][octant];
            const auto offset = along_axis(axis, child - from);
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

TEST_CASE("wave_matrices: are M2L of cubes, to the error of the rule, whatever the order") {
    for (const int nodes : {2, 7, 16, 32}) {
        for (const int order : {1, 2, 8, 17, 30}) {
            CAPTURE(nodes);
            CAPTURE(order);
            check_all_offsets(WaveRule::of(nodes), order);
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
            const Vector3<int> child{octant % 2, octant / 2 % 2, octant / 4};
            const auto to = along_axis(axis, child);
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
