// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/policies/ready_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace starfmm {

namespace {

/// Number of tasks of a queue that a worker looks at; deeper ones are seen when those are gone.
constexpr int most_looked_at = 64;

/// Safety factor for errors of predictions: a task that would end at about the same time elsewhere
/// is not worth moving.
constexpr double caution = 1.1;

} // namespace

bool ReadyTasks::Before::operator()(const Entry& a, const Entry& b) const {
    if (a.task.priority != b.task.priority) {
        return a.task.priority > b.task.priority;
    }
    return a.gain != b.gain ? a.gain > b.gain : a.number < b.number;
}

ReadyTasks::ReadyTasks(const std::vector<PlaceKind>& places) : workers_(places.size()) {
    for (const PlaceKind kind : places) {
        places_.push_back({kind});
    }
}

void ReadyTasks::set_worker(int worker, int place) {
    workers_.set_place(worker, place);
    place_anew();
}

std::size_t ReadyTasks::place_of(int worker) const {
    return static_cast<std::size_t>(workers_.place_of(worker));
}

/// Distributes the queued tasks anew: workers came or went, so that tasks may belong elsewhere.
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

/// Whether workers of the place can run the task. A place without workers keeps what nobody else
/// can run, until a worker comes.
bool ReadyTasks::can_run(const ReadyTask& task, std::size_t place) const {
    return workers_.n_at(place) > 0 && std::isfinite(task.times[place].run);
}

/// Predicted seconds until the place's workers have done what they took and what is queued, summed.
double ReadyTasks::waits_s(std::size_t place, double now) const {
    return workers_.busy_s(place, now) + places_[place].queued_s;
}

/// Chooses the kind of place that gets through such tasks fastest with all its workers. Among
/// several devices this is the device of the task's part, or else the one that would end first.
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
        const double waits = waits_s(place, now);
        const bool is_parts = static_cast<int>(place) == task.part_place;
        const double end = is_parts ? -1 : waits / workers_.n_at(place) + task.times[place].total();
        if (end < device_end) {
            device = static_cast<int>(place);
            device_end = end;
        }
    }
    const auto share = [&](int index) { // transfers run one after the other
        const auto place = static_cast<std::size_t>(index);
        return task.times[place].fetch + task.times[place].run / workers_.n_at(place);
    };
    if (cores >= 0 && device >= 0) {
        return share(cores) < share(device) ? cores : device;
    }
    return std::max(cores, device);
}

/// Returns the core that has the task's data in its cache because it wrote them. The core that had
/// the group counts more than the core that happened to release the task.
int ReadyTasks::core_of(const ReadyTask& task, int released_by) const {
    const auto is_core = [this](int worker) {
        return workers_.place_of(worker) >= 0 && places_[place_of(worker)].kind == PlaceKind::cores;
    };
    if (const auto found = core_of_group_.find(task.group);
        found != core_of_group_.end() && is_core(found->second)) {
        return found->second;
    }
    return is_core(released_by) ? released_by : -1;
}

/// Ratio of the seconds elsewhere to the seconds here, infinite where no other place can run the
/// task. Tasks of infinite gain go first, and those that others may take are left to the end.
double ReadyTasks::gain_of(const ReadyTask& task, std::size_t place) const {
    double elsewhere = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < places_.size(); ++other) {
        if (places_[other].kind != places_[place].kind && can_run(task, other)) {
            elsewhere = std::min(elsewhere, task.times[other].run);
        }
    }
    return elsewhere / std::max(task.times[place].run, 1e-9);
}

/// Predicted seconds at the place, including the travel of data.
double ReadyTasks::seconds_at(const ReadyTask& task, std::size_t place) const {
    return task.times[place].fetch + workers_.slowness(place) * task.times[place].run;
}

std::optional<int> ReadyTasks::settled_place(const ReadyTask& task, double now) const {
    const int home = home_of(task, now);
    if (home < 0) {
        return std::nullopt;
    }
    const auto place = static_cast<std::size_t>(home);
    const double waits = waits_s(place, now);
    const double end =
        workers_.slowness(place) * (waits / workers_.n_at(place) + task.times[place].run);
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
    const std::size_t place = place_of(worker);
    return std::isfinite(task.times[place].run) &&
           (task.only.empty() || std::ranges::find(task.only, worker) != task.only.end());
}

/// Returns the worker's task of the first priority that has one for it: a task of one of its own
/// groups, else a task of no core's group, else the first task.
std::optional<ReadyTasks::Found> ReadyTasks::own_task(int worker) const {
    const std::size_t place = place_of(worker);
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

/// Looks from the end of a queue, where the least urgent tasks are, from which the place gains
/// least.
std::optional<ReadyTasks::Found>
ReadyTasks::last_that_pays(int worker, std::size_t from, double now) const {
    const std::size_t own = place_of(worker);
    const int n_there = workers_.n_at(from);
    const Place& place = places_[from];
    // not 0: a GPU's worker asks ahead of time
    const double left = workers_.slowness(own) * workers_.left_s(worker, now);
    double waits = waits_s(from, now);
    int looked_at = 0;
    for (auto entry = place.queue.end(); entry != place.queue.begin() && looked_at < most_looked_at;
         ++looked_at) {
        --entry;
        const double there = entry->task.times[from].run;
        waits -= std::isfinite(there) ? there : 0;
        const bool is_stranded = n_there == 0;
        const double end_there = workers_.slowness(from) * (waits / std::max(n_there, 1) + there);
        const double end_here = left + caution * seconds_at(entry->task, own);
        if (may_run(worker, entry->task) && (is_stranded || end_here <= end_there)) {
            return Found{from, entry};
        }
    }
    return std::nullopt;
}

/// Returns a task of the place that will be busy for longest.
std::optional<ReadyTasks::Found> ReadyTasks::foreign_task(int worker, double now) const {
    const std::size_t own = place_of(worker);
    std::optional<Found> best;
    double longest = -1;
    for (std::size_t from = 0; from < places_.size(); ++from) {
        const double waits = places_[from].queued_s / std::max(workers_.n_at(from), 1);
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
    const std::size_t own = place_of(worker);
    workers_.took(worker, task.task, task.times[own].run, now);
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
    if (workers_.place_of(worker) < 0) {
        return nullptr;
    }
    auto found = own_task(worker);
    if (!found && places_.size() > 1) {
        found = foreign_task(worker, now);
    }
    return found ? take(*found, worker, now) : nullptr;
}

void ReadyTasks::ended(int worker, const starpu_task* task, double now) {
    workers_.ended(worker, task, now);
}

std::size_t ReadyTasks::size() const {
    std::size_t n = 0;
    for (const Place& place : places_) {
        n += place.queue.size();
    }
    return n;
}

} // namespace starfmm
