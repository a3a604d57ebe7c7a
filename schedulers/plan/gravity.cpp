// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity.hpp"

#include "core/error.hpp"
#include "schedulers/plan/gravity_team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace starfmm {

namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Pairs that one worker should have before a task is worth its overhead: a few hundred
/// microseconds of a core; a millisecond of a GPU.
double pairs_per_task(const GravityWorkers& workers) {
    return workers.gpus > 0 ? 2e9 : 1e6;
}

/// Workers among whom targets are shared out: one GPU fills itself by one task, the streams of
/// several, best one each, must have equal shares, since the scheduler takes each for a worker.
int sharing_workers(const GravityWorkers& workers) {
    return workers.gpus > 1 ? workers.streams : workers.gpus > 0 ? 1 : workers.cpus;
}

/// Most tasks of each of the sharing workers in one pass over the sources: several of them balance.
int most_tasks(const GravityWorkers& workers) {
    if (workers.gpus > 0) {
        // beside cores: small enough for one of them
        return workers.cpus > 0 ? 32 : workers.gpus > 1 ? 2 : 1;
    }
    return workers.cpus > 1 ? 8 : 1;
}

std::size_t target_block(std::size_t n, const GravityWorkers& workers) {
    constexpr std::size_t largest = std::size_t(1) << 21; // bounds the scratch memory of GPUs
    constexpr std::size_t full_tiles = 1024;              // targets of a GPU's block of threads
    const auto n_workers = static_cast<double>(sharing_workers(workers));
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    const double worth = pairs / (n_workers * pairs_per_task(workers));
    const double tasks = std::floor(std::clamp<double>(worth, 1, most_tasks(workers)));
    const auto shares = static_cast<std::size_t>(n_workers * tasks);
    const std::size_t blocks = std::max(shares, (n + largest - 1) / largest);
    const std::size_t size = (n + blocks - 1) / blocks;
    return size > full_tiles ? std::min(round_up(size, full_tiles), n) : size;
}

/// Sources of a block: all, unless copies of other GPUs' bodies can hide behind the work on one's
/// own.
std::size_t source_block(std::size_t n, int n_cuda) {
    constexpr std::size_t large = std::size_t(1) << 20; // 16 MB, 0.3 ms of a link
    if (n_cuda < 2 || n < large) {
        return n;
    }
    return (n + static_cast<std::size_t>(n_cuda) - 1) / static_cast<std::size_t>(n_cuda);
}

} // namespace

void GravityOptions::validate() const {
    constexpr double limit = 1e150; // squares must stay finite
    check_range("epsilon", epsilon, 0, limit);
    check_range("g", g, -limit, limit);
}

GravityWorkers gravity_workers(const Runtime& runtime) {
    const std::vector<WorkerInfo>& all = runtime.workers();
    const auto streams = std::count_if(all.begin(), all.end(), [](const WorkerInfo& worker) {
        return worker.is_cuda;
    });
    const WorkerCounts& engaged = runtime.engaged();
    return {engaged.n_cpu, engaged.n_cuda, engaged.n_cuda > 0 ? static_cast<int>(streams) : 0};
}

GravityBlocks
gravity_blocks(std::size_t n, const GravityWorkers& workers, const GravityOptions& options) {
    const std::size_t targets =
        options.target_block > 0 ? options.target_block : target_block(n, workers);
    const std::size_t sources =
        options.source_block > 0 ? options.source_block : source_block(n, workers.gpus);
    return {targets, round_up(sources, targets)};
}

GravityMachine gravity_machine(const Runtime& runtime, const GravityOptions& options) {
    const GravitySet& set = gravity_set(options.precision, options.result);
    if (runtime.engaged().n_cuda > 0) {
        return set.cuda_machine();
    }
    GravityMachine machine = set.cpu_machine();
    machine.multiprocessors = static_cast<std::size_t>(runtime.engaged().n_cpu);
    return machine;
}

GravitySum::GravitySum(Runtime& runtime, const GravityOptions& options)
    : runtime_(runtime), options_(options),
      codelets_(gravity_set(options.precision, options.result)) {
    options_.validate();
}

void GravitySum::choose_team(std::size_t n) {
    team_ = Team::automatic;
    if (runtime_.n_cpu() == 0 || runtime_.n_cuda() == 0) {
        return;
    }
    const OperatorCosts costs = measured_gravity_costs(runtime_, options_);
    codelets_.for_each([&](Codelet& codelet) { codelet.set_costs(costs); });
    team_s_ = gravity_team_times(n, costs, {runtime_.n_cpu(), runtime_.n_cuda()});
    team_ = options_.team == Team::automatic ? fastest_team(team_s_) : options_.team;
    runtime_.engage(team_);
}

/// Blocks of targets.
std::vector<RowShare> GravitySum::rows(std::size_t n) const {
    const bool one_block = blocks_.sources >= n; // else home blocks are of equal size
    if (team_ != Team::all || options_.target_block > 0 || !one_block) {
        return equal_rows(n, blocks_.targets);
    }
    return share_rows(n, codelets_.first().costs(), runtime_.engaged());
}

void GravitySum::allocate(std::size_t n) {
    if (n == n_) {
        runtime_.engage(team_);
        return;
    }
    choose_team(n);
    blocks_ = gravity_blocks(n, gravity_workers(runtime_), options_);
    const auto body = ElementSize::of_body(options_.precision);
    const auto sum = ElementSize::of_sum(options_.precision, options_.result);
    sources_.cut(runtime_, 0, equal_rows(n, blocks_.sources), body);
    targets_.cut(runtime_, 0, rows(n), sum);
    if (sources_.blocks().size() == 1) {
        for (GravityBlock& target : targets_.blocks()) {
            target.handle.write_through(); // final after one task: home they go while others run
        }
    }
    std::size_t n_sums = 1;
    for (const GravityBlock& target : targets_.blocks()) {
        n_sums = std::max(n_sums, target.handle.size());
    }
    scratch_ =
        Handle(gravity_scratch_size(n_sums, runtime_.engaged().n_cuda), sum.bytes, runtime_.home());
    n_ = n;
}

void GravitySum::submit_pair(
    GravityBlock& target, std::size_t source, std::size_t round, double epsilon
) {
    GravityBlock& home = sources_.blocks()[target.begin / blocks_.sources];
    GravityBlock& other = sources_.blocks()[source];
    TaskArgs args = gravity_args(target, home, other, epsilon);
    args.gravity.adds = round > 0;
    const std::array<Handle*, 4> handles{&target.handle, &home.handle, &other.handle, &scratch_};
    Codelet& add =
        options_.order == SummationOrder::fixed ? codelets_.next_in_order() : codelets_.next();
    runtime_.submit(round == 0 ? codelets_.first() : add, handles, args, 0);
}

/// Each block of targets meets its own block of sources first, since that need not be sent [MTM13
/// Fig 2]; in fixed order, the first block.
void GravitySum::submit(double epsilon) {
    const std::size_t n_sources = sources_.blocks().size();
    for (std::size_t round = 0; round < n_sources; ++round) {
        for (GravityBlock& target : targets_.blocks()) {
            await_takers(runtime_, target.takers);
            const std::size_t home = target.begin / blocks_.sources;
            const std::size_t first = options_.order == SummationOrder::fixed ? 0 : home;
            submit_pair(target, (first + round) % n_sources, round, epsilon);
        }
    }
}

void GravitySum::evaluate(const Bodies& bodies, Accelerations& out) {
    const std::size_t n = bodies.size();
    if (n == 0) {
        throw InputError("no bodies: at least one is needed");
    }
    const GravityUnits units = gravity_units(bodies, options_.epsilon);
    for (auto& component : out.a) {
        component.resize(n);
    }
    out.potential.resize(options_.result == GravityResult::with_potential ? n : 0);
    allocate(n);
    sources_.overwrite();
    pack_bodies(bodies, units, options_.precision, sources_.data());
    sources_.publish();
    submit(options_.epsilon / units.length);
    runtime_.wait();
    const std::vector<PackedSums> sums = targets_.bring_home(runtime_);
    unpack_accelerations(sums, units, options_.g, options_.precision, out);
}

} // namespace starfmm
