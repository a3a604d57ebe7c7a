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

// Rows as those of examples/cli/option_table.cpp.
// clang-format off
constexpr OptionOf<GpuBenchOptions> table[]{
    {1, "n LIST", [](auto& o, const auto& a) { o.n = numbers(a); },
     "numbers of points (default: 1e4 to 1e8)"},
    {1, "tol LIST", [](auto& o, const auto& a) { o.tolerances = numbers(a); },
     "tolerances (default: 1e-3,1e-6,1e-12)"},
    {1, "distribution LIST", [](auto& o, const auto& a) { o.distributions = words(a.text); },
     "distributions (default: uniform,normal,layer)"},
    {1, "precision LIST", [](auto& o, const auto& a) { o.precisions = words(a.text); },
     "double, single (default: both)"},
    {1, "levels L", [](auto& o, const Argument& a) { o.plan.levels = a.integer<int>(0, 15); },
     "levels (default: the plan's choice)"},
    {1, "theta T", [](auto& o, const auto& a) { o.plan.theta = a.number(); },
     "separation (default: the plan's choice)"},
    {1, "groups K", [](auto& o, const Argument& a) { o.plan.groups = a.integer<int>(1, 64); },
     "groups (default: the plan's choice)"},
    {1, "gpus G", [](auto& o, const Argument& a) { o.gpus = a.integer<int>(1, 8); },
     "GPUs (default: 1); several leave out the run without StarPU"},
    {1, "repeat R", [](auto& o, const Argument& a) { o.repeat = a.integer<int>(1, 1000); },
     "rounds (default: 15)"},
    {1, "json FILE", [](auto& o, const auto& a) { o.json = a.file(); },
     "one record of all runs"}};
// clang-format on

constexpr SectionOf<GpuBenchOptions> sections[]{{"Benchmark", table}};

} // namespace

std::optional<GpuBenchOptions> parse_gpu_bench(int argc, char** argv) {
    const DriverText text{
        "pyramid2d_gpu",
        "Phases and whole runs of 2D sums on a GPU against their floors.",
        {"--n 2949120 --tol 1e-6 --distribution uniform --precision double"},
        "0 done, 2 bad options, 3 failure at run time"};
    GpuBenchOptions options;
    const auto given = read_command_line(
        argc, argv, text, sections_of<GpuBenchOptions>(sections, text, 1, options)
    );
    if (!given) {
        return {};
    }
    check_outputs(files_of(*given, {"json"}));
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
