// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace starfmm {

namespace {

/// Least share of a run's worker time that is worth a word.
constexpr double least_share = 0.02;

/// Looks for one kind of trouble after another.
class Adviser {
public:
    Adviser(const Trace& trace, const TraceAnalysis& analysis)
        : trace_(trace), analysis_(analysis) {}

    std::vector<Advice> run() {
        if (analysis_.makespan_s > 0) {
            advise_on_slow_workers();
            advise_on_transfers();
            advise_on_starved_workers();
            advise_on_scheduling();
            advise_on_submission();
            advise_on_dependencies();
            advise_on_tail();
            advise_on_predictions();
            advise_on_idle_kinds();
        }
        std::ranges::stable_sort(found_, std::ranges::greater(), &Advice::share);
        return std::move(found_);
    }

private:
    [[nodiscard]] double worker_time() const {
        const auto n = std::ranges::count_if(trace_.workers, [this](const TraceWorker& worker) {
            return !is_left_out(worker.is_cuda);
        });
        return analysis_.makespan_s * static_cast<double>(n);
    }

    /// Whether no worker of a kind was given any task: then their waiting is a choice, not a loss.
    [[nodiscard]] bool is_left_out(bool is_cuda) const {
        return std::ranges::none_of(trace_.tasks, [&](const TraceTask& task) {
            return trace_.workers[task.worker].is_cuda == is_cuda;
        });
    }

    void add(double lost_s, const std::string& text) {
        const double share = lost_s / worker_time();
        if (share >= least_share) {
            found_.push_back({share, text});
        }
    }

    [[nodiscard]] double idle_of_all(IdleCause cause) const {
        double sum = 0;
        for (std::size_t worker = 0; worker < trace_.workers.size(); ++worker) {
            const bool counts = !is_left_out(trace_.workers[worker].is_cuda);
            sum += counts ? analysis_.workers[worker].idle(cause) : 0;
        }
        return sum;
    }

    /// Returns "The workers are idle 12 % of the time ", for a cause that is rarely one worker's
    /// own.
    [[nodiscard]] std::string all_wait(IdleCause cause) const {
        return "The workers are idle " + percent_text(idle_of_all(cause) / worker_time()) +
               " of the time ";
    }

    /// Returns "CPU 1 waits 31 % of the run " or "CPU 1 and 3 of its kind wait 31 % of the run
    /// (mean) ".
    [[nodiscard]] std::string they_wait(const Waiters& waiters) const {
        const double mean = waiters.idle_s / static_cast<double>(waiters.n);
        const std::string share = percent_text(mean / analysis_.makespan_s) + " of the run ";
        const std::string& name = trace_.workers[waiters.longest].name;
        return waiters.n == 1 ? name + " waits " + share
                              : name + " and " + std::to_string(waiters.n - 1) +
                                    " of its kind wait " + share + "(mean) ";
    }

    /// Reports operators that take longer on a worker than on the others of its kind.
    void advise_on_slow_workers() {
        constexpr double much = 1.5;
        constexpr std::size_t few = 3; // tasks may differ by chance
        for (const OperatorUse& use : analysis_.operators) {
            const double usual = usual_time(use);
            if (usual > 0 && use.tasks >= few && use.unit_time() > much * usual) {
                const double factor = use.unit_time() / usual;
                const std::string& name = trace_.workers[use.worker].name;
                add(use.time_s * (1 - 1 / factor),
                    trace_.operators[use.op].name + " on " + name + " takes " +
                        print_number("%.1f", factor) +
                        " x as long as on other workers of its kind: something else may use that "
                        "worker, or what its tasks read lies far from it. Compare the machine's "
                        "load, the clock and the binding of the worker.");
            }
        }
    }

    /// Seconds of a unit of work of an operator on the other workers of a kind; 0 if there are
    /// none.
    [[nodiscard]] double usual_time(const OperatorUse& own) const {
        double time = 0;
        double units = 0;
        for (const OperatorUse& use : analysis_.operators) {
            const bool is_alike =
                trace_.workers[use.worker].is_cuda == trace_.workers[own.worker].is_cuda;
            if (use.op == own.op && use.worker != own.worker && is_alike && use.unit_time() > 0) {
                time += use.time_s;
                units += use.time_s / use.unit_time();
            }
        }
        return units > 0 ? time / units : 0;
    }

    void advise_on_transfers() {
        for (const Waiters& waiters : waiters_by_kind(trace_, analysis_, IdleCause::transfer)) {
            const std::size_t worker = waiters.longest;
            add(waiters.idle_s,
                they_wait(waiters) + "for transfers" + waiting_operator(worker) + busiest_link() +
                    ": " + cure_of_transfers(worker));
        }
    }

    /// Returns " (NUMA 0 -> CUDA 0 carries 64 MB in 12 transfers, busy 20 % of the run)".
    [[nodiscard]] std::string busiest_link() const {
        if (trace_.transfers.empty()) {
            return "";
        }
        const auto busiest = std::ranges::max_element(analysis_.links, {}, &LinkUse::time_s);
        const auto link = static_cast<std::size_t>(busiest - analysis_.links.begin());
        return " (" + trace_.links[link] + " carries " +
               prefixed_text(static_cast<double>(busiest->n_bytes)) + "B in " +
               std::to_string(busiest->transfers) + " transfers, busy " +
               percent_text(busiest->time_s / analysis_.makespan_s) + " of the run)";
    }

    [[nodiscard]] std::string cure_of_transfers(std::size_t worker) const {
        if (trace_.workers[worker].is_cuda) {
            return "keep arrays on the GPU from one evaluation to the next (Resident), lock their "
                   "pages (PageLock), or let the next group's data travel meanwhile with more "
                   "--groups.";
        }
        if (std::ranges::any_of(trace_.workers, &TraceWorker::is_cuda)) {
            return "its data come from a GPU: leave what follows a GPU's task to that GPU, or take "
                   "fewer --cpus.";
        }
        if (!trace_.transfers.empty()) {
            return "leave data where they are used from one task to the next.";
        }
        return "without a GPU nothing travels, so that memory is being allocated.";
    }

    /// Returns ", most of it before m2l": the operator that waits longest for data on a worker.
    [[nodiscard]] std::string waiting_operator(std::size_t worker) const {
        std::map<std::size_t, double> waits;
        for (const TraceTask& task : trace_.tasks) {
            if (task.worker == worker) {
                waits[task.op] += task.fetched_s - task.fetch_s;
            }
        }
        const auto longest =
            std::ranges::max_element(waits, {}, [](const auto& w) { return w.second; });
        return longest == waits.end() ? std::string()
                                      : ", longest before " + trace_.operators[longest->first].name;
    }

    void advise_on_starved_workers() {
        for (const Waiters& waiters : waiters_by_kind(trace_, analysis_, IdleCause::elsewhere)) {
            add(waiters.idle_s,
                they_wait(waiters) + "while tasks that " + (waiters.n == 1 ? "it" : "they") +
                    " could run are ready and wait for other workers: " +
                    (waiters.n == 1 ? "it is" : "they are") +
                    " starved. Try another --scheduler, or calibrate its predictions.");
        }
    }

    void advise_on_scheduling() {
        double busy = 0;
        for (const WorkerUse& use : analysis_.workers) {
            busy += use.busy_s;
        }
        const double mean = busy / static_cast<double>(trace_.tasks.size());
        add(idle_of_all(IdleCause::scheduling),
            all_wait(IdleCause::scheduling) +
                "with a task that is ready and not begun (tasks take " + time_text(mean) +
                " on average): fewer and longer tasks help, that is fewer --groups.");
    }

    void advise_on_submission() {
        add(idle_of_all(IdleCause::submission),
            all_wait(IdleCause::submission) +
                "because nothing was submitted: the caller waits for results before it submits "
                "more, or is short of a core. Leave it one (--cpus below the number of cores).");
    }

    void advise_on_dependencies() {
        // seconds of waiting for the tasks of each operator
        std::vector<double> waits(trace_.operators.size());
        for (const Gap& gap : analysis_.gaps) {
            if (const auto before = last_before(trace_.tasks[gap.task])) {
                waits[trace_.tasks[*before].op] +=
                    gap.idle_s[static_cast<std::size_t>(IdleCause::dependencies)];
            }
        }
        const double idle = idle_of_all(IdleCause::dependencies);
        // there is no gap after a worker's last task that names a cause: the worker waited for the
        // last task of the run
        const TraceTask& last = *std::ranges::max_element(trace_.tasks, {}, &TraceTask::end_s);
        const TraceTask& cause = trace_.tasks[last_before(last).value_or(0)];
        waits[cause.op] += idle - std::accumulate(waits.begin(), waits.end(), 0.0);
        const auto longest = std::ranges::max_element(waits);
        const std::string& op =
            trace_.operators[static_cast<std::size_t>(longest - waits.begin())].name;
        const double path = analysis_.path.length_s / analysis_.makespan_s;
        add(idle,
            all_wait(IdleCause::dependencies) + "because tasks wait for others, " +
                percent_text(*longest / idle) + " of that for " + op +
                ", and the critical path takes " + percent_text(path) + " of the run: a shorter " +
                op + " helps most. More --groups shorten the tasks of operators that groups cut.");
    }

    /// Returns the task that ended last, of those that `task` waited for.
    [[nodiscard]] std::optional<std::size_t> last_before(const TraceTask& task) const {
        const auto last = std::ranges::max_element(task.after, {}, [this](std::size_t before) {
            return trace_.tasks[before].end_s;
        });
        return last == task.after.end() ? std::nullopt : std::optional(*last);
    }

    void advise_on_tail() {
        const auto last = std::ranges::max_element(trace_.tasks, {}, &TraceTask::end_s);
        add(idle_of_all(IdleCause::tail),
            all_wait(IdleCause::tail) + "at its end, while others finish (" +
                trace_.operators[last->op].name + " on " + trace_.workers[last->worker].name +
                " ends last): more --groups make shorter last tasks.");
    }

    /// Reports kinds of workers that were given no task, as cores beside a GPU that is chosen to
    /// work alone.
    void advise_on_idle_kinds() {
        for (const bool is_cuda : {false, true}) {
            const auto n = std::ranges::count(trace_.workers, is_cuda, &TraceWorker::is_cuda);
            if (n > 0 && is_left_out(is_cuda)) {
                const std::string kind = is_cuda ? " GPU workers were" : " CPU workers were";
                found_.push_back(
                    {least_share,
                     std::to_string(n) + kind +
                         " given no task: the others were expected to be faster without them. "
                         "--team all shares the sum with them; without them (--cpus, --gpus) "
                         "nothing changes."}
                );
            }
        }
    }

    void advise_on_predictions() {
        constexpr double large = 0.5;
        const PredictionAccuracy& accuracy = analysis_.predictions;
        if (accuracy.median_error > large) {
            found_.push_back(
                {least_share,
                 "Predictions are off by " + percent_text(accuracy.median_error) +
                     " (median): tasks take " + print_number("%.2f", accuracy.median_ratio) +
                     " x what the scheduler expects, and it places them accordingly. Let it "
                     "measure "
                     "again: STARPU_CALIBRATE=2 for one run."}
            );
        }
    }

    const Trace& trace_;
    const TraceAnalysis& analysis_;
    std::vector<Advice> found_;
};

} // namespace

std::vector<Advice> advice_for(const Trace& trace, const TraceAnalysis& analysis) {
    return Adviser(trace, analysis).run();
}

} // namespace starfmm
