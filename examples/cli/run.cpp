// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/run.hpp"

#include "core/io/atomic_file.hpp"
#include "schedulers/trace/trace.hpp"

#include <signal.h>

#include <atomic>

namespace starfmm {

namespace {

constexpr int ending_signals[]{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> is_deferred{false};
std::atomic<int> noted{0};

extern "C" void on_ending_signal(int number) {
    int none = 0;
    if (is_deferred.load() && noted.compare_exchange_strong(none, number)) {
        return;
    }
    remove_temporary_files();
    static_cast<void>(::signal(number, SIG_DFL));
    static_cast<void>(::raise(number)); // comes once this handler has returned
}

} // namespace

void clean_up_on_signals() {
    struct sigaction action {};

    action.sa_handler = on_ending_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int number : ending_signals) {
        struct sigaction old {};

        if (::sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
            ::sigaction(number, &action, nullptr);
        }
    }
}

StopRequest::StopRequest() {
    noted = 0;
    is_deferred = true;
}

StopRequest::~StopRequest() {
    is_deferred = false;
}

int StopRequest::signal() {
    return noted.load();
}

const char* name_of_signal(int signal) {
    return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

void describe(const Runtime& runtime, RunReport& report) {
    report.n_cpu = runtime.n_cpu();
    report.n_cuda = runtime.n_cuda();
    report.n_opencl = runtime.n_opencl();
    report.scheduler = runtime.policy();
}

Run::Run(RunReport& report, Runtime& runtime)
    : report_(report), runtime_(runtime), progress_(report.driver, report.options.telling) {
    if (!report.options.trace.empty()) {
        request_.emplace();
        runtime.record_details();
    }
    note(report.options.telling, runtime.notice());
}

void Run::repeat(const std::function<Seconds()>& evaluate) {
    const DriverOptions& options = report_.options;
    Times& times = report_.times;
    for (int run = -options.warmup; run < options.repeat; ++run) {
        if (run > -options.warmup && request_ && StopRequest::signal() != 0) {
            break;
        }
        tell("run " + std::to_string(run + 1) + " of " + std::to_string(options.repeat));
        runtime_.clear_records();
        const std::size_t tasks_before = runtime_.n_tasks();
        const Seconds taken = evaluate();
        report_.tasks = runtime_.n_tasks() - tasks_before;
        if (run >= 0) {
            times.total.push_back(taken.total);
            times.topology.push_back(taken.topology);
            times.evaluate.push_back(taken.total - taken.topology);
        }
    }
}

void Run::end() {
    describe(runtime_, report_);
    report_.phases = phases_of(runtime_.records());
    if (request_) {
        write_trace(report_.options.trace, runtime_);
        const int signal = StopRequest::signal();
        request_.reset();
        if (signal != 0) {
            static_cast<void>(::raise(signal));
        }
    }
}

} // namespace starfmm
