// SPDX-License-Identifier: BSD-3-Clause
// The harmonic sum on GPUs: each phase against its floor, and the whole run: end to end from
// pageable and from page-locked arrays, with data resident on the GPU, and resident by the same
// bodies in order on one stream without StarPU.
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/io/atomic_file.hpp"
#include "examples/cli.hpp"
#include "examples/cli_parse.hpp"
#include "examples/driver.hpp"
#include "schedulers/trace.hpp"
#include "schedulers/user_arrays.hpp"
#include "tests/perf/bench.hpp"
#include "tests/perf/gpu_floors.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <optional>
#include <sstream>

namespace starfmm {
namespace {

struct GpuBenchOptions {
    std::vector<double> n{1e4, 1e5, 1e6, 45.0 * (1 << 16), 1e7, 1e8};
    std::vector<double> tolerances{1e-3, 1e-6, 1e-12};
    std::vector<std::string> distributions{"uniform", "normal", "layer"};
    std::vector<std::string> precisions{"double", "single"};
    PlanOptions plan;
    int gpus = 1;
    int repeat = 15;
    std::string json;
};

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        parts.push_back(part);
    }
    return parts;
}

std::vector<double> numbers(const Argument& argument) {
    std::vector<double> values;
    for (const std::string& word : words(argument.text)) {
        values.push_back(Argument{argument.name, word}.number());
    }
    return values;
}

constexpr OptionOf<GpuBenchOptions> table[]{
    {"n",
     "LIST",
     "numbers of points (default: 1e4 to 1e8)",
     [](auto& o, const auto& a) { o.n = numbers(a); }},
    {"tol",
     "LIST",
     "tolerances (default: 1e-3,1e-6,1e-12)",
     [](auto& o, const auto& a) { o.tolerances = numbers(a); }},
    {"distribution",
     "LIST",
     "distributions (default: uniform,normal,layer)",
     [](auto& o, const auto& a) { o.distributions = words(a.text); }},
    {"precision",
     "LIST",
     "double, single (default: both)",
     [](auto& o, const auto& a) { o.precisions = words(a.text); }},
    {"levels",
     "L",
     "levels (default: the plan's choice)",
     [](auto& o, const auto& a) { o.plan.levels = static_cast<int>(a.integer(0, 15)); }},
    {"theta",
     "T",
     "separation (default: the plan's choice)",
     [](auto& o, const auto& a) { o.plan.theta = a.number(); }},
    {"groups",
     "K",
     "groups (default: the plan's choice)",
     [](auto& o, const auto& a) { o.plan.groups = static_cast<int>(a.integer(1, 64)); }},
    {"gpus",
     "G",
     "GPUs (default: 1); several leave out the run without StarPU",
     [](auto& o, const auto& a) { o.gpus = static_cast<int>(a.integer(1, 8)); }},
    {"repeat",
     "R",
     "rounds (default: 15)",
     [](auto& o, const auto& a) { o.repeat = static_cast<int>(a.integer(1, 1000)); }},
    {"json", "FILE", "one record of all runs", [](auto& o, const auto& a) { o.json = a.file(); }}};

constexpr SectionOf<GpuBenchOptions> sections[]{{"Benchmark", table}};

std::optional<GpuBenchOptions> parse(int argc, char** argv) {
    const DriverText text{
        "pyramid2d_gpu",
        "Phases and whole runs of 2D sums on a GPU against their floors.",
        {"--n 2949120 --tol 1e-6 --distribution uniform --precision double"},
        "0 done, 2 bad options, 3 failure at run time"};
    const std::span<const SectionOf<GpuBenchOptions>> all(sections);
    const auto given = read_command_line(argc, argv, text, texts_of(all));
    if (!given) {
        return {};
    }
    constexpr const char* outputs[]{"json"};
    check_outputs(*given, outputs);
    GpuBenchOptions options;
    set_options(all, *given, options);
    return options;
}

struct GpuCase {
    std::size_t n;
    double tolerance;
    std::string distribution;
    Precision precision;
};

double seconds_of(const std::function<void()>& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A problem's arrays, pageable until lock().
struct BenchProblem {
    Points<2> points;
    Strengths strengths;
    Potentials results;
    std::deque<PageLock> locks;

    explicit BenchProblem(const GpuCase& c)
        : points(make_points<2>(parse_distribution(c.distribution), c.n, 0.1, 1)),
          strengths(make_strengths(c.n, StrengthSign::random, StrengthType::real, 1)) {
        results.re.resize(c.n);
        results.im.resize(c.n);
    }

    void lock() {
        for (std::vector<double>* values : arrays()) {
            locks.emplace_back(values->data(), values->size() * sizeof(double));
        }
    }

    std::vector<std::vector<double>*> arrays() {
        return {&points.x[0], &points.x[1], &strengths.re, &results.re, &results.im};
    }
};

class GpuBench {
public:
    GpuBench(const GpuBenchOptions& options, const GpuCase& c)
        : options_(options), case_(c), problem_(c) {
        options_.plan.tolerance = c.tolerance;
        options_.plan.method = Method::fmm;
        options_.plan.method = Method::fmm;
        options_.plan.tuning = Tuning::builtin; // the same tree with and without StarPU
    }

    nlohmann::json run() {
        measure_end_to_end(pageable_);
        problem_.lock();
        measure_end_to_end(end_to_end_);
        measure_resident();
        if (options_.gpus == 1) {
            measure_phases();
        }
        return report();
    }

private:
    KernelSet& kernel() const {
        return case_.precision == Precision::double_precision
                   ? kernel_set<Harmonic<double, false>>()
                   : kernel_set<Harmonic<float, false>>();
    }

    [[nodiscard]] RuntimeOptions workers() const { return {0, options_.gpus, "", false}; }

    void sum(Runtime& runtime) {
        Plan plan(runtime, kernel(), problem_.points, options_.plan);
        plan.evaluate(problem_.strengths, problem_.results);
        info_ = plan.info();
    }

    double time(Runtime& runtime) {
        return seconds_of([&] { sum(runtime); });
    }

    void measure_end_to_end(std::vector<double>& times) {
        Runtime tasks(workers());
        for (int round = -5; round < options_.repeat; ++round) {
            const double seconds = time(tasks);
            if (round >= 0) {
                times.push_back(seconds);
            }
        }
    }

    /// With and without StarPU, in turn.
    void measure_resident() {
        Runtime tasks(workers());
        std::optional<Runtime> in_order;
        std::deque<Resident> residents;
        keep_resident(tasks, residents);
        if (options_.gpus == 1) {
            in_order.emplace(workers(), Execution::in_order_cuda);
            keep_resident(*in_order, residents);
        }
        for (int round = -5; round < options_.repeat; ++round) {
            const double with = time(tasks);
            const double without = in_order ? time(*in_order) : 0;
            if (round >= 0) {
                resident_.push_back(with);
                in_order_.push_back(without);
            }
        }
    }

    void keep_resident(Runtime& runtime, std::deque<Resident>& residents) {
        for (std::vector<double>* values : problem_.arrays()) {
            residents.emplace_back(runtime, *values);
        }
    }

    /// Medians over the rounds of each phase's time, by the device's clock.
    void measure_phases() {
        RuntimeOptions profiled = workers();
        profiled.profile = true;
        Runtime in_order(profiled, Execution::in_order_cuda);
        std::deque<Resident> residents;
        keep_resident(in_order, residents);
        std::vector<std::vector<double>> times;
        for (int round = -3; round < options_.repeat; ++round) {
            in_order.clear_records();
            sum(in_order);
            phases_ = phases_of(in_order.records());
            times.resize(phases_.size());
            for (std::size_t i = 0; round >= 0 && i < phases_.size(); ++i) {
                times[i].push_back(phases_[i].time_s);
            }
        }
        for (std::size_t i = 0; i < phases_.size(); ++i) {
            phases_[i].time_s = median(times[i]);
        }
    }

    nlohmann::json report() {
        const GpuWork work(case_.n, info_, case_.precision);
        const GpuRates rates(case_.precision);
        const bool is_double = case_.precision == Precision::double_precision;
        nlohmann::json record = {
            {"n", case_.n},
            {"tolerance", case_.tolerance},
            {"distribution", case_.distribution},
            {"precision", is_double ? "double" : "single"},
            {"gpus", options_.gpus},
            {"order", info_.order},
            {"levels", info_.levels},
            {"groups", info_.groups},
            {"pageable_s", pageable_},
            {"end_to_end_s", end_to_end_},
            {"resident_s", resident_},
            {"in_order_s", in_order_}};
        std::printf(
            "\n%zu points, %s, tolerance %g, %s precision: order %d, %d levels, %d groups, %d "
            "GPU\n",
            case_.n,
            case_.distribution.c_str(),
            case_.tolerance,
            is_double ? "double" : "single",
            info_.order,
            info_.levels,
            info_.groups,
            options_.gpus
        );
        double sum = 0;
        double floors = 0;
        for (const Phase& phase : phases_) {
            const double least = phase_floor(phase.name, work, rates);
            sum += phase.time_s;
            floors += least;
            print_line(phase.name, phase.time_s, least);
            record["phases"][phase.name] = {{"time_s", phase.time_s}, {"floor_s", least}};
        }
        if (!phases_.empty()) {
            print_line("sum of phases", sum, floors);
            print_line("in order, resident", median(in_order_), floors);
        }
        print_line("StarPU, resident", median(resident_), floors);
        print_line("StarPU, end to end", median(end_to_end_), floors + transfer_floor(work, rates));
        print_line("from pageable arrays", median(pageable_), 0);
        if (!phases_.empty()) {
            std::printf(
                "StarPU / in order, median of ratios: %.3f; difference of medians %.3f ms\n",
                median_ratio(resident_, in_order_),
                1e3 * (median(resident_) - median(in_order_))
            );
        }
        return record;
    }

    static void print_line(const std::string& what, double seconds, double least) {
        std::printf("%-22s %9.4f ms", what.c_str(), 1e3 * seconds);
        if (least > 0) {
            std::printf("   floor %9.4f   %3.0f %%", 1e3 * least, 100 * least / seconds);
        }
        std::printf("\n");
    }

    GpuBenchOptions options_;
    GpuCase case_;
    BenchProblem problem_;
    PlanInfo info_;
    std::vector<double> pageable_;
    std::vector<double> end_to_end_;
    std::vector<double> resident_;
    std::vector<double> in_order_;
    std::vector<Phase> phases_;
};

std::vector<GpuCase> cases_of(const GpuBenchOptions& options) {
    std::vector<GpuCase> cases;
    for (const std::string& precision : options.precisions) {
        const bool is_double = Argument{"precision", precision}.choice({"double", "single"}) == 0;
        for (const std::string& distribution : options.distributions) {
            for (const double tolerance : options.tolerances) {
                if (!is_double && tolerance < 1e-6) {
                    continue; // beyond its digits
                }
                for (const double n : options.n) {
                    cases.push_back(
                        {static_cast<std::size_t>(n),
                         tolerance,
                         distribution,
                         is_double ? Precision::double_precision : Precision::single_precision}
                    );
                }
            }
        }
    }
    return cases;
}

int run(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) {
        return 0;
    }
    nlohmann::json records = nlohmann::json::array();
    for (const GpuCase& c : cases_of(*options)) {
        records.push_back(GpuBench(*options, c).run());
        static_cast<void>(std::fflush(stdout));
    }
    if (!options->json.empty()) {
        AtomicFile file(options->json);
        file.write(records.dump(2) + "\n");
        file.commit();
    }
    return 0;
}

} // namespace
} // namespace starfmm

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, starfmm::run);
}
