// SPDX-License-Identifier: BSD-3-Clause
// Plane waves from boxes to boxes: each family has the sums over boxes that send to the same
// children, which are added up for each child and turned to it. A warp has a family and a
// direction; a lane takes neighbouring waves.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/expansions/solid3d/wave_conversions.cuh"
#include "codelets/expansions/solid3d/wave_lists.cuh"
#include "core/expansions/solid_tables.hpp"
#include "core/expansions/wave_sources.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The waves of a lane: eight bytes of real parts, and eight of imaginary ones.
template <class W>
inline constexpr int lane_waves = static_cast<int>(sizeof(double) / sizeof(W));

/// The real or imaginary parts of a lane.
template <class W>
struct LaneWaves {
    W part[lane_waves<W>];
};

__device__ inline LaneWaves<float> load_waves(const float* from) {
    const float2 pair = *reinterpret_cast<const float2*>(from);
    return {{pair.x, pair.y}};
}

__device__ inline LaneWaves<double> load_waves(const double* from) {
    return {{*from}};
}

__device__ inline void store_waves(float* to, const LaneWaves<float>& waves) {
    *reinterpret_cast<float2*>(to) = make_float2(waves.part[0], waves.part[1]);
}

__device__ inline void store_waves(double* to, const LaneWaves<double>& waves) {
    *to = waves.part[0];
}

/// The sums of a lane.
template <class W>
struct TurnedWaves {
    LaneWaves<W> re = {};
    LaneWaves<W> im = {};

    /// Adds `x` turned by a phase.
    __device__ void add(const TurnedWaves& x, const TurnedWaves& phase) {
#pragma unroll
        for (int i = 0; i < lane_waves<W>; ++i) {
            const W c = phase.re.part[i];
            const W s = phase.im.part[i];
            re.part[i] = fma(x.re.part[i], c, fma(-x.im.part[i], s, re.part[i]));
            im.part[i] = fma(x.re.part[i], s, fma(x.im.part[i], c, im.part[i]));
        }
    }

    __device__ void add(const TurnedWaves& x) {
#pragma unroll
        for (int i = 0; i < lane_waves<W>; ++i) {
            re.part[i] += x.re.part[i];
            im.part[i] += x.im.part[i];
        }
    }

    __device__ void add(const TurnedWaves& x, const LaneWaves<W>& factor) {
#pragma unroll
        for (int i = 0; i < lane_waves<W>; ++i) {
            re.part[i] = fma(x.re.part[i], factor.part[i], re.part[i]);
            im.part[i] = fma(x.im.part[i], factor.part[i], im.part[i]);
        }
    }
};

inline constexpr int translation_threads = 256;
inline constexpr int translation_warps = translation_threads / warp_lanes;

/// The most senders of one direction.
inline constexpr int most_senders = 52;

/// The place where a sender's waves of a direction begin, counted from the first box's, and the
/// phases of its offset.
struct alignas(8) SenderPlace {
    std::uint32_t waves; ///< place: at most 2^32 waves of an axis fit into most_wave_bytes()
    int phases;
};

/// The senders that there are, in a warp's shared memory.
struct SenderRoom {
    SenderPlace senders[most_senders];
    int ends[WaveSenderTable::most_groups];
};

/// The waves that one family gets in one direction.
template <class W>
class FamilyWaves {
public:
    __device__ FamilyWaves(
        const DeviceWaves<W>& constants,
        const WaveBatch<W>& from,
        const WaveBatch<W>& to,
        int direction,
        SenderRoom& room
    )
        : constants_(constants), from_(from), to_(to), direction_(direction), room_(room),
          table_(constant_table<WaveSenderTable>()) {}

    /// Puts together the senders that there are, all at once, since each look-up takes long.
    /// \param index  index of the family
    __device__ void find_senders(const WaveArrays& lists, std::size_t index) const {
        const std::uint32_t* places = lists.places + index * all_wave_places;
        const int begin = table_.groups[direction_][0].begin;
        const int end = table_.groups[direction_][table_.n_groups[direction_] - 1].end;
        WaveSender senders[rounds];
        std::uint32_t boxes[rounds];
        std::uint64_t all = 0;
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            const int i = begin + round * warp_lanes + lane();
            senders[round] = table_.senders[min(i, end - 1)];
            boxes[round] = i < end ? places[senders[round].place] : no_wave_box;
        }
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            const unsigned exist = __ballot_sync(0xffffffffU, boxes[round] != no_wave_box);
            all |= std::uint64_t(exist) << (round * warp_lanes);
        }
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            if (boxes[round] != no_wave_box) {
                const int at = count_before(all, round * warp_lanes + lane());
                room_.senders[at] = {
                    lists.row(boxes[round]) * from_.row_size(),
                    constants_.shape.phase(senders[round].dx, senders[round].dy)};
            }
        }
        if (lane() < table_.n_groups[direction_]) {
            room_.ends[lane()] = count_before(all, table_.groups[direction_][lane()].end - begin);
        }
        __syncwarp();
    }

    /// Translates the lane's waves of the batch, from `own` on; a lane beyond the last repeats the
    /// first, and keeps what it gets.
    __device__ void translate(const WaveFamily& family, int own) const {
        const int wave = own < from_.size() ? own : 0;
        TurnedWaves<W> outer;       // to all children
        TurnedWaves<W> of_child[8]; // of others
        int begin = 0;
        for (int group = 0; group < table_.n_groups[direction_]; ++group) {
            const int end = room_.ends[group];
            if (begin < end) {
                const TurnedWaves<W> sum = sum_of(begin, end, wave);
                keep(table_.groups[direction_][group], sum, outer, of_child);
            }
            begin = end;
        }
        turn(wave, outer, of_child);
        if (own < from_.size()) {
            store(family, wave, of_child);
        }
    }

private:
    static constexpr int rounds = (most_senders + warp_lanes - 1) / warp_lanes;
    static_assert(rounds == 2, "a bit a sender");

    __device__ static int lane() {
        return static_cast<int>(threadIdx.x % warp_lanes);
    }

    /// Returns the number of bits set below bit `i` < 64.
    __device__ static int count_before(std::uint64_t bits, int i) {
        return __popcll(bits & ((std::uint64_t(1) << i) - 1));
    }

    [[nodiscard]] __device__ WaveAxis axis() const {
        return static_cast<WaveAxis>(direction_ / 2);
    }

    /// Returns a phase.
    /// \param offset  an offset of WaveShape::phase
    [[nodiscard]] __device__ TurnedWaves<W> phase(int offset, int wave) const {
        const W* at = constants_.phases + offset + from_.first_tile * tile_waves + wave;
        return {load_waves(at), load_waves(at + constants_.shape.waves())};
    }

    [[nodiscard]] __device__ TurnedWaves<W> sum_of(int begin, int end, int wave) const {
        TurnedWaves<W> sum;
        const W* first = from_.of(direction_ / 2, 0, direction_ % 2) + wave;
#pragma unroll 4
        for (int i = begin; i < end; ++i) {
            const SenderPlace place = room_.senders[i];
            const W* waves = first + place.waves;
            const TurnedWaves<W> sent{load_waves(waves), load_waves(waves + from_.size())};
            sum.add(sent, phase(place.phases, wave));
        }
        return sum;
    }

    /// Keeps the sums for the children of a group.
    __device__ void keep(
        const WaveSenders& group,
        const TurnedWaves<W>& sum,
        TurnedWaves<W>& outer,
        TurnedWaves<W>* of_child
    ) const {
        if (group.is_outer) {
            outer = sum;
            return;
        }
#pragma unroll
        for (int child = 0; child < 8; ++child) {
            if ((group.children >> child & 1U) != 0) {
                of_child[child].add(sum);
            }
        }
    }

    /// Turns the sums to each child, in the coordinates of the axis: the outer boxes are two sides
    /// from the nearer children and three from the others, and those that do not send to all
    /// children are two.
    __device__ void turn(int wave, const TurnedWaves<W>& outer, TurnedWaves<W>* of_child) const {
        const bool against = direction_ % 2 == 1;
        const int sign = against ? -1 : 1;
        const W* decays = constants_.decays + from_.first_tile * tile_waves + wave;
        const LaneWaves<W> two_sides = load_waves(decays);
        const LaneWaves<W> three_sides = load_waves(decays + constants_.shape.waves());
#pragma unroll
        for (int place = 0; place < 4; ++place) {
            const TurnedWaves<W> phases =
                phase(constants_.shape.phase(sign * (place % 2), sign * (place / 2)), wave);
#pragma unroll
            for (int upper = 0; upper < 2; ++upper) {
                const bool is_farther = against == (upper == 0);
                TurnedWaves<W> sum;
                sum.add(of_child[place + 4 * upper], two_sides);
                sum.add(outer, is_farther ? three_sides : two_sides);
                TurnedWaves<W> turned;
                turned.add(sum, phases);
                of_child[place + 4 * upper] = turned;
            }
        }
    }

    __device__ void
    store(const WaveFamily& family, int wave, const TurnedWaves<W>* of_child) const {
#pragma unroll
        for (int seen = 0; seen < 8; ++seen) {
            const std::uint8_t target = family.target[octant_from_axis(axis(), seen)];
            if (target != no_octant) {
                W* to = to_.of(direction_ / 2, family.first + target, direction_ % 2) + wave;
                store_waves(to, of_child[seen].re);
                store_waves(to + to_.size(), of_child[seen].im);
            }
        }
    }

    const DeviceWaves<W>& constants_;
    const WaveBatch<W>& from_;
    const WaveBatch<W>& to_;
    int direction_;
    SenderRoom& room_;
    const WaveSenderTable& table_;
};

/// Translates the waves of neighbouring families side by side, since they hear the same boxes; a
/// direction has a row of blocks.
template <class W>
__global__ void __launch_bounds__(translation_threads, 2) translate_waves_kernel(
    const __grid_constant__ DeviceWaves<W> constants,
    const WaveBatch<W> from,
    const WaveBatch<W> to,
    const __grid_constant__ WaveArrays lists
) {
    __shared__ SenderRoom rooms[translation_warps];
    const std::size_t index = thread_index() / warp_lanes;
    if (index >= lists.counts->families) {
        return;
    }
    const FamilyWaves<W> waves(
        constants, from, to, static_cast<int>(blockIdx.y), rooms[threadIdx.x / warp_lanes]
    );
    waves.find_senders(lists, index);
    const WaveFamily family = lists.families[index];
    const int step = warp_lanes * lane_waves<W>;
    const int own = static_cast<int>(threadIdx.x % warp_lanes) * lane_waves<W>;
    for (int first = 0; first < from.size(); first += step) {
        waves.translate(family, first + own);
    }
}

} // namespace starfmm
