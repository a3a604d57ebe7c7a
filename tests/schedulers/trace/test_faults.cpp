// SPDX-License-Identifier: BSD-3-Clause
// Tests put faults into real runs, which the report's words must name.
#include "codelets/task/codelet.hpp"
#include "core/error.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/starpu_environment.hpp"
#include "schedulers/trace/analysis.hpp"

#include <doctest/doctest.h>
#include <starpu.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

using starfmm::Codelet;
using starfmm::Handle;
using starfmm::Runtime;

namespace {

/// Time that is long beside what a busy machine adds to it.
constexpr std::chrono::milliseconds unit{5};

/// Sleeps on the second worker, because other processes do not make that longer.
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

constexpr int n_shared_tasks = 10;
std::atomic<int> n_shared_ended{0};

void share(void* buffers[], void* args) {
    sleep(buffers, args);
    ++n_shared_ended;
}

/// Sleeps as long as other workers work, but not for ever.
void sleep_long(void* /*buffers*/[], void* /*args*/) {
    for (int i = 0; i < 4000 && n_shared_ended < n_shared_tasks; ++i) {
        std::this_thread::sleep_for(unit / 5);
    }
}

Codelet& long_codelet() {
    static Codelet codelet(
        "starfmm_long", "faults", starfmm::Color::grey, sleep_long, nullptr, {{STARPU_RW}, {}}
    );
    return codelet;
}

/// A codelet for a core and an OpenCL device.
Codelet& shared_codelet() {
    static Codelet codelet(
        "starfmm_shared", "faults", starfmm::Color::green, share, nullptr, {{STARPU_RW}, {}}
    );
    static const bool has_opencl = (codelet.add_opencl(share), true);
    static_cast<void>(has_opencl);
    return codelet;
}

starfmm::RuntimeOptions two_cores() {
    return {2, 0, "eager", true};
}

/// Workers that are told to do something, and the report on them.
class FaultyRun {
public:
    explicit FaultyRun(const starfmm::RuntimeOptions& options = two_cores()) : runtime_(options) {
        runtime_.record_details();
    }

    Handle& make_datum(std::size_t n = 1) {
        auto& array = arrays_.emplace_back(n);
        return handles_.emplace_back(array.data(), n, sizeof(int), runtime_.home());
    }

    void submit(Codelet& codelet, Handle& handle) {
        starfmm::TaskArgs args;
        args.work = 1;
        runtime_.submit(codelet, std::array<Handle*, 1>{&handle}, args, 0);
    }

    /// Returns the largest finding.
    std::string finding() {
        runtime_.wait();
        const starfmm::Trace trace = starfmm::trace_of(runtime_);
        const auto advice = advice_for(trace, analyse(trace));
        return advice.empty() ? "" : advice.front().text;
    }

private:
    Runtime runtime_;
    std::deque<std::vector<int>> arrays_;
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

/// The core is kept busy, so that the device runs the tasks; the host writes their array before
/// each task. A process tests one way: what StarPU once mapped, it does not copy at later starts.
TEST_CASE("faults: an array that must travel for each task is found") {
    if (starfmm::number_in_environment("STARPU_ENABLE_MAP") != 0) {
        MESSAGE("skipped: STARPU_ENABLE_MAP is not 0, so that devices may map memory");
        return;
    }
    starfmm::RuntimeOptions options{1, 0, "eager", true};
    options.opencl = 1;
    std::optional<FaultyRun> run;
    try {
        run.emplace(options);
    } catch (const starfmm::InputError& error) {
        MESSAGE("skipped: ", error.what());
        return;
    }
    run->submit(long_codelet(), run->make_datum());
    std::this_thread::sleep_for(unit);
    constexpr std::size_t n = 16'000'000;
    Handle& datum = run->make_datum(n);
    for (int i = 0; i < n_shared_tasks; ++i) {
        run->submit(shared_codelet(), datum);
        datum.overwrite(); // what the device has is out of date
    }
    const std::string finding = run->finding();
    CAPTURE(finding);
    CHECK(finding.starts_with("OpenCL 0"));
    CHECK(finding.find("of the run for transfers, longest before shared") != std::string::npos);
    CHECK(finding.find("(NUMA 0 -> OpenCL 0 carries ") != std::string::npos);
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
