// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/choose_team.hpp"

#include <algorithm>
#include <array>

namespace starfmm {

namespace {

/// Seconds of a link for what a GPU and a core tell each other of a point: coordinates, strength,
/// result, lists.
constexpr double link_s = 60 / 50e9;

/// Seconds that a task of either kind, and its data, cost.
constexpr double task_s = 2e-5;

/// Units of work that GPUs do, whoever does the rest.
constexpr std::array gpu_units{Unit::once, Unit::level, Unit::point, Unit::point_level};

double by_both(double gpu, double core, int n_cpu) {
    return gpu > 0 && core > 0 ? 1 / (1 / gpu + n_cpu / core) : std::max(gpu, core);
}

const UnitCosts& costs_of(Team team, const MachineCosts& costs, const UnitCosts& shared) {
    switch (team) {
    case Team::cores:
        return costs.cores;
    case Team::all:
        return shared;
    default:
        return costs.costs;
    }
}

WorkerCounts workers_of(Team team, const WorkerCounts& workers) {
    return {team == Team::gpus ? 0 : workers.n_cpu, team == Team::cores ? 0 : workers.n_cuda};
}

double time_of(const Choice& choice) {
    return choice.method == Method::direct ? choice.direct_s : choice.fmm_s;
}

double& time_of(Team team, TeamTimes& times) {
    return team == Team::gpus ? times.gpus : team == Team::cores ? times.cores : times.all;
}

/// Tasks small enough for a core, and data on their way between memories, cost more than
/// predictions know.
bool is_better(const Choice& choice, const Choice& best) {
    constexpr double least_gain = 0.9;
    return time_of(choice) < (choice.team == Team::all ? least_gain : 1) * time_of(best);
}

/// Chooses as choose() does, with predictions even where options leave no choice.
Choice choose_for(
    Team team,
    const PlanOptions& options,
    const KernelTraits& kernel,
    const ProblemSize& size,
    const UnitCosts& costs,
    const WorkerCounts& workers
) {
    Choice choice = choose(options, kernel, size, costs, workers);
    choice.team = team;
    if (!is_automatic(options)) {
        PlanShape shape{size.n_sources, size.n_targets, size.separate_targets, choice.levels};
        shape.theta = choice.theta;
        shape.order = choice.order;
        shape.dimension = kernel.dimension;
        shape.roots = std::max(min_roots, choice.roots);
        shape.terms_besides = kernel.terms_besides;
        shape.wave_tolerance = wave_tolerance(options, choice.terms, workers);
        choice.fmm_s = predict_fmm(costs, shape, workers);
        choice.direct_s = predict_direct(costs, size.n_sources, size.n_targets, workers);
    }
    return choice;
}

} // namespace

UnitCosts shared_costs(const UnitCosts& gpus, const UnitCosts& cores, int n_cpu) {
    UnitCosts shared;
    for (std::size_t i = 0; i < shared.fmm.size(); ++i) {
        shared.fmm[i] = by_both(gpus.fmm[i], cores.fmm[i], n_cpu);
    }
    for (const Unit unit : gpu_units) {
        const auto i = static_cast<std::size_t>(unit);
        shared.fmm[i] = gpus.fmm[i];
    }
    shared.fmm[static_cast<std::size_t>(Unit::point)] += link_s;
    const auto pair = static_cast<std::size_t>(DirectUnit::pair);
    shared.direct = gpus.direct;
    shared.direct[pair] = by_both(gpus.direct[pair], cores.direct[pair], n_cpu);
    shared.task = task_s;
    return shared;
}

Choice choose_with_team(
    const PlanOptions& options,
    const KernelTraits& kernel,
    const ProblemSize& size,
    const MachineCosts& costs,
    const WorkerCounts& workers
) {
    if (workers.n_cpu == 0 || workers.n_cuda == 0) {
        return choose(options, kernel, size, costs.costs, workers);
    }
    const UnitCosts shared = shared_costs(costs.costs, costs.cores, workers.n_cpu);
    Choice best;
    TeamTimes times;
    for (const Team team : {Team::gpus, Team::cores, Team::all}) {
        const bool lacks_waves = team == Team::cores && options.plane_waves == PlaneWaves::always;
        if (lacks_waves || (options.team != Team::automatic && options.team != team)) {
            continue;
        }
        const Choice choice = choose_for(
            team, options, kernel, size, costs_of(team, costs, shared), workers_of(team, workers)
        );
        time_of(team, times) = time_of(choice);
        if (best.team == Team::automatic || is_better(choice, best)) {
            best = choice;
        }
    }
    best.team_s = times;
    if (!is_automatic(options)) { // nothing was to be chosen but the team
        best.fmm_s = best.direct_s = 0;
    }
    return best;
}

} // namespace starfmm
