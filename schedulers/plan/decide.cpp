// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/decide.hpp"

#include "core/error.hpp"
#include "schedulers/costs/choose_team.hpp"
#include "schedulers/costs/task_costs.hpp"
#include "schedulers/plan/inspection/reach.hpp"

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

} // namespace

PlanInfo
decide(Runtime& runtime, KernelSet& kernel, const PlanOptions& asked, const ProblemSize& size) {
    const PlanOptions options = asked.with_tree(kernel.traits.dimension);
    check_precision(kernel.traits, options.tolerance);
    check_epsilon(kernel.traits, options.epsilon);
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
    if (decided.method == Method::direct) {
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
