// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/decide.hpp"

#include "core/error.hpp"
#include "schedulers/costs/choose_team.hpp"
#include "schedulers/costs/task_costs.hpp"
#include "schedulers/plan/inspection/reach.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>

namespace starfmm {

namespace {

void check_epsilon(const KernelTraits& kernel, double epsilon) {
    if (epsilon > 0 && !kernel.is_softened) {
        std::ostringstream message;
        message << "epsilon = " << epsilon << ": must be 0: kernel " << kernel.name
                << " is not softened";
        throw InputError(message.str());
    }
}

/// Refuses what the kernel's pairs, or the tree, do not allow.
void check_kernel(const KernelTraits& kernel, const PlanOptions& options, const ProblemSize& size) {
    if (kernel.order == nullptr && options.method == Method::fmm) {
        throw InputError(
            "method = fmm: kernel " + kernel.name +
            " has no expansions: sum directly, or a near field"
        );
    }
    const bool has_equal_leaves =
        options.method == Method::near_field || options.tree == TreeKind::pyramid;
    if (options.pairs == PairScheme::both_ways &&
        (!kernel.is_mutual || size.separate_targets || !has_equal_leaves)) {
        throw InputError(
            "pairs = both_ways: kernel " + kernel.name +
            (kernel.is_mutual ? ": needs sources that are the targets, in leaves of one size"
                              : ": has no pairs for both points")
        );
    }
}

/// Refuses plane waves that no GPU would take.
void check_waves(const Runtime& runtime, const PlanOptions& options) {
    if (options.plane_waves == PlaneWaves::always &&
        (runtime.n_cuda() == 0 || options.team == Team::cores)) {
        throw InputError("plane_waves: are of GPUs, none of which sums: leave them out");
    }
}

/// Made now, unless the last one answers this question, too.
const LastChoice& choice_for(
    Runtime& runtime, KernelSet& kernel, const PlanOptions& options, const ProblemSize& size
) {
    std::optional<LastChoice>& last = runtime.last_choice();
    if (!last || !last->answers(kernel, options, size)) {
        const WorkerCounts workers{runtime.n_cpu(), runtime.n_cuda()};
        const TunedCosts tuned = tuned_costs(runtime, kernel, options, size);
        set_task_costs(kernel, tuned.tasks);
        const Choice choice = choose_with_team(options, kernel.traits, size, tuned, workers);
        last = LastChoice{
            &kernel, options, size, choice, tuned.source, tuned.notice, tuned.are_doubtful};
    }
    return *last;
}

/// Near fields, and sums of kernels without expansions, have nothing to choose: GPUs sum them, or
/// the workers that are asked for.
PlanInfo
without_choice(const Runtime& runtime, const PlanOptions& options, int dimension, std::size_t n) {
    PlanInfo chosen;
    chosen.method = options.method;
    const bool has_both = runtime.n_cpu() > 0 && runtime.n_cuda() > 0;
    chosen.team = has_both && options.team == Team::automatic ? Team::gpus : options.team;
    chosen.theta = 0.5; // of no effect, as it must not be 0
    chosen.order = 0;
    if (options.method == Method::direct) {
        return chosen;
    }
    chosen.tree = TreeKind::orthtree;
    // what boxes hold on average: the room for boxes rests on it
    const std::size_t per_box = n >> (dimension * options.levels);
    constexpr std::size_t most = 1'000'000;
    chosen.leaf_size = static_cast<std::uint32_t>(std::clamp<std::size_t>(per_box, 1, most));
    return chosen;
}

} // namespace

PlanInfo
decide(Runtime& runtime, KernelSet& kernel, const PlanOptions& asked, const ProblemSize& size) {
    PlanOptions options = asked.with_tree(kernel.traits.dimension);
    if (kernel.traits.order == nullptr && options.method == Method::automatic) {
        options.method = Method::direct;
    }
    check_kernel(kernel.traits, options, size);
    check_precision(kernel.traits, options.tolerance);
    check_epsilon(kernel.traits, options.epsilon);
    check_waves(runtime, options);
    if (options.method == Method::near_field || kernel.traits.order == nullptr) {
        return without_choice(
            runtime, options, kernel.traits.dimension, std::max(size.n_sources, size.n_targets)
        );
    }
    const LastChoice& last = choice_for(runtime, kernel, options, size);
    const Choice& choice = last.choice;
    if (choice.method == Method::fmm && options.order == 0) {
        check_order({kernel.traits, choice.terms}, options.tolerance, choice.theta);
    }
    PlanInfo chosen;
    chosen.method = choice.method;
    chosen.team = choice.team;
    chosen.team_s = choice.team_s;
    chosen.theta = choice.theta;
    chosen.heavy_theta = options.heavy_theta;
    chosen.order = choice.order;
    chosen.terms = choice.terms;
    chosen.tree = options.tree;
    chosen.levels = options.tree == TreeKind::pyramid ? choice.levels : 0;
    chosen.leaf_size = options.tree == TreeKind::orthtree ? choice.leaf_size : 0;
    chosen.roots = choice.roots;
    chosen.predicted_fmm_s = choice.fmm_s;
    chosen.predicted_direct_s = choice.direct_s;
    chosen.costs = is_automatic(options) ? last.source : CostSource::none;
    chosen.has_doubtful_costs = last.is_doubtful;
    chosen.tuning_notice = last.notice;
    return chosen;
}

PlanOptions as_decided(const PlanOptions& options, const PlanInfo& decided) {
    PlanOptions closed = options;
    closed.method = decided.method;
    if (decided.method != Method::fmm) {
        return closed;
    }
    closed.tree = decided.tree;
    closed.theta = decided.theta;
    closed.order = decided.order;
    closed.terms = decided.terms;
    if (decided.tree == TreeKind::pyramid) {
        closed.levels = decided.levels;
        closed.leaf_size = 0;
    } else {
        closed.leaf_size = decided.leaf_size;
        closed.roots = decided.roots;
    }
    return closed;
}

} // namespace starfmm
