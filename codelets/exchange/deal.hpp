// SPDX-License-Identifier: BSD-3-Clause
// Deal carries the values of points between the user's arrays, chunk by chunk, and groups, where no
// worker holds all of them, in O(N). A piece is what one chunk has of one group, in the user's
// order; a group's pieces, one after the other, are the order in which it knows its points.
//
//   deal_places   finds where in its pieces each point of a chunk is
//   deal_runs     finds it for groups that follow each other on the Z-order curve
//   deal          puts a chunk's values into its pieces
//   deal_join     joins a group's pieces into one array
//   deal_pick     joins them where a chunk's pieces are one array
//   deal_collect  puts a chunk's pieces into its values
//   deal_users    puts the user's indices of a chunk's points into its pieces
//   deal_order    turns a group's permutation from its pieces to the user's points
#pragma once

#include "codelets/exchange/pieces.hpp"
#include "codelets/task/for_each_index.hpp"
#include "core/tree/orthtree.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace starfmm {

/// The bytes of scratch that `deal_places` and `deal_runs` need on any worker: counts of each warp
/// of a GPU, and CUB's memory.
inline constexpr std::size_t deal_scratch_bytes = std::size_t(1) << 22U;

/// Calls task(i, value in its piece) for the points of a chunk.
template <class Backend, class Task>
void for_each_dealt(const Task& task);

/// Finds the places of a chunk's points in its pieces.
/// \param task  a task of deal_places or deal_runs
template <class Backend, class Task>
void find_dealt_places(const Task& task);

/// The task of `deal_users`.
struct DealUsersTask {
    static constexpr std::string_view name = "deal_users";
    static constexpr Color color = Color::grey;
    const std::uint32_t* places; ///< R   [n]
    Pieces pieces;               ///< W
    std::size_t n;
    std::uint64_t first; ///< index of the chunk's first point

    template <class Buffers>
    static DealUsersTask of(Buffers& buffers) {
        DealUsersTask task{};
        task.places = buffers.template read<std::uint32_t>();
        task.n = buffers.size();
        task.pieces = Pieces::of(buffers.write_rest(), buffers.args().n_slots);
        task.first = buffers.args().chunk.first;
        return task;
    }

    template <class Backend>
    static void run(const DealUsersTask& task) {
        for_each_dealt<Backend>(task);
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i, double& value) const {
        value = static_cast<double>(first + i);
    }
};

/// The task of `deal_order`.
struct DealOrderTask {
    static constexpr std::string_view name = "deal_order";
    static constexpr Color color = Color::grey;
    std::uint32_t* permutation; ///< RW  [n]
    const double* users;        ///< R   [n], a group's joined indices
    std::size_t n;

    template <class Buffers>
    static DealOrderTask of(Buffers& buffers) {
        DealOrderTask task{};
        task.permutation = buffers.template update<std::uint32_t>();
        task.n = buffers.size();
        task.users = buffers.template read<double>();
        return task;
    }

    template <class Backend>
    static void run(const DealOrderTask& task) {
        for_each_index<Backend>(task.n, task);
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i) const {
        permutation[i] = static_cast<std::uint32_t>(users[permutation[i]]);
    }
};

/// The task of `deal_places`: points by group, those of one group in the user's order.
struct DealPlacesTask {
    static constexpr std::string_view name = "deal_places";
    static constexpr Color color = Color::grey;
    std::uint32_t* places;      ///< W   [n], place of each point in the order of pieces
    std::byte* scratch;         ///< scratch [deal_scratch_bytes]
    const std::uint8_t* labels; ///< R   [n], group of each point
    std::size_t n;
    std::size_t n_groups;

    template <class Buffers>
    static DealPlacesTask of(Buffers& buffers) {
        DealPlacesTask task{};
        task.places = buffers.template write<std::uint32_t>();
        task.n = buffers.size();
        task.scratch = buffers.template scratch<std::byte>();
        task.labels = buffers.template read<std::uint8_t>();
        task.n_groups = std::size_t(1) << (2 * buffers.args().split_levels);
        return task;
    }

    template <class Backend>
    static void run(const DealPlacesTask& task) {
        find_dealt_places<Backend>(task);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t label(std::size_t i) const { return labels[i]; }
};

/// The task of `deal_runs`: points by group, where each group is a run of the Z-order curve.
struct DealRunsTask {
    static constexpr std::string_view name = "deal_runs";
    static constexpr Color color = Color::grey;
    std::uint32_t* places;   ///< W   [n], place of each point in the order of pieces
    std::byte* scratch;      ///< scratch [deal_scratch_bytes]
    const DeepCode* codes;   ///< R   [n], places on the curve
    const DeepCode* borders; ///< R   [n_groups], where each begins on the curve, ascending
    std::size_t n;
    std::size_t n_groups;

    template <class Buffers>
    static DealRunsTask of(Buffers& buffers) {
        DealRunsTask task{};
        task.places = buffers.template write<std::uint32_t>();
        task.n = buffers.size();
        task.scratch = buffers.template scratch<std::byte>();
        task.codes = buffers.template read<DeepCode>();
        task.borders = buffers.template read<DeepCode>();
        task.n_groups = buffers.size();
        return task;
    }

    template <class Backend>
    static void run(const DealRunsTask& task) {
        find_dealt_places<Backend>(task);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t label(std::size_t i) const {
        const DeepCode code = codes[i];
        std::uint32_t first = 0;
        for (auto last = static_cast<std::uint32_t>(n_groups); last - first > 1;) {
            const std::uint32_t middle = (first + last) / 2;
            (code < borders[middle] ? last : first) = middle;
        }
        return first;
    }
};

/// The task of `deal`.
struct DealTask {
    static constexpr std::string_view name = "deal";
    static constexpr Color color = Color::grey;
    double* values;              ///< R   [n], the chunk's part of a user's array; deal_collect: W
    const std::uint32_t* places; ///< R   [n]
    Pieces pieces;               ///< W; deal_collect: R
    std::size_t n;

    template <class Buffers>
    static DealTask of(Buffers& buffers) {
        DealTask task{};
        task.values = const_cast<double*>(buffers.template read<double>()); // of either direction
        task.n = buffers.size();
        task.places = buffers.template read<std::uint32_t>();
        task.pieces = Pieces::of(buffers.write_rest(), buffers.args().n_slots);
        return task;
    }

    template <class Backend, class Task>
    static void run(const Task& task) {
        for_each_dealt<Backend>(task);
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i, double& value) const {
        value = read_constant(values + i);
    }
};

/// The task of `deal_collect`.
struct DealCollectTask : DealTask {
    static constexpr std::string_view name = "deal_collect";

    template <class Buffers>
    static DealCollectTask of(Buffers& buffers) {
        DealCollectTask task{};
        task.values = buffers.template write<double>();
        task.n = buffers.size();
        task.places = buffers.template read<std::uint32_t>();
        task.pieces = Pieces::of(buffers.read_rest(), buffers.args().n_slots);
        return task;
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i, const double& value) const {
        values[i] = read_constant(&value);
    }
};

/// The task of `deal_join`.
struct DealJoinTask {
    static constexpr std::string_view name = "deal_join";
    static constexpr Color color = Color::grey;
    double* values; ///< W   [n], values of a group's points
    Pieces pieces;  ///< R

    template <class Buffers>
    static DealJoinTask of(Buffers& buffers) {
        return {
            buffers.template write<double>(),
            Pieces::of(buffers.read_rest(), buffers.args().n_slots)};
    }

    template <class Isa>
    static void cpu(const DealJoinTask& task);
    static void cuda(const DealJoinTask& task);
};

/// The values that a task takes from a slot's array.
struct SlotRun {
    std::uint32_t begin;
    std::uint32_t n;
};

/// The most slots that a task may have that names a run of each.
inline constexpr std::size_t max_runs = max_slots / 2;

inline SlotRun slot_run(const TaskArgs& args, std::uint32_t slot) {
    return {args.slots[slot], args.slots[max_runs + slot]};
}

inline void set_slot_run(TaskArgs& args, std::uint32_t slot, const SlotRun& run) {
    args.slots[slot] = run.begin;
    args.slots[max_runs + slot] = run.n;
}

/// The task of `deal_pick`: groups that share one memory need no array for each piece, of which
/// there would be thousands.
struct DealPickTask : DealJoinTask {
    static constexpr std::string_view name = "deal_pick";

    template <class Buffers>
    static DealPickTask of(Buffers& buffers) {
        DealPickTask task{};
        task.values = buffers.template write<double>();
        const TaskArgs& args = buffers.args();
        void** const arrays = buffers.read_rest();
        task.pieces.n = args.n_slots;
        for (std::uint32_t slot = 0; slot < args.n_slots; ++slot) {
            const SlotRun run = slot_run(args, slot);
            task.pieces.data[slot] = buffer_data<double>(arrays[slot]) + run.begin;
            task.pieces.begin[slot + 1] = task.pieces.begin[slot] + run.n;
        }
        return task;
    }
};

#ifndef __CUDACC__
/// A finder of values by place, faster than Pieces::at by a table of where to start.
template <class Isa>
class PieceFinder {
public:
    explicit PieceFinder(const Pieces& pieces) : pieces_(pieces) {
        while ((pieces.n_values() >> shift_) >= n_entries) {
            ++shift_;
        }
        std::uint32_t piece = 0;
        for (std::uint64_t entry = 0; entry < n_entries; ++entry) {
            while (piece + 1 < pieces.n && pieces.begin[piece + 1] <= entry << shift_) {
                ++piece;
            }
            first_[entry] = piece;
        }
    }

    [[nodiscard]] double& at(std::uint64_t place) const {
        std::uint32_t piece = first_[place >> shift_];
        while (place >= pieces_.begin[piece + 1]) {
            ++piece;
        }
        return pieces_.data[piece][place - pieces_.begin[piece]];
    }

private:
    static constexpr std::size_t n_entries = 1024; // many times as many as pieces
    const Pieces& pieces_;
    int shift_ = 0;
    std::array<std::uint32_t, n_entries> first_{};
};

template <class Isa, class Task>
void for_each_dealt(const Task& task) {
    const PieceFinder<Isa> finder(task.pieces);
    for (std::size_t i = 0; i < task.n; ++i) {
        task(i, finder.at(task.places[i]));
    }
}

template <class Isa, class Task>
void find_dealt_places(const Task& task) {
    std::array<std::uint32_t, max_slots> end{};
    for (std::size_t i = 0; i < task.n; ++i) {
        ++end[task.label(i)];
    }
    std::uint32_t sum = 0;
    for (std::size_t group = 0; group < task.n_groups; ++group) {
        sum += std::exchange(end[group], sum);
    }
    for (std::size_t i = 0; i < task.n; ++i) {
        task.places[i] = end[task.label(i)]++;
    }
}

template <class Isa>
void DealJoinTask::cpu(const DealJoinTask& task) {
    for (std::uint32_t piece = 0; piece < task.pieces.n; ++piece) {
        std::copy_n(
            task.pieces.data[piece], task.pieces.size(piece), task.values + task.pieces.begin[piece]
        );
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/exchange/deal.cuh"
#endif
