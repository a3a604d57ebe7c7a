// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/cli.hpp"

#include "core/error.hpp"
#include "core/io/point_file.hpp"
#include "examples/cli/cli_parse.hpp"
#include "examples/cli/option_names.hpp"
#include "examples/cli/signals.hpp"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>
#include <utility>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

constexpr std::pair<const char*, const char*> conflicts[]{
    {"leaf-size", "levels"},
    {"input", "n"},
    {"target-input", "targets"},
    {"input", "strengths"},
    {"input", "sign"}};

/// Names that kernels had in the last version become those of today, with a note.
void use_current_name(DriverOptions& options) {
    const std::string now(renamed_kernel(options.kernel));
    if (!now.empty()) {
        note(options.telling, "--kernel " + options.kernel + " is called " + now + " now");
        options.kernel = now;
    }
}

void validate(const DriverOptions& options) {
    check_range("sigma", options.sigma, 1e-15, 1e3); // as make_points does
    if (options.gradient && options.strength_type == StrengthType::complex) {
        throw InputError("--gradient: needs real strengths");
    }
    options.plan.validate(options.dimension);
    options.runtime.validate();
    if (options.precision == Precision::mixed_precision) {
        check_mixed_tolerance(options.plan.tolerance);
    }
}

int report(const std::string& name, const std::string& message, int exit_code) {
    std::cout.flush();
    std::cerr << name << ": error: " << message << std::endl;
    return exit_code;
}

/// Text on a full disk gets lost only when it is flushed.
void check_standard_output() {
    errno = 0;
    std::cout.flush();
    const bool is_flushed = std::fflush(stdout) == 0;
    if (!std::cout || !is_flushed || std::ferror(stdout) != 0) {
        const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
        throw WriteError("standard output: cannot be written" + why);
    }
}

} // namespace

DriverOptions default_options(drivers::Kind driver) {
    DriverOptions options;
    options.driver = driver;
    switch (driver) {
    case drivers::space:
        options.dimension = 3;
        options.kernel = "laplace3d";
        options.precision = Precision::automatic;
        break;
    case drivers::near:
        options.kernel = ""; // by the dimension
        options.precision = Precision::single_precision;
        options.plan.method = Method::near_field;
        options.plan.tolerance = 0;
        break;
    case drivers::gravity:
    case drivers::nbody:
        options.dimension = 3;
        options.kernel = "gravity";
        options.plan.method = Method::direct;
        options.plan.tolerance = 0;
        options.runtime.streams = 1; // as gravity_runtime() has it
        break;
    default:
        break;
    }
    if (driver == drivers::gravity) {
        options.n = 65'536;
        options.distribution = Distribution::plummer;
        options.precision = Precision::automatic;
    }
    if (driver == drivers::nbody) {
        options.n = 10'000;
        options.epsilon = 0.05;
    }
    return options;
}

std::optional<ReadOptions> read_options(
    int argc,
    char** argv,
    const DriverText& text,
    drivers::Kind driver,
    std::span<const std::string_view> lacking
) {
    auto given = read_command_line(argc, argv, text, texts_of(option_table(), driver, lacking));
    if (!given) {
        return std::nullopt;
    }
    check_exclusive(*given, conflicts);
    DriverOptions options = default_options(driver);
    set_options(option_table(), driver, *given, options);
    use_current_name(options);
    return ReadOptions{std::move(*given), std::move(options)};
}

void check_files(const ReadOptions& read) {
    constexpr const char* inputs[]{"input", "target-input"};
    constexpr const char* outputs[]{"output", "json", "trace", "mesh"};
    for (const NamedFile& file : files_of(read.given, inputs)) {
        check_point_file_name(file.path);
    }
    const std::string& output = read.options.output;
    if (!output.empty() && read.options.driver == drivers::gravity) {
        check_point_file_name(output);
    } else if (!output.empty()) {
        check_result_file_name(output, read.options.dimension);
    }
    check_files(read.given, inputs, outputs);
}

std::optional<DriverOptions> parse_command_line(
    int argc,
    char** argv,
    const DriverText& driver,
    std::span<const std::string_view> lacking,
    int dimension
) {
    const auto kind = dimension == 2 ? drivers::plane : drivers::space;
    const auto read = read_options(argc, argv, driver, kind, lacking);
    if (!read) {
        return std::nullopt;
    }
    validate(read->options);
    check_files(*read);
    return read->options;
}

int run_driver(int argc, char** argv, int (*body)(int, char**)) {
    clean_up_on_signals();
    const std::string name = argc > 0 ? fs::path(argv[0]).filename().string() : "starfmm";
    try {
        const int exit_code = body(argc, argv);
        check_standard_output();
        return exit_code;
    } catch (const InputError& error) {
        return report(name, in_options(error.what()), 2);
    } catch (const std::bad_alloc&) {
        return report(name, "out of memory: fewer points need less", 3);
    } catch (const std::exception& error) {
        return report(name, in_options(error.what()), 3);
    }
}

} // namespace starfmm
