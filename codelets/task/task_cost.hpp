// SPDX-License-Identifier: BSD-3-Clause
// The time that a task will take, as StarPU is told before the first one has run.
#pragma once

#include <array>
#include <cstddef>

namespace starfmm {

struct TaskArgs;

/// The most CUDA implementations that a codelet has.
inline constexpr int max_implementations = 2;

/// The seconds that an operator's tasks take on one kind of worker:
///
/// fixed + work (unit + by_grain / g + by_square / g^2)
///
/// The grain g is the order; for near fields it is the number of points a box, for gravity that of
/// targets. Work of n translations counts n g^2, so that what a translation costs at any rate, for
/// each coefficient and for each product can be told apart.
struct TaskCost {
    double fixed = 0;
    double unit = 0; ///< seconds a unit of TaskArgs::work
    double by_grain = 0;
    double by_square = 0;

    [[nodiscard]] double seconds(double work, double grain) const {
        return fixed + work * (unit + by_grain / grain + by_square / (grain * grain));
    }

    [[nodiscard]] double seconds(const TaskArgs& args) const;

    bool operator==(const TaskCost&) const = default;
};

/// Returns the grain of a task.
[[nodiscard]] double grain_of(const TaskArgs& args);

/// The costs of one operator on each kind of worker.
struct OperatorCosts {
    TaskCost cpu{2e-6, 1e-9};
    /// The costs of the first CUDA implementation; the others' where they differ.
    std::array<TaskCost, max_implementations> cuda{TaskCost{1e-5, 1e-11}, TaskCost{1e-5, 1e-11}};

    bool operator==(const OperatorCosts&) const = default;
};

/// The predicted seconds of one task.
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
