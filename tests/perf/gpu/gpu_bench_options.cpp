// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/gpu/gpu_bench_options.hpp"

#include "core/error.hpp"
#include "examples/cli/cli_parse.hpp"

#include <span>
#include <sstream>

namespace starfmm {

namespace {

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

} // namespace

std::optional<GpuBenchOptions> parse_gpu_bench(int argc, char** argv) {
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
    check_files(*given, {}, outputs);
    GpuBenchOptions options;
    set_options(all, *given, options);
    return options;
}

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

} // namespace starfmm
