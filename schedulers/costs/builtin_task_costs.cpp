// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/task_costs.hpp"

namespace starfmm {

namespace {

/// Seconds that a task takes at any rate, of operators whose tasks are few and small: a core's
/// overhead, a GPU's launches.
constexpr double core_task = 5e-7;
constexpr double gpu_task = 1.5e-5;

/// Costs of an operator by the seconds of a unit of work on a core and on a GPU.
OperatorCosts by_work(double core, double gpu) {
    const TaskCost cuda{gpu_task, gpu};
    return {{core_task, core}, {cuda, cuda}};
}

/// Costs of an operator with what a box takes for each of its coefficients, and at any rate.
OperatorCosts by_order(const TaskCost& core, const TaskCost& gpu) {
    return {core, {gpu, gpu}};
}

/// Adds the costs of tasks that know no expansions.
void add_geometry(TaskCosts& costs) {
    costs["starfmm_rank"] = by_work(8e-9, 1.5e-10);
    costs["starfmm_sort"] = by_work(2e-9, 9e-11);
    costs["starfmm_sort_group"] = by_work(2e-9, 9e-11);
    costs["starfmm_sort_targets"] = by_work(4e-9, 9e-11);
    costs["starfmm_split_begin"] = by_work(2e-9, 5e-11);
    costs["starfmm_split_tally"] = by_work(2e-9, 5e-11);
    costs["starfmm_split_candidates"] = by_work(2e-9, 5e-11);
    costs["starfmm_split_label"] = by_work(2e-9, 5e-11);
    costs["starfmm_deal_places"] = by_work(3e-9, 5e-11);
    costs["starfmm_deal_runs"] = by_work(3e-9, 1e-11);
    costs["starfmm_deal"] = by_work(3e-9, 5e-11);
    costs["starfmm_deal_join"] = by_work(2e-9, 2e-11);
    costs["starfmm_deal_pick"] = by_work(2e-9, 2e-11);
    costs["starfmm_deal_users"] = by_work(2e-9, 5e-11);
    costs["starfmm_deal_order"] = by_work(2e-9, 5e-11);
    costs["starfmm_deal_collect"] = by_work(3e-9, 5e-11);
    costs["starfmm_extent"] = by_work(5e-10, 1e-11);
    costs["starfmm_domain"] = by_work(5e-10, 1e-11);
    costs["starfmm_cells"] = by_work(5e-9, 1e-10);
    costs["starfmm_chunk_cells"] = by_work(4e-9, 1.5e-11);
    costs["starfmm_chunk_parts"] = by_work(2e-9, 1e-11);
    costs["starfmm_curve"] = by_work(2e-8, 2e-10);
    costs["starfmm_grow"] = by_work(5e-9, 2e-10);
    costs["starfmm_bounds"] = by_work(4.8e-9, 5e-11);
    costs["starfmm_root"] = by_work(1e-9, 1e-11);
    costs["starfmm_cut"] = by_work(2e-9, 2e-11);
    costs["starfmm_powers"] = by_work(1e-8, 1e-10);
    costs["starfmm_connect"] = by_work(1.8e-7, 2e-9);
    costs["starfmm_strengths"] = by_work(1e-9, 5e-11);
    costs["starfmm_gather"] = by_work(2.8e-9, 1e-10);
    costs["starfmm_gather_all"] = by_work(2.8e-9, 1e-10);
    costs["starfmm_gather_begin"] = by_work(1e-9, 1e-11);
    costs["starfmm_advance"] = by_work(1e-9, 1e-11);
    costs["starfmm_energies"] = by_work(4e-9, 3e-11);
}

TaskCosts costs_in_plane() {
    TaskCosts costs;
    add_geometry(costs);
    const OperatorCosts terms =
        by_order({core_task, 2.5e-10, 2e-9, 0}, {gpu_task, 1e-12, 1e-11, 0});
    const OperatorCosts moves =
        by_order({core_task, 1.5e-10, 1e-9, 1e-8}, {3 * gpu_task, 7e-13, 4e-12, 2e-10});
    for (const char* name : {"starfmm_p2m", "starfmm_l2p", "starfmm_p2l", "starfmm_m2p"}) {
        costs[name] = terms;
    }
    for (const char* name : {"starfmm_m2m", "starfmm_m2m_top", "starfmm_l2l"}) {
        costs[name] = moves;
    }
    costs["starfmm_m2l"] =
        by_order({core_task, 6e-11, 1e-9, 1e-8}, {gpu_task, 9e-14, 8e-13, 6e-11});
    costs["starfmm_p2p"] = costs["starfmm_p2p_columns"] = by_work(5e-10, 8e-13);
    costs["starfmm_direct"] = by_work(3.5e-10, 8.1e-13);
    return costs;
}

/// Work of n terms or translations counts n p and n p^2, of p degrees with p^2 coefficients: rates
/// are those of the orders that tolerances of 1e-3 to 1e-9 take.
TaskCosts costs_in_space() {
    TaskCosts costs;
    add_geometry(costs);
    const OperatorCosts terms = by_order({core_task, 3e-9, 2e-9, 0}, {gpu_task, 2.5e-11, 1e-11, 0});
    const OperatorCosts moves =
        by_order({core_task, 3e-9, 1e-8, 0}, {3 * gpu_task, 1.2e-11, 1e-10, 0});
    for (const char* name : {"starfmm_p2m", "starfmm_l2p", "starfmm_p2l", "starfmm_m2p"}) {
        costs[name] = terms;
    }
    for (const char* name : {"starfmm_m2m", "starfmm_m2m_top", "starfmm_l2l"}) {
        costs[name] = moves;
    }
    costs["starfmm_m2l"] = by_order({core_task, 1e-9, 1e-8, 0}, {gpu_task, 2.5e-11, 1e-10, 0});
    costs["starfmm_p2p"] = costs["starfmm_p2p_columns"] = by_work(3.5e-10, 1.4e-12);
    costs["starfmm_direct"] = by_work(3.2e-10, 1.6e-12);
    return costs;
}

} // namespace

const TaskCosts& builtin_task_costs(int dimension) {
    static const TaskCosts in_plane = costs_in_plane();
    static const TaskCosts in_space = costs_in_space();
    return dimension == 2 ? in_plane : in_space;
}

} // namespace starfmm
