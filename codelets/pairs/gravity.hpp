// SPDX-License-Identifier: BSD-3-Clause
// Gravity sums one block of targets against one block of sources, every pair. O(pairs).
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
#include <string_view>
#include <utility>

namespace starfmm {

/// The most parts of the sources that a GPU sums side by side.
inline constexpr std::size_t gravity_most_splits = 64;

template <class P, GravityResult result>
struct GravityTask;
template <class P, GravityResult result, class Isa>
void gravity_cpu(const GravityTask<P, result>& task);
template <class P, GravityResult result>
void gravity_cuda(const GravityTask<P, result>& task);

/// The task that overwrites the sums.
template <class P, GravityResult result>
struct GravityTask {
    static constexpr std::string_view name = "gravity";
    static constexpr Color color = Color::orange;
    using Real = typename P::Real;
    using Sum = typename P::Sum;
    static constexpr int components = n_components(result);

    TaskArgs args;
    Sum* sums;           ///< W: [components][n_targets]; the fourth: minus potential
    const Real* targets; ///< R: [n_targets][width], from args.gravity.first_target of the buffer
    const Real* sources; ///< R: [n_sources][width]
    Sum* partial;        ///< scratch: [splits][components][n_targets], used by GPUs only
    std::size_t n_targets;
    std::size_t n_sources;
    std::size_t max_splits;

    template <class Buffers>
    static GravityTask of(Buffers& buffers) {
        GravityTask task{buffers.args(), buffers.template write<Sum>(), {}, {}, {}, 0, 0, 0};
        task.take(buffers);
        return task;
    }

    template <class Isa>
    static void cpu(const GravityTask& task) {
        gravity_cpu<P, result, Isa>(task);
    }

    static void cuda(const GravityTask& task) { gravity_cuda<P, result>(task); }

    STARFMM_HOST_DEVICE void put(std::size_t i, int component, Sum value) const {
        Sum& sum = sums[component * n_targets + i];
        sum = args.gravity.adds ? sum + value : value;
    }

protected:
    /// Takes all buffers that follow the sums.
    template <class Buffers>
    void take(Buffers& buffers) {
        const std::size_t n_sums = buffers.size();
        n_targets = n_sums / components;
        targets = buffers.template read<Real>() + args.gravity.first_target * P::width;
        sources = buffers.template read<Real>();
        n_sources = buffers.size() / P::width;
        partial = buffers.template scratch<Sum>();
        max_splits = n_sums == 0 ? 0 : std::min(buffers.size() / n_sums, gravity_most_splits);
    }
};

/// The task that adds to the sums, in any order.
template <class P, GravityResult result>
struct GravityAddTask : GravityTask<P, result> {
    static constexpr std::string_view name = "gravity_add";
    static constexpr Color color = Color::amber;

    template <class Buffers>
    static GravityAddTask of(Buffers& buffers) {
        using Sum = typename P::Sum;
        GravityAddTask task{
            {buffers.args(), buffers.template accumulate<Sum>(), {}, {}, {}, 0, 0, 0}};
        task.take(buffers);
        return task;
    }
};

/// The task that adds to the sums, in the order of submission.
template <class P, GravityResult result>
struct GravityAddInOrderTask : GravityTask<P, result> {
    static constexpr std::string_view name = "gravity_add_in_order";
    static constexpr Color color = Color::amber;

    template <class Buffers>
    static GravityAddInOrderTask of(Buffers& buffers) {
        using Sum = typename P::Sum;
        GravityAddInOrderTask task{
            {buffers.args(), buffers.template update<Sum>(), {}, {}, {}, 0, 0, 0}};
        task.take(buffers);
        return task;
    }
};

/// Whether epsilon is large enough for the faster formula.
template <class P>
bool is_softened(const TaskArgs& args) {
    return args.gravity.epsilon_square >= static_cast<double>(softened_square<typename P::Real>);
}

#ifndef __CUDACC__
/// The number of sources after which a tile's sums are added to the totals: long sums in Real lose
/// digits.
inline constexpr std::size_t gravity_chunk = 256;

/// The batches of targets that meet a source together, so that its numbers are fetched once for
/// all: as many as leave registers for the arithmetic beside their positions and sums.
template <class P, class B>
inline constexpr std::size_t
    gravity_tile = (sizeof(B) == 64 ? 4 : 2) /
                   (P::width == packed_width(GravityPrecision::mixed_precision) ? 2 : 1);

/// One tile of targets, a lane each.
template <class P, Closeness closeness, GravityResult result, class B>
class GravityTile {
public:
    using Real = typename P::Real;
    using Sum = typename P::Sum;
    using Task = GravityTask<P, result>;
    static constexpr std::size_t tile = gravity_tile<P, B>;
    static constexpr std::size_t n_lanes = tile * B::size;

    /// Takes the targets from `begin` of the task's; idle lanes repeat the last.
    GravityTile(const Task& task, std::size_t begin)
        : task_(task), begin_(begin),
          epsilon_square_(static_cast<Real>(task.args.gravity.epsilon_square)) {
        for (std::size_t t = 0; t < tile; ++t) {
            position_[t] = P::template position<B>([&](int k) {
                alignas(64) Real lanes[B::size];
                for (std::size_t i = 0; i < B::size; ++i) {
                    const auto body = std::min(begin + t * B::size + i, task.n_targets - 1);
                    lanes[i] = task.targets[body * P::width + static_cast<std::size_t>(k)];
                }
                return B::load_aligned(lanes);
            });
        }
    }

    void add_sources() {
        for (std::size_t begin = 0; begin < task_.n_sources; begin += gravity_chunk) {
            const std::size_t end = std::min(begin + gravity_chunk, task_.n_sources);
            if constexpr (result == GravityResult::with_potential) {
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
                task_.put(begin_ + i, c, total_[c][i]);
            }
        }
    }

private:
    /// Returns the place of the first target among the sources.
    [[nodiscard]] std::int64_t self() const {
        return task_.args.gravity.self + static_cast<std::int64_t>(begin_);
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
                if constexpr (result == GravityResult::with_potential) {
                    potential[t] = potential[t] + pair;
                }
            }
        }
        for (std::size_t t = 0; t < tile; ++t) {
            add_total(0, t, acceleration[t].x);
            add_total(1, t, acceleration[t].y);
            add_total(2, t, acceleration[t].z);
            if constexpr (result == GravityResult::with_potential) {
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

template <class P, Closeness closeness, GravityResult result, class Isa>
void gravity_blocks(const GravityTask<P, result>& task) {
    using Tile = GravityTile<P, closeness, result, Batch<typename P::Real, Isa>>;
    for (std::size_t begin = 0; begin < task.n_targets; begin += Tile::n_lanes) {
        Tile tile(task, begin);
        tile.add_sources();
        tile.store();
    }
}

template <class P, GravityResult result, class Isa>
void gravity_cpu(const GravityTask<P, result>& task) {
    if (is_softened<P>(task.args)) {
        gravity_blocks<P, Closeness::softened, result, Isa>(task);
    } else {
        gravity_blocks<P, Closeness::any, result, Isa>(task);
    }
}

template <class P, class Isa>
GravityMachine gravity_machine_cpu() {
    using B = Batch<typename P::Real, Isa>;
    GravityMachine machine;
    machine.lanes = B::size;
    machine.block_targets = gravity_tile<P, B> * B::size;
    return machine;
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/pairs/gravity.cuh"
#endif
