// SPDX-License-Identifier: BSD-3-Clause
// How long a task will take: what StarPU is told before the first one has run.
#pragma once

#include <array>
#include <cstddef>

namespace starfmm {

struct TaskArgs;

/// Most CUDA implementations of a codelet.
inline constexpr int max_implementations = 2;

/// Seconds of an operator's tasks on one kind of worker: fixed + work (unit + by_grain / g +
/// by_square / g^2). The grain g is the order, or of near fields the points a box, or of gravity
/// the targets: work of n translations counts n g^2, so that what a translation costs at any rate,
/// for each coefficient and for each product can be told apart.
struct TaskCost {
    double fixed = 0;
    double unit = 0; ///< of TaskArgs::work
    double by_grain = 0;
    double by_square = 0;

    [[nodiscard]] double seconds(double work, double grain) const {
        return fixed + work * (unit + by_grain / grain + by_square / (grain * grain));
    }

    [[nodiscard]] double seconds(const TaskArgs& args) const;

    bool operator==(const TaskCost&) const = default;
};

/// The grain of a task.
[[nodiscard]] double grain_of(const TaskArgs& args);

/// Of one operator on each kind of worker.
struct OperatorCosts {
    TaskCost cpu{2e-6, 1e-9};
    /// Of the first CUDA implementation; the others' where they differ.
    std::array<TaskCost, max_implementations> cuda{TaskCost{1e-5, 1e-11}, TaskCost{1e-5, 1e-11}};

    bool operator==(const OperatorCosts&) const = default;
};

/// Predicted seconds of one task.
struct TaskTimes {
    double cpu = 0;
    std::array<double, max_implementations> cuda{};

    TaskTimes& operator+=(const TaskTimes& other) {
        cpu += other.cpu;
        for (std::size_t i = 0; i < cuda.size(); ++i) {
            cuda[i] += other.cuda[i];
        }
        return *this;
    }
};

[[nodiscard]] TaskTimes times_of(const OperatorCosts& costs, const TaskArgs& args);

} // namespace starfmm
