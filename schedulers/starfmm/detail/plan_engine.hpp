// SPDX-License-Identifier: BSD-3-Clause
// Sums by a Plan: of the kernels with expansions of their own.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "schedulers/plan/plan.hpp"
#include "starfmm/detail/sum_engine.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starfmm::detail {

/// How a plan sums.
struct PlanChoice {
    KernelSet* kernel;
    Precision precision;
    PlanOptions options;
    std::string why_direct{};    ///< Report::why_direct
    std::string why_precision{}; ///< Report::why_precision

    friend bool operator==(const PlanChoice&, const PlanChoice&) = default;
};

/// Fills in what a plan has decided.
void describe_plan(const PlanInfo& info, Report& report);

/// Sets what is chosen.
void set_choices(const Choices& choices, PlanOptions& plan);

/// Plan options of a sum's.
/// \throws InputError for a tolerance that is not in L2, or choices that only gravity has
[[nodiscard]] PlanOptions plan_options(const SumOptions& options);

/// Waits for what a choice still has to know, and chooses.
using FinishChoice = std::function<PlanChoice()>;

/// Begins to choose for the points and strengths at hand; for points alone, which are new ones then,
/// if there are no strengths yet. What was chosen for earlier ones may restrict it. The arguments
/// must outlive the choice.
using ChoosePlan = std::function<FinishChoice(
    Runtime& runtime, const PlacedPoints& points, std::span<const StrengthsRef> strengths
)>;

/// The plan is made with the points or by the first evaluation, and again where strengths ask for
/// another choice. Where GPUs sum, that is found while they do, and they sum again.
class PlanEngine : public SumEngine {
public:
    PlanEngine(Runtime& runtime, ChoosePlan choose, Planning planning);

    void place(const PlacedPoints& points) override;
    void prepare(std::span<const StrengthsRef> strengths) override;

    [[nodiscard]] bool takes_gpu_arrays() const override { return true; }

    void
    evaluate(std::span<const StrengthsRef> strengths, std::span<const ResultsRef> values) override;
    void describe(Report& report) override;
    [[nodiscard]] Choices choices() override;
    [[nodiscard]] std::vector<MeshLeaf> mesh(std::size_t leaf) override;
    [[nodiscard]] const PlanInfo* plan_info() override;

private:
    /// \throws InputError if there are none
    void check_points() const;

    /// \throws whatever the plan does, after which there is none
    void rebuild(const PlanChoice& choice);
    void replace_points();
    void make_plan(const PlanChoice& choice);

    /// Sums by the plan that there is.
    void
    sum(std::span<const StrengthsRef> strengths,
        std::span<const ResultsRef> values,
        const WhileSumming& meanwhile);

    Runtime& runtime_;
    ChoosePlan choose_;
    Planning planning_;
    const PlacedPoints* points_ = nullptr; ///< null after others were refused
    PlanChoice chosen_{};
    std::optional<PlanChoice> prepared_; ///< what was chosen for strengths like all that follow
    double tuning_s_ = 0;
    std::string notice_;
    std::unique_ptr<Plan> plan_; ///< null after it failed: the next evaluation makes another
};

/// What sums of a kernel with expansions are: its shape, its engine, and its exact values.
/// \param kernel of the shape's dimension, by whose pairs exact values are summed
[[nodiscard]] KernelEntry plan_entry(
    KernelShape shape,
    const KernelTraits& kernel,
    double epsilon,
    std::function<ChoosePlan(const SumOptions& options)> choose
);

} // namespace starfmm::detail
