// SPDX-License-Identifier: BSD-3-Clause
// What sums of one kernel are made by, behind Sum and Kernel.
#pragma once

#include "core/particles/points.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/motion.hpp"
#include "schedulers/runtime/gpu_array.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "starfmm/detail/columns.hpp"
#include "starfmm/kernels.hpp"
#include "starfmm/sum.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace starfmm {

struct PlanInfo;

}

namespace starfmm::detail {

/// Strengths [s][n] or values [v][m], an array for each component.
using Components = std::vector<std::vector<double>>;

/// The coordinates of points where they lie.
struct Coordinates {
    std::vector<std::span<const double>> x;     ///< an array a dimension; none: no points
    std::unique_ptr<const InputColumns> held{}; ///< holds them unless they are the caller's

    operator PointsRef() const { // NOLINT(*-explicit-*): a view
        return PointsRef(std::span<const std::span<const double>>(x));
    }
};

/// Points of a sum, in host memory or, if that is where they came from, on a GPU.
class PlacedPoints {
public:
    PlacedPoints(Coordinates sources, Coordinates targets, std::vector<double> lengths)
        : sources_(std::move(sources)), targets_(std::move(targets)), lengths_(std::move(lengths)) {
    }

    [[nodiscard]] PointsRef sources() const { return sources_; }

    /// SumOptions::lengths; empty: there are none.
    [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }

    /// Whether targets are not the sources.
    [[nodiscard]] bool has_targets() const { return !targets_.x.empty(); }

    /// The targets, or the sources.
    [[nodiscard]] PointsRef evaluation_points() const {
        return has_targets() ? targets_ : sources_;
    }

    /// Takes the targets of other points, which lose them.
    void take_targets(PlacedPoints& others) { targets_ = std::move(others.targets_); }

private:
    Coordinates sources_;
    Coordinates targets_; ///< none: the sources
    std::vector<double> lengths_;
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

    /// Chooses for strengths like these, and does what an evaluation would not do again.
    virtual void prepare(std::span<const StrengthsRef> /*strengths*/) {}

    /// Whether points, strengths and values may lie on GPUs.
    [[nodiscard]] virtual bool takes_gpu_arrays() const { return false; }

    /// Evaluates right-hand sides, each into an array a component.
    virtual void
    evaluate(std::span<const StrengthsRef> strengths, std::span<const ResultsRef> values) = 0;

    /// Moves bodies better than by a place() and an evaluate() a step, if the engine can. What it
    /// chooses for them at their start stands.
    /// \param particles bodies at the points; they stay where they are
    /// \param accelerations of the bodies: set
    /// \returns their motion, after its evaluation; null: the engine has none
    [[nodiscard]] virtual std::unique_ptr<Motion>
    start_motion(Particles& /*particles*/, Accelerations& /*accelerations*/) {
        return nullptr;
    }

    /// Fills in what the engine has decided.
    virtual void describe(Report& report) = 0;

    [[nodiscard]] virtual Choices choices() = 0;

    /// Leaves of a plan's tree, seen from one of them.
    [[nodiscard]] virtual std::vector<MeshLeaf> mesh(std::size_t /*leaf*/) { return {}; }

    /// What a plan says of itself, if there is one.
    [[nodiscard]] virtual const PlanInfo* plan_info() { return nullptr; }
};

/// The values of some targets in extended precision.
struct ExactValues {
    std::vector<std::vector<long double>> components; ///< [v][targets]
    std::vector<std::vector<long double>>
        magnitudes; ///< [parts of a value][targets], the sums of the terms' magnitudes
    /// Values that are less than this share of the sum of their terms' magnitudes are taken for that
    /// share where a target's error is relative to them.
    long double least_share = 0;
};

/// A kernel, with its parameters.
struct KernelEntry {
    KernelShape shape;
    /// Checks the options, and makes sums of them.
    std::function<std::unique_ptr<SumEngine>(Runtime& runtime, const SumOptions& options)> make;
    /// Sums over all sources that act, at some of the targets.
    std::function<ExactValues(
        const PlacedPoints& points,
        const Components& strengths,
        const std::vector<std::size_t>& which,
        const PairFilter& acts
    )>
        exact;
    bool has_lengths = false; ///< whether sources may have SumOptions::lengths
};

} // namespace starfmm::detail
