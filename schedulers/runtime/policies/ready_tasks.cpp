// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/policies/ready_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace starfmm {

namespace {

/// Tasks of a queue that a worker looks at: what lies deeper is seen when those are gone.
constexpr int most_looked_at = 64;

/// As many tasks tell how a place compares with its predictions, the last ones most; a first task
/// that waits for a driver tells nothing, nor does any single one.
constexpr int enough_ended = 8;
constexpr double memory_of_ended = 0.9;
constexpr double most_slow = 2;

/// Predictions err: what seems to end at the same time elsewhere is not worth moving.
constexpr double caution = 1.1;

} // namespace

/// Seconds that a task takes over those predicted.
double ReadyTasks::Place::slowness() const {
    const bool is_known = n_ended >= enough_ended && predicted_s > 0;
    return is_known ? std::clamp(taken_s / predicted_s, 1 / most_slow, most_slow) : 1;
}

bool ReadyTasks::Before::operator()(const Entry& a, const Entry& b) const {
    if (a.task.priority != b.task.priority) {
        return a.task.priority > b.task.priority;
    }
    return a.gain != b.gain ? a.gain > b.gain : a.number < b.number;
}

ReadyTasks::ReadyTasks(std::vector<PlaceKind> places) {
    for (const PlaceKind kind : places) {
        places_.push_back({kind});
    }
}

void ReadyTasks::set_worker(int worker, int place) {
    const auto index = static_cast<std::size_t>(worker);
    workers_.resize(std::max(workers_.size(), index + 1));
    const int before = std::exchange(workers_[index].place, place);
    if (before >= 0) {
        --places_[static_cast<std::size_t>(before)].n_workers;
    }
    if (place >= 0) {
        ++places_[static_cast<std::size_t>(place)].n_workers;
    }
    place_anew();
}

/// Workers came or went, so that tasks may belong elsewhere.
void ReadyTasks::place_anew() {
    std::vector<Entry> entries;
    for (Place& place : places_) {
        entries.insert(entries.end(), place.queue.begin(), place.queue.end());
        place.queue.clear();
        place.queued_s = 0;
    }
    std::ranges::sort(entries, {}, &Entry::number);
    for (Entry& entry : entries) {
        push(std::move(entry.task), -1, 0);
    }
}

/// A place without workers keeps what nobody else can run, until one comes.
bool ReadyTasks::can_run(const ReadyTask& task, std::size_t place) const {
    return places_[place].n_workers > 0 && std::isfinite(task.times[place].run);
}

/// Seconds that what a worker has taken still lasts.
double ReadyTasks::left_s(const Worker& worker, double now) {
    if (worker.running.empty()) {
        return 0;
    }
    const double spent = std::clamp(now - worker.since, 0.0, worker.running.front().seconds);
    return std::accumulate(
        worker.running.begin(),
        worker.running.end(),
        -spent,
        [](double sum, const Running& running) { return sum + running.seconds; }
    );
}

/// Sum over the workers there, as predicted.
double ReadyTasks::busy_s(std::size_t place, double now) const {
    double sum = 0;
    for (const Worker& worker : workers_) {
        sum += worker.place == static_cast<int>(place) ? left_s(worker, now) : 0;
    }
    return sum;
}

/// The kind of place that runs it fastest; of several devices that of its part, or else the one
/// that would end first.
int ReadyTasks::home_of(const ReadyTask& task, double now) const {
    int cores = -1;
    int device = -1;
    double device_end = std::numeric_limits<double>::infinity();
    for (std::size_t place = 0; place < places_.size(); ++place) {
        if (!can_run(task, place)) {
            continue;
        }
        if (places_[place].kind == PlaceKind::cores) {
            cores = static_cast<int>(place);
            continue;
        }
        const double waits = busy_s(place, now) + places_[place].queued_s;
        const bool is_parts = static_cast<int>(place) == task.part_place;
        const double end =
            is_parts ? -1 : waits / places_[place].n_workers + task.times[place].total();
        if (end < device_end) {
            device = static_cast<int>(place);
            device_end = end;
        }
    }
    const auto total = [&](int place) {
        return task.times[static_cast<std::size_t>(place)].total();
    };
    if (cores >= 0 && device >= 0) {
        return total(cores) < total(device) ? cores : device;
    }
    return std::max(cores, device);
}

/// A core has in its cache what it wrote; who has the group's data is remembered longer than who
/// happened to release the task.
int ReadyTasks::core_of(const ReadyTask& task, int released_by) const {
    const auto is_core = [this](int worker) {
        const bool is_known = worker >= 0 && static_cast<std::size_t>(worker) < workers_.size();
        const int place = is_known ? workers_[static_cast<std::size_t>(worker)].place : -1;
        return place >= 0 && places_[static_cast<std::size_t>(place)].kind == PlaceKind::cores;
    };
    if (const auto found = core_of_group_.find(task.group);
        found != core_of_group_.end() && is_core(found->second)) {
        return found->second;
    }
    return is_core(released_by) ? released_by : -1;
}

/// Infinite where nobody else can run it: such tasks go first, what others may take is left to the
/// end.
double ReadyTasks::gain_of(const ReadyTask& task, std::size_t place) const {
    double elsewhere = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < places_.size(); ++other) {
        if (places_[other].kind != places_[place].kind && can_run(task, other)) {
            elsewhere = std::min(elsewhere, task.times[other].run);
        }
    }
    return elsewhere / std::max(task.times[place].run, 1e-9);
}

/// Travel included.
double ReadyTasks::seconds_at(const ReadyTask& task, std::size_t place) const {
    return task.times[place].fetch + places_[place].slowness() * task.times[place].run;
}

std::optional<int> ReadyTasks::settled_place(const ReadyTask& task, double now) const {
    const int home = home_of(task, now);
    if (home < 0) {
        return std::nullopt;
    }
    const auto place = static_cast<std::size_t>(home);
    const double waits = busy_s(place, now) + places_[place].queued_s;
    const double end =
        places_[place].slowness() * (waits / places_[place].n_workers + task.times[place].run);
    for (std::size_t other = 0; other < places_.size(); ++other) {
        if (other != place && can_run(task, other) && caution * seconds_at(task, other) <= end) {
            return std::nullopt;
        }
    }
    return home;
}

void ReadyTasks::push(ReadyTask task, int released_by, double now) {
    const auto place = static_cast<std::size_t>(std::max(0, home_of(task, now)));
    const int core = core_of(task, released_by);
    const double gain = gain_of(task, place);
    const double seconds = std::isfinite(task.times[place].run) ? task.times[place].run : 0;
    places_[place].queued_s += seconds;
    places_[place].queue.insert({std::move(task), gain, n_pushed_++, core});
}

bool ReadyTasks::may_run(int worker, const ReadyTask& task) const {
    const auto place = static_cast<std::size_t>(workers_[static_cast<std::size_t>(worker)].place);
    return std::isfinite(task.times[place].run) &&
           (task.only.empty() || std::ranges::find(task.only, worker) != task.only.end());
}

/// Of the first priority that has a task for the worker: one of its own groups, else one of no
/// core's, else the first.
std::optional<ReadyTasks::Found> ReadyTasks::own_task(int worker) const {
    const auto place = static_cast<std::size_t>(workers_[static_cast<std::size_t>(worker)].place);
    const Queue& queue = places_[place].queue;
    auto best = queue.end();
    int looked_at = 0;
    for (auto entry = queue.begin(); entry != queue.end(); ++entry) {
        const bool is_done = best != queue.end() && (entry->task.priority != best->task.priority ||
                                                     ++looked_at > most_looked_at);
        if (is_done) {
            break;
        }
        if (!may_run(worker, entry->task)) {
            continue;
        }
        if (entry->core == worker || places_[place].kind == PlaceKind::device) {
            best = entry;
            break;
        }
        if (best == queue.end() || (best->core >= 0 && entry->core < 0)) {
            best = entry;
        }
    }
    return best == queue.end() ? std::nullopt : std::optional<Found>({place, best});
}

/// From the end of a queue, where the least urgent tasks are that the place gains the least with.
std::optional<ReadyTasks::Found>
ReadyTasks::last_that_pays(int worker, std::size_t from, double now) const {
    const Worker& taker = workers_[static_cast<std::size_t>(worker)];
    const auto own = static_cast<std::size_t>(taker.place);
    const Place& place = places_[from];
    // a GPU's worker asks ahead of time
    const double left = places_[own].slowness() * left_s(taker, now);
    double waits = busy_s(from, now) + place.queued_s;
    int looked_at = 0;
    for (auto entry = place.queue.end(); entry != place.queue.begin() && looked_at < most_looked_at;
         ++looked_at) {
        --entry;
        const double there = entry->task.times[from].run;
        waits -= std::isfinite(there) ? there : 0;
        const bool is_stranded = place.n_workers == 0;
        const double end_there = place.slowness() * (waits / std::max(place.n_workers, 1) + there);
        const double end_here = left + caution * seconds_at(entry->task, own);
        if (may_run(worker, entry->task) && (is_stranded || end_here <= end_there)) {
            return Found{from, entry};
        }
    }
    return std::nullopt;
}

/// Of the place that will be busy for longest.
std::optional<ReadyTasks::Found> ReadyTasks::foreign_task(int worker, double now) const {
    const auto own = static_cast<std::size_t>(workers_[static_cast<std::size_t>(worker)].place);
    std::optional<Found> best;
    double longest = -1;
    for (std::size_t from = 0; from < places_.size(); ++from) {
        const double waits = places_[from].queued_s / std::max(places_[from].n_workers, 1);
        if (from != own && !places_[from].queue.empty() && waits > longest) {
            if (const auto found = last_that_pays(worker, from, now)) {
                best = found;
                longest = waits;
            }
        }
    }
    return best;
}

starpu_task* ReadyTasks::take(Found found, int worker, double now) {
    Place& place = places_[found.place];
    const ReadyTask& task = found.entry->task;
    Worker& taker = workers_[static_cast<std::size_t>(worker)];
    const auto own = static_cast<std::size_t>(taker.place);
    if (taker.running.empty()) {
        taker.since = now;
    }
    taker.running.push_back({task.task, task.times[own].run});
    if (places_[own].kind == PlaceKind::cores && task.group != ReadyTask::no_group) {
        core_of_group_[task.group] = worker;
    }
    starpu_task* const taken = task.task;
    const double seconds = task.times[found.place].run;
    place.queue.erase(found.entry);
    place.queued_s =
        place.queue.empty() ? 0 : place.queued_s - (std::isfinite(seconds) ? seconds : 0);
    return taken;
}

starpu_task* ReadyTasks::pop(int worker, double now) {
    const auto index = static_cast<std::size_t>(worker);
    if (index >= workers_.size() || workers_[index].place < 0) {
        return nullptr;
    }
    auto found = own_task(worker);
    if (!found && places_.size() > 1) {
        found = foreign_task(worker, now);
    }
    return found ? take(*found, worker, now) : nullptr;
}

void ReadyTasks::ended(int worker, const starpu_task* task, double now) {
    if (static_cast<std::size_t>(worker) >= workers_.size()) {
        return;
    }
    Worker& of = workers_[static_cast<std::size_t>(worker)];
    const auto found = std::ranges::find(of.running, task, &Running::task);
    if (found == of.running.end()) {
        return;
    }
    if (of.place >= 0) {
        Place& place = places_[static_cast<std::size_t>(of.place)];
        place.taken_s = memory_of_ended * place.taken_s + now - of.since;
        place.predicted_s = memory_of_ended * place.predicted_s + found->seconds;
        ++place.n_ended;
    }
    of.running.erase(found);
    of.since = now;
}

std::size_t ReadyTasks::size() const {
    std::size_t n = 0;
    for (const Place& place : places_) {
        n += place.queue.size();
    }
    return n;
}

} // namespace starfmm
