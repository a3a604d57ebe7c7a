// SPDX-License-Identifier: BSD-3-Clause
// Advance changes one component of all bodies at given rates, in O(n): a leapfrog's kick or drift.
#pragma once

#include "codelets/task/codelet.hpp"
#include "codelets/task/for_each_index.hpp"
#include "core/particles/leapfrog.hpp"

#include <cstddef>
#include <string_view>

namespace starfmm {

/// The task of `advance`: velocities by accelerations, or positions by velocities.
struct AdvanceTask {
    static constexpr std::string_view name = "advance";
    static constexpr Color color = Color::amber;
    double* values;      ///< RW [n]
    const double* rates; ///< R  [n]
    std::size_t n;
    double time_step;

    template <class Buffers>
    static AdvanceTask of(Buffers& buffers) {
        AdvanceTask task{};
        task.values = buffers.template update<double>();
        task.rates = buffers.template read<double>();
        task.n = buffers.size();
        task.time_step = buffers.args().motion.time_step;
        return task;
    }

    template <class Backend>
    static void run(const AdvanceTask& task) {
        for_each_index<Backend>(task.n, task);
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i) const {
        values[i] = advanced(values[i], rates[i], time_step);
    }
};

} // namespace starfmm
