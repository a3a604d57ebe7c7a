// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/run_bounds.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace starfmm {

namespace {

constexpr std::size_t n_kinds = 2; ///< CPUs, GPUs

/// Use of the workers of each kind by one operator.
struct KindUse {
    std::array<double, n_kinds> time{};
    std::array<double, n_kinds> work{};
    std::array<std::size_t, n_kinds> tasks{};

    /// Amount that one kind did, in a unit that both have: work or, where there is none, tasks.
    [[nodiscard]] double amount(std::size_t kind) const {
        return work[0] + work[1] > 0 ? work[kind] : static_cast<double>(tasks[kind]);
    }

    /// Seconds that one kind would take for all of the operator; infinite if it ran nothing of it.
    [[nodiscard]] double alone(std::size_t kind) const {
        return amount(kind) > 0 ? time[kind] * (amount(0) + amount(1)) / amount(kind)
                                : std::numeric_limits<double>::infinity();
    }
};

std::vector<KindUse> kind_uses(const Trace& trace, std::span<const double> durations) {
    std::vector<KindUse> uses(trace.operators.size());
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        const TraceTask& task = trace.tasks[i];
        const std::size_t kind = trace.workers[task.worker].is_cuda ? 1 : 0;
        KindUse& use = uses[task.op];
        use.time[kind] += durations[i];
        use.work[kind] += task.work;
        ++use.tasks[kind];
    }
    return uses;
}

/// Seconds that each kind would take for all of an operator that both can run.
struct Shared {
    double cpu, gpu;
};

/// Moves operators from the GPUs, which begin with all that both can run, to the cores until both
/// take equally long. The operators with which cores lose the least go first, which is the optimum,
/// as for any two machines.
double balance(std::vector<Shared> shared, double cpu, double gpu, std::array<double, 2> workers) {
    std::ranges::sort(shared, [](const Shared& a, const Shared& b) {
        return a.cpu * b.gpu < b.cpu * a.gpu;
    });
    for (const Shared& each : shared) {
        gpu += each.gpu;
    }
    for (const Shared& each : shared) {
        // share s with (cpu + s each.cpu) / workers[0] = (gpu - s each.gpu) / workers[1]
        const double gap = gpu / workers[1] - cpu / workers[0];
        const double speed = each.cpu / workers[0] + each.gpu / workers[1];
        const double share = speed > 0 ? std::clamp(gap / speed, 0.0, 1.0) : 0;
        cpu += share * each.cpu;
        gpu -= share * each.gpu;
    }
    return std::max(cpu / workers[0], gpu / workers[1]);
}

} // namespace

CriticalPath critical_path_of(const Trace& trace, std::span<const double> durations) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    const std::size_t n = trace.tasks.size();
    std::vector<double> length(n); // length of the longest chain that ends with each task
    std::vector<std::size_t> previous(n, none);
    for (std::size_t i = 0; i < n; ++i) {
        for (const std::size_t before : trace.tasks[i].after) {
            if (length[before] > length[i]) {
                length[i] = length[before];
                previous[i] = before;
            }
        }
        length[i] += durations[i];
    }
    CriticalPath path;
    if (n == 0) {
        return path;
    }
    const auto last = std::ranges::max_element(length);
    path.length_s = *last;
    for (auto i = static_cast<std::size_t>(last - length.begin()); i != none; i = previous[i]) {
        path.tasks.push_back(i);
    }
    std::ranges::reverse(path.tasks);
    return path;
}

double area_bound_of(const Trace& trace, std::span<const double> durations) {
    std::array<double, n_kinds> workers{};
    for (const TraceWorker& worker : trace.workers) {
        workers[worker.is_cuda ? 1 : 0] += 1;
    }
    std::array<double, n_kinds> fixed{};
    std::vector<Shared> shared;
    for (const KindUse& use : kind_uses(trace, durations)) {
        if (use.tasks[0] > 0 && use.tasks[1] > 0 && use.amount(0) > 0 && use.amount(1) > 0) {
            shared.push_back({use.alone(0), use.alone(1)});
        } else {
            fixed[0] += use.time[0];
            fixed[1] += use.time[1];
        }
    }
    if (workers[0] > 0 && workers[1] > 0) {
        return balance(std::move(shared), fixed[0], fixed[1], workers);
    }
    return (fixed[0] + fixed[1]) / std::max(1.0, workers[0] + workers[1]);
}

} // namespace starfmm
