// SPDX-License-Identifier: BSD-3-Clause
// The columns of the caller's tables, whose numbers lie anywhere in an array, as arrays of doubles
// that tasks take; and whether all numbers are in a range. O(n).
#pragma once

#include "codelets/task/codelet.hpp"
#include "codelets/task/for_each_index.hpp"
#include "core/host_device.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The task of `read_column`: all rows, or as many of them, evenly chosen, as there is room for.
struct ReadColumnTask {
    static constexpr std::string_view name = "read_column";
    static constexpr Color color = Color::grey;
    double* column;         ///< W [n]
    const std::byte* table; ///< R
    std::size_t n;
    TableColumn where;

    template <class Buffers>
    static ReadColumnTask of(Buffers& buffers) {
        ReadColumnTask task{};
        task.column = buffers.template write<double>();
        task.n = buffers.size();
        task.table = buffers.template read<std::byte>();
        task.where = buffers.args().table;
        return task;
    }

    template <class Backend>
    static void run(const ReadColumnTask& task) {
        for_each_index<Backend>(task.n, task);
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i) const {
        const std::int64_t at = where.place(i * where.rows / n);
        column[i] = where.is_single ? static_cast<double>(reinterpret_cast<const float*>(table)[at])
                                    : reinterpret_cast<const double*>(table)[at];
    }
};

/// The task of `write_column`.
struct WriteColumnTask {
    static constexpr std::string_view name = "write_column";
    static constexpr Color color = Color::grey;
    std::byte* table;     ///< RW
    const double* column; ///< R [n]
    std::size_t n;
    TableColumn where;

    template <class Buffers>
    static WriteColumnTask of(Buffers& buffers) {
        WriteColumnTask task{};
        task.table = buffers.template update<std::byte>();
        task.column = buffers.template read<double>();
        task.n = buffers.size();
        task.where = buffers.args().table;
        return task;
    }

    template <class Backend>
    static void run(const WriteColumnTask& task) {
        for_each_index<Backend>(task.n, task);
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i) const {
        const std::int64_t at = where.place(i);
        if (where.is_single) {
            reinterpret_cast<float*>(table)[at] = static_cast<float>(column[i]);
        } else {
            reinterpret_cast<double*>(table)[at] = column[i];
        }
    }
};

/// A word that becomes zero.
struct ClearedWord {
    std::uint32_t* word;

    STARFMM_HOST_DEVICE void operator()(std::size_t i) const { word[i] = 0; }
};

/// The task of `check_range`.
struct CheckRangeTask {
    static constexpr std::string_view name = "check_range";
    static constexpr Color color = Color::grey;
    std::uint32_t* is_out; ///< W [1] whether a value is neither zero nor in the range
    const double* values;  ///< R [n]
    std::size_t n;
    double lowest;
    double highest;

    template <class Buffers>
    static CheckRangeTask of(Buffers& buffers) {
        CheckRangeTask task{};
        task.is_out = buffers.template write<std::uint32_t>();
        task.values = buffers.template read<double>();
        task.n = buffers.size();
        task.lowest = buffers.args().range[0];
        task.highest = buffers.args().range[1];
        return task;
    }

    template <class Backend>
    static void run(const CheckRangeTask& task) {
        for_each_index<Backend>(1, ClearedWord{task.is_out});
        for_each_index<Backend>(task.n, task);
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i) const {
        const double magnitude = std::fabs(values[i]);
        const bool is_in =
            magnitude >= lowest && magnitude <= highest; // false of what is no number
        if (!is_in && magnitude != 0) {
            *is_out = 1; // whoever writes it writes the same
        }
    }
};

} // namespace starfmm
