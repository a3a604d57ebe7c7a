// SPDX-License-Identifier: BSD-3-Clause
// What sums of one kernel are made by, behind Sum and Kernel.
#pragma once

#include "core/particles/points.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "starfmm/kernels.hpp"
#include "starfmm/sum.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace starfmm::detail {

/// Strengths [s][n] or values [v][m], an array for each component.
using Components = std::vector<std::vector<double>>;

/// Points that a sum has copied.
struct PlacedPoints {
    AnyPoints sources;
    AnyPoints targets; ///< none: the sources

    [[nodiscard]] const AnyPoints& evaluation_points() const {
        return targets.x.empty() ? sources : targets;
    }
};

/// Sums of one kernel with the caller's options.
class SumEngine {
public:
    SumEngine() = default;
    SumEngine(const SumEngine&) = delete;
    SumEngine& operator=(const SumEngine&) = delete;
    virtual ~SumEngine() = default;

    /// Takes points, which stay where they are until the next call.
    virtual void place(const PlacedPoints& points) = 0;

    /// Evaluates right-hand sides. \returns the values of each
    [[nodiscard]] virtual std::vector<Components> evaluate(std::span<const Components> strengths
    ) = 0;

    /// Fills in what the engine has decided.
    virtual void describe(Report& report) = 0;

    [[nodiscard]] virtual Choices choices() = 0;
};

/// The values of some targets in extended precision.
struct ExactValues {
    std::vector<std::vector<long double>> components; ///< [v][targets]
    /// For each part of a value and each target, what smaller values are taken for where errors are
    /// relative to them; empty: nothing.
    std::vector<std::vector<long double>> least;
};

/// A kernel, with its parameters.
struct KernelEntry {
    KernelShape shape;
    /// Checks the options, and makes sums of them.
    std::function<std::unique_ptr<SumEngine>(Runtime& runtime, const SumOptions& options)> make;
    /// Sums over all sources at some of the targets.
    std::function<ExactValues(
        const PlacedPoints& points,
        const Components& strengths,
        const std::vector<std::size_t>& which
    )>
        exact;
};

} // namespace starfmm::detail
