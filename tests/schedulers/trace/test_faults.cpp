// SPDX-License-Identifier: BSD-3-Clause
// Faults put into real runs, which the report's words must name.
#include "codelets/task/codelet.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/starpu_environment.hpp"
#include "schedulers/trace/analysis.hpp"

#include <doctest/doctest.h>
#include <starpu.h>

#include <array>
#include <chrono>
#include <deque>
#include <thread>

using starfmm::Codelet;
using starfmm::Handle;
using starfmm::Runtime;

namespace {

constexpr std::chrono::milliseconds unit{2};

/// Sleeping, because other processes do not make that longer.
void be_slow_on_second_worker(void* /*buffers*/[], void* /*args*/) {
    std::this_thread::sleep_for(starpu_worker_get_id() == 1 ? 3 * unit : unit);
}

void sleep(void* /*buffers*/[], void* /*args*/) {
    std::this_thread::sleep_for(unit);
}

Codelet& slow_codelet() {
    static Codelet codelet(
        "starfmm_slow",
        "faults",
        starfmm::Color::red,
        be_slow_on_second_worker,
        nullptr,
        {{STARPU_RW}, {}}
    );
    return codelet;
}

Codelet& sleep_codelet() {
    static Codelet codelet(
        "starfmm_sleep", "faults", starfmm::Color::blue, sleep, nullptr, {{STARPU_RW}, {}}
    );
    return codelet;
}

/// Two cores that are told to do something, and what is said of it.
class FaultyRun {
public:
    FaultyRun() : runtime_({2, 0, "eager", true}) { runtime_.record_details(); }

    Handle& make_datum() {
        auto& array = arrays_.emplace_back();
        return handles_.emplace_back(array.data(), 1, sizeof(int), runtime_.home());
    }

    void submit(Codelet& codelet, Handle& handle) {
        starfmm::TaskArgs args;
        args.work = 1;
        runtime_.submit(codelet, std::array<Handle*, 1>{&handle}, args, 0);
    }

    /// The largest finding.
    std::string finding() {
        runtime_.wait();
        const starfmm::Trace trace = starfmm::trace_of(runtime_);
        const auto advice = advice_for(trace, analyse(trace));
        return advice.empty() ? "" : advice.front().text;
    }

private:
    Runtime runtime_;
    std::deque<std::array<int, 1>> arrays_;
    std::deque<Handle> handles_;
};

bool has_two_cores() {
    const bool has = starfmm::available_cores() >= 2;
    if (!has) {
        MESSAGE("skipped: fewer than two cores");
    }
    return has;
}

} // namespace

TEST_CASE("faults: an operator that is three times slower on one worker is found") {
    if (!has_two_cores()) {
        return;
    }
    FaultyRun run;
    for (int i = 0; i < 60; ++i) {
        run.submit(slow_codelet(), run.make_datum());
    }
    const std::string finding = run.finding();
    CAPTURE(finding);
    CHECK(finding.starts_with("slow on CPU 1 takes "));
    CHECK(finding.find("x as long as on other workers of its kind") != std::string::npos);
}

TEST_CASE("faults: a worker without work, because tasks wait for each other, is found") {
    if (!has_two_cores()) {
        return;
    }
    FaultyRun run;
    Handle& datum = run.make_datum();
    for (int i = 0; i < 20; ++i) {
        run.submit(sleep_codelet(), datum);
    }
    const std::string finding = run.finding();
    CAPTURE(finding);
    CHECK(finding.find("because tasks wait for others") != std::string::npos);
    CHECK(finding.find("for sleep") != std::string::npos);
}

TEST_CASE("faults: a caller that is late is found") {
    if (!has_two_cores()) {
        return;
    }
    FaultyRun run;
    for (int i = 0; i < 10; ++i) {
        run.submit(sleep_codelet(), run.make_datum());
        std::this_thread::sleep_for(5 * unit);
    }
    const std::string finding = run.finding();
    CAPTURE(finding);
    CHECK(finding.find("because nothing was submitted") != std::string::npos);
}
