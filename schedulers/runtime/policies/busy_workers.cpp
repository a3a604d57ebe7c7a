// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/policies/busy_workers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace starfmm {

namespace {

/// Number of ended tasks from which on a place is compared with its predictions; the latest tasks
/// weigh most. A first task that waits for a driver tells nothing, nor does any single one.
constexpr int enough_ended = 8;
constexpr double memory_of_ended = 0.9;
constexpr double most_slow = 2;

} // namespace

void BusyWorkers::set_place(int worker, int place) {
    const auto index = static_cast<std::size_t>(worker);
    workers_.resize(std::max(workers_.size(), index + 1));
    const int before = std::exchange(workers_[index].place, place);
    if (before >= 0) {
        --places_[static_cast<std::size_t>(before)].n_workers;
    }
    if (place >= 0) {
        ++places_[static_cast<std::size_t>(place)].n_workers;
    }
}

int BusyWorkers::place_of(int worker) const {
    const bool is_known = worker >= 0 && static_cast<std::size_t>(worker) < workers_.size();
    return is_known ? workers_[static_cast<std::size_t>(worker)].place : -1;
}

void BusyWorkers::took(int worker, const starpu_task* task, double seconds, double now) {
    Worker& taker = workers_[static_cast<std::size_t>(worker)];
    if (taker.running.empty()) {
        taker.since = now;
    }
    taker.running.push_back({task, seconds});
}

void BusyWorkers::ended(int worker, const starpu_task* task, double now) {
    if (place_of(worker) < 0) {
        return;
    }
    Worker& of = workers_[static_cast<std::size_t>(worker)];
    const auto found = std::ranges::find(of.running, task, &Running::task);
    if (found == of.running.end()) {
        return;
    }
    Place& place = places_[static_cast<std::size_t>(of.place)];
    place.taken_s = memory_of_ended * place.taken_s + now - of.since;
    place.predicted_s = memory_of_ended * place.predicted_s + found->seconds;
    ++place.n_ended;
    of.running.erase(found);
    of.since = now;
}

double BusyWorkers::left_s(int worker, double now) const {
    const Worker& of = workers_[static_cast<std::size_t>(worker)];
    if (of.running.empty()) {
        return 0;
    }
    const double spent = std::clamp(now - of.since, 0.0, of.running.front().seconds);
    return std::accumulate(
        of.running.begin(),
        of.running.end(),
        -spent,
        [](double sum, const Running& running) { return sum + running.seconds; }
    );
}

double BusyWorkers::busy_s(std::size_t place, double now) const {
    double sum = 0;
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        if (workers_[worker].place == static_cast<int>(place)) {
            sum += left_s(static_cast<int>(worker), now);
        }
    }
    return sum;
}

double BusyWorkers::slowness(std::size_t place) const {
    const Place& of = places_[place];
    const bool is_known = of.n_ended >= enough_ended && of.predicted_s > 0;
    return is_known ? std::clamp(of.taken_s / of.predicted_s, 1 / most_slow, most_slow) : 1;
}

} // namespace starfmm
