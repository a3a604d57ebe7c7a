// SPDX-License-Identifier: BSD-3-Clause
// This benchmark measures what mapping the host's memory saves on a device that shares it, and what
// it costs on one that does not. It times a task whose inputs the host has just changed, and whose
// results the host then reads, with STARPU_ENABLE_MAP and without, in turn. The task is a direct
// sum over 16 sources: memory counts, not arithmetic. docs/lab/cores-and-gpus.md has its figures.
//
//     STARPU_OPENCL_ON_CPUS=1 build/bin/mapped_memory opencl
//     build/bin/mapped_memory cuda
#include "codelets/sets/kernel_set.hpp"
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <starpu.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using starfmm::Handle;
using starfmm::Runtime;
using Kernel = starfmm::Harmonic<double, false>;

constexpr int n_rounds = 5;  ///< rounds of both ways in turn
constexpr int n_tasks = 20;  ///< tasks that are timed in a round
constexpr int n_warm_up = 5; ///< tasks before: they compile, allocate and map
constexpr std::size_t n_sources = 16;
constexpr std::size_t sizes[]{1000, 10000, 100000, 1000000};

/// An array that StarPU allocates, page-locked where there is a CUDA device.
class HostArray {
public:
    explicit HostArray(const std::vector<double>& values) : n_(values.size()) {
        starfmm::check_starpu(starpu_malloc(&memory_, n_ * sizeof(double)), "starpu_malloc");
        std::copy(values.begin(), values.end(), data());
        handle = Handle(memory_, n_, sizeof(double), Handle::Home::starpu);
    }

    HostArray(const HostArray&) = delete;
    HostArray& operator=(const HostArray&) = delete;

    ~HostArray() {
        handle = Handle();
        starpu_free_noflag(memory_, n_ * sizeof(double));
    }

    [[nodiscard]] double* data() const { return static_cast<double*>(memory_); }

    [[nodiscard]] std::vector<double> values() const { return {data(), data() + n_}; }

    Handle handle;

private:
    std::size_t n_;
    void* memory_ = nullptr;
};

std::vector<double> random_numbers(std::size_t n, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> numbers(n);
    std::generate(numbers.begin(), numbers.end(), [&] { return uniform(engine); });
    return numbers;
}

/// A task that adds sums over the sources to n targets.
class Sums {
public:
    explicit Sums(std::size_t n)
        : values_(std::vector<double>(2 * n)), targets_(random_numbers(2 * n, 1)),
          sources_(random_numbers(2 * n_sources, 2)), strengths_(random_numbers(n_sources, 3)) {}

    /// Returns the seconds from the moment when the host has changed the targets until it has the
    /// sums.
    double run(Runtime& runtime, std::uint32_t where) {
        targets_.handle.overwrite();
        const auto start = std::chrono::steady_clock::now();
        Handle* const buffers[]{
            &values_.handle, &targets_.handle, &sources_.handle, &strengths_.handle};
        auto& codelet = starfmm::kernel_set<Kernel>().get<starfmm::DirectTask>();
        starpu_task* task = codelet.make_task(buffers, {}, 0);
        task->where = static_cast<std::int32_t>(where);
        starfmm::check_starpu(starpu_task_submit(task), "starpu_task_submit");
        runtime.wait();
        values_.handle.release();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    [[nodiscard]] std::vector<double> values() const { return values_.values(); }

private:
    HostArray values_;
    HostArray targets_;
    HostArray sources_;
    HostArray strengths_;
};

/// Measurements of a process for one size.
struct Line {
    std::size_t n = 0;
    double time_s = 0;      ///< median seconds of its tasks
    double bytes_moved = 0; ///< bytes of a task
    double difference = 0;  ///< relative difference of its sums from a core's
};

double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double square = 0;
    double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        square += std::pow(a[i] - b[i], 2);
        total += std::pow(b[i], 2);
    }
    return std::sqrt(square / total);
}

Line measure(Runtime& runtime, std::uint32_t where, std::size_t n) {
    Sums sums(n);
    for (int i = 0; i < n_warm_up; ++i) {
        sums.run(runtime, where);
    }
    const std::size_t bytes_before = runtime.transferred_bytes();
    std::vector<double> times;
    times.reserve(n_tasks);
    for (int i = 0; i < n_tasks; ++i) {
        times.push_back(sums.run(runtime, where));
    }
    const std::size_t bytes = runtime.transferred_bytes() - bytes_before;
    Sums expected(n);
    for (int i = 0; i < n_warm_up + n_tasks; ++i) {
        expected.run(runtime, STARPU_CPU);
    }
    return {
        n,
        starfmm::median(times),
        static_cast<double>(bytes) / n_tasks,
        difference(sums.values(), expected.values())};
}

/// Measures on one device, in the way that STARPU_ENABLE_MAP says, and prints a line for each size,
/// which the parent process reads.
void measure_all(const std::string& kind) {
    starfmm::RuntimeOptions options{1, kind == "cuda" ? 1 : 0, "", true};
    options.opencl = kind == "opencl" ? 1 : 0;
    Runtime runtime(options);
    for (const std::size_t n : sizes) {
        const Line line = measure(runtime, kind == "cuda" ? STARPU_CUDA : STARPU_OPENCL, n);
        std::printf(
            "%zu %.17g %.17g %.17g\n", line.n, line.time_s, line.bytes_moved, line.difference
        );
    }
}

/// Measures in a process of its own, since StarPU goes on mapping what it once mapped.
/// \throws Error if the process fails
std::vector<Line> measure_apart(const std::string& program, const std::string& kind, bool maps) {
    const std::string command = std::string("STARPU_ENABLE_MAP=") + (maps ? "1" : "0") + " '" +
                                program + "' " + kind + " one";
    std::FILE* const output = popen(command.c_str(), "r"); // NOLINT(cert-env33-c): this program
    if (output == nullptr) {
        throw starfmm::Error("cannot run " + command);
    }
    std::vector<Line> lines;
    Line line;
    // NOLINTNEXTLINE(cert-err34-c): this program printed the numbers
    while (std::fscanf(
               output, "%zu %lg %lg %lg", &line.n, &line.time_s, &line.bytes_moved, &line.difference
           ) == 4) {
        lines.push_back(line);
    }
    if (pclose(output) != 0 || lines.size() != std::size(sizes)) {
        throw starfmm::Error("failed: " + command);
    }
    return lines;
}

/// Measures both ways in turn, and prints a table of medians.
/// \returns whether all sums are those of a core
bool compare(const std::string& program, const std::string& kind) {
    std::map<std::size_t, std::vector<Line>> by_size[2];
    double most = 0;
    for (int round = 0; round < n_rounds; ++round) {
        for (const bool maps : {false, true}) {
            for (const Line& line : measure_apart(program, kind, maps)) {
                by_size[maps ? 1 : 0][line.n].push_back(line);
                most = std::max(most, line.difference);
            }
        }
    }
    const auto median_time = [](const std::vector<Line>& lines) {
        std::vector<double> times(lines.size());
        std::ranges::transform(lines, times.begin(), &Line::time_s);
        return starfmm::median(times);
    };
    std::printf("   targets   copied us   mapped us   ratio   MB copied  MB in spite of mapping\n");
    for (const std::size_t n : sizes) {
        const double copied = median_time(by_size[0][n]);
        const double mapped = median_time(by_size[1][n]);
        std::printf(
            "%10zu  %10.1f  %10.1f  %6.2f  %10.3f  %10.3f\n",
            n,
            1e6 * copied,
            1e6 * mapped,
            mapped / copied,
            1e-6 * by_size[0][n].back().bytes_moved,
            1e-6 * by_size[1][n].back().bytes_moved
        );
    }
    std::printf("largest relative difference from a core's sums: %.2g\n", most);
    return most < 1e-12;
}

} // namespace

int main(int argc, char** argv) {
    const std::string kind = argc >= 2 ? argv[1] : "";
    if (kind != "opencl" && kind != "cuda") {
        static_cast<void>(std::fprintf(stderr, "usage: mapped_memory opencl|cuda\n"));
        return 2;
    }
    try {
        if (argc == 3 && argv[2] == std::string("one")) {
            measure_all(kind);
            return 0;
        }
        return compare(argv[0], kind) ? 0 : 1;
    } catch (const std::exception& error) {
        static_cast<void>(std::fprintf(stderr, "mapped_memory: %s\n", error.what()));
        return 3;
    }
}
