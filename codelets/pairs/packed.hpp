// SPDX-License-Identifier: BSD-3-Clause
// Direct sums over packed bodies (PackedSums), which a task packs on its way. O(pairs).
#pragma once

#include "codelets/pairs/gravity_model.hpp"
#include "codelets/task/task_views.hpp"
#include "core/laws/gravity.hpp"

#ifndef __CUDACC__
#include "codelets/simd/simd.hpp"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starfmm {

/// The most parts of the sources that a GPU sums side by side.
inline constexpr std::size_t most_packed_splits = 64;

/// The part of a direct task that packed sums see.
/// \tparam K a kernel with K::Packed
template <class K, PackedSums sums>
struct PackedTask {
    using Kernel = K;
    using P = typename K::Packed;
    using Real = typename P::Real;
    using Sum = typename P::Sum;
    static constexpr bool has_potential = sums == PackedSums::with_potential;
    static constexpr int components = has_potential ? 4 : 3; ///< accelerations, then potentials

    ValueView<K> values;
    PointView<3> targets;
    const Real* sources; ///< [n_sources][P::width]
    std::size_t n_targets;
    std::size_t n_sources;
    std::int64_t self; ///< DirectArgs::self, as seen from the first of `sources`
    double epsilon_square;

    /// Writes a target to `out` [P::width], without a mass.
    STARFMM_HOST_DEVICE void pack_target(std::size_t i, Real* out) const {
        P::pack(targets[i], 0, out);
    }

    STARFMM_HOST_DEVICE void add(std::size_t i, int component, Sum sum) const {
        const int of_value = component == 3 ? 0 : component + 1;
        values.of_component[of_value][i] += static_cast<typename K::Real>(sum);
    }

    /// Whether epsilon is large enough for the faster formula.
    [[nodiscard]] bool is_softened() const {
        return epsilon_square >= static_cast<double>(softened_square<Real>);
    }
};

/// Calls `use` with a direct task's part, whose sources are still to be packed.
template <class K, class Task, class Use>
void with_packed_task(const Task& task, const Use& use) {
    const auto part = [&]<PackedSums sums>() {
        use(PackedTask<K, sums>{
            task.values,
            task.targets,
            nullptr,
            task.n_targets,
            task.n_sources,
            task.args.direct.self,
            task.args.kernel.epsilon_square});
    };
    if (task.args.direct.packed == PackedSums::acceleration) {
        part.template operator()<PackedSums::acceleration>();
    } else {
        part.template operator()<PackedSums::with_potential>();
    }
}

#ifndef __CUDACC__
/// The number of sources after which a tile's sums are added to the totals: long sums in Real lose
/// digits.
inline constexpr std::size_t packed_chunk = 256;

/// The batches of targets that meet a source together, so that its numbers are fetched once for
/// all: as many as leave registers for the arithmetic beside their positions and sums.
template <class P, class B>
inline constexpr std::size_t packed_tile = (sizeof(B) == 64 ? 4 : 2) /
                                           (P::width == PackedSplitBodies::width ? 2 : 1);

/// One tile of targets, a lane each.
template <class Task, Closeness closeness, class B>
class PackedTile {
public:
    using P = typename Task::P;
    using Real = typename Task::Real;
    using Sum = typename Task::Sum;
    static constexpr std::size_t tile = packed_tile<P, B>;
    static constexpr std::size_t n_lanes = tile * B::size;

    /// Takes the targets from `begin` of the task's; idle lanes repeat the last.
    PackedTile(const Task& task, std::size_t begin)
        : task_(task), begin_(begin), epsilon_square_(static_cast<Real>(task.epsilon_square)) {
        for (std::size_t t = 0; t < tile; ++t) {
            alignas(64) Real lanes[P::width][B::size];
            for (std::size_t i = 0; i < B::size; ++i) {
                Real target[P::width];
                task.pack_target(std::min(begin + t * B::size + i, task.n_targets - 1), target);
                for (int k = 0; k < P::width; ++k) {
                    lanes[k][i] = target[k];
                }
            }
            position_[t] =
                P::template position<B>([&](int k) { return B::load_aligned(lanes[k]); });
        }
    }

    void add_sources() {
        for (std::size_t begin = 0; begin < task_.n_sources; begin += packed_chunk) {
            const std::size_t end = std::min(begin + packed_chunk, task_.n_sources);
            if constexpr (Task::has_potential) {
                if (meets_itself(begin, end)) {
                    add_chunk<true>(begin, end);
                    continue;
                }
            }
            add_chunk<false>(begin, end);
        }
    }

    void store() const {
        const std::size_t n = std::min(n_lanes, task_.n_targets - begin_);
        for (int c = 0; c < Task::components; ++c) {
            for (std::size_t i = 0; i < n; ++i) {
                task_.add(begin_ + i, c, total_[c][i]);
            }
        }
    }

private:
    /// Returns the place of the first target among the sources.
    [[nodiscard]] std::int64_t self() const {
        return task_.self + static_cast<std::int64_t>(begin_);
    }

    [[nodiscard]] bool meets_itself(std::size_t begin, std::size_t end) const {
        return self() < static_cast<std::int64_t>(end) &&
               self() + static_cast<std::int64_t>(n_lanes) > static_cast<std::int64_t>(begin);
    }

    /// Returns the mass, and 0 in the lane that is the source itself.
    [[nodiscard]] B mass_of_others(Real mass, std::size_t source, std::size_t t) const {
        alignas(64) Real lanes[B::size];
        const auto first = self() + static_cast<std::int64_t>(t * B::size);
        for (std::size_t i = 0; i < B::size; ++i) {
            const bool is_self =
                first + static_cast<std::int64_t>(i) == static_cast<std::int64_t>(source);
            lanes[i] = is_self ? Real(0) : mass;
        }
        return B::load_aligned(lanes);
    }

    template <bool has_self>
    void add_chunk(std::size_t begin, std::size_t end) {
        Vector3<B> acceleration[tile];
        B potential[tile];
        for (std::size_t t = 0; t < tile; ++t) {
            acceleration[t] = {B(0), B(0), B(0)};
            potential[t] = B(0);
        }
        for (std::size_t j = begin; j < end; ++j) {
            const Real* source = task_.sources + j * P::width;
            const auto position = P::template position<B>([&](int k) { return B(source[k]); });
            for (std::size_t t = 0; t < tile; ++t) {
                const B mass = has_self ? mass_of_others(source[3], j, t) : B(source[3]);
                const B pair = attract<closeness>(
                    displacement(position_[t], position), mass, epsilon_square_, acceleration[t]
                );
                if constexpr (Task::has_potential) {
                    potential[t] = potential[t] + pair;
                }
            }
        }
        for (std::size_t t = 0; t < tile; ++t) {
            add_total(0, t, acceleration[t].x);
            add_total(1, t, acceleration[t].y);
            add_total(2, t, acceleration[t].z);
            if constexpr (Task::has_potential) {
                add_total(3, t, potential[t]);
            }
        }
    }

    void add_total(int component, std::size_t t, const B& value) {
        alignas(64) Real lanes[B::size];
        value.store_aligned(lanes);
        for (std::size_t i = 0; i < B::size; ++i) {
            total_[component][t * B::size + i] += static_cast<Sum>(lanes[i]);
        }
    }

    const Task& task_;
    std::size_t begin_;
    B epsilon_square_;
    typename P::template Position<B> position_[tile];
    alignas(64) Sum total_[Task::components][n_lanes] = {};
};

template <Closeness closeness, class Isa, class Task>
void add_packed(const Task& task) {
    using Tile = PackedTile<Task, closeness, Batch<typename Task::Real, Isa>>;
    for (std::size_t begin = 0; begin < task.n_targets; begin += Tile::n_lanes) {
        Tile tile(task, begin);
        tile.add_sources();
        tile.store();
    }
}

/// Packs sources, as many at a time as stay in the cache of a core, and sums over them.
/// \param task a DirectTask
template <class K, class Isa, class Task>
void packed_cpu(const Task& task) {
    using P = typename K::Packed;
    constexpr std::size_t most = 8 * packed_chunk;
    std::vector<typename P::Real> sources(std::min(most, task.n_sources) * P::width);
    with_packed_task<K>(task, [&](auto part) {
        part.sources = sources.data();
        for (std::size_t begin = 0; begin < task.n_sources; begin += most) {
            part.n_sources = std::min(most, task.n_sources - begin);
            part.self = task.args.direct.self - static_cast<std::int64_t>(begin);
            for (std::size_t j = 0; j < part.n_sources; ++j) {
                const double mass = task.strengths[begin + j];
                P::pack(task.sources[begin + j], mass, sources.data() + j * P::width);
            }
            if (part.is_softened()) {
                add_packed<Closeness::softened, Isa>(part);
            } else {
                add_packed<Closeness::any, Isa>(part);
            }
        }
    });
}

template <class P, class Isa>
GravityMachine gravity_machine_cpu() {
    using B = Batch<typename P::Real, Isa>;
    GravityMachine machine;
    machine.lanes = B::size;
    machine.block_targets = packed_tile<P, B> * B::size;
    return machine;
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/pairs/packed.cuh"
#endif
