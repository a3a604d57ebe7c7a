// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli.hpp"

#include "core/error.hpp"
#include "core/io/point_file.hpp"
#include "examples/cli_parse.hpp"
#include "examples/cli_table.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <utility>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

/// What the help says of a driver of 2D sums.
DriverText text_of(const std::string& driver) {
    return {
        driver,
        "Sums over pairs of points by the adaptive fast multipole method.",
        {"--n 1e6 --tol 1e-6 --check 1000",
         "--distribution normal --sigma 0.1 --mesh mesh.svg",
         "--input points.csv --kernel log --output potentials.csv",
         "--cpus 2 --gpus 1 --warmup 1 --repeat 5 --json run.json --trace trace.json"},
        "0 done, 1 check failed, 2 bad input or options, 3 failure at run time"};
}

constexpr std::pair<const char*, const char*> conflicts[]{
    {"ndirect", "levels"},
    {"input", "n"},
    {"target-input", "targets"},
    {"input", "strengths"},
    {"input", "sign"}};

constexpr const char* files[]{"input", "output", "json", "trace", "mesh"};
constexpr const char* outputs[]{"output", "json", "trace", "mesh"};

void check_formats(const GivenOptions& given) {
    for (const std::string name : {"input", "target-input", "output"}) {
        if (given.contains(name)) {
            check_point_file_name(given.at(name));
        }
    }
}

DriverOptions convert(const GivenOptions& given) {
    DriverOptions options;
    set_options<DriverOptions>(sections, given, options);
    check_range("sigma", options.sigma, 1e-15, 1e3); // as make_points does
    options.plan.validate();
    options.runtime.validate();
    return options;
}

int report(const std::string& name, const std::string& message, int exit_code) {
    std::cout.flush();
    std::cerr << name << ": error: " << message << std::endl;
    return exit_code;
}

/// Text on a full disk gets lost only when it is flushed.
void check_standard_output() {
    std::cout.flush();
    if (!std::cout || std::fflush(stdout) != 0) {
        throw OutputError("standard output: cannot be written");
    }
}

} // namespace

std::optional<DriverOptions> parse_command_line(int argc, char** argv, const std::string& driver) {
    const auto given =
        read_command_line(argc, argv, text_of(driver), texts_of<DriverOptions>(sections));
    if (!given) {
        return std::nullopt;
    }
    check_exclusive(*given, conflicts);
    DriverOptions options = convert(*given);
    check_formats(*given);
    check_distinct_files(*given, files);
    check_outputs(*given, outputs);
    return options;
}

int run_driver(int argc, char** argv, int (*body)(int, char**)) {
    const std::string name = argc > 0 ? fs::path(argv[0]).filename().string() : "starfmm";
    try {
        const int exit_code = body(argc, argv);
        check_standard_output();
        return exit_code;
    } catch (const InputError& error) {
        return report(name, error.what(), 2);
    } catch (const std::bad_alloc&) {
        return report(name, "out of memory: fewer points (--n) need less", 3);
    } catch (const std::exception& error) {
        return report(name, error.what(), 3);
    }
}

} // namespace starfmm
