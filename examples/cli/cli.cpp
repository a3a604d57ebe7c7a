// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/cli.hpp"

#include "core/error.hpp"
#include "core/io/point_file.hpp"
#include "examples/cli/option_names.hpp"
#include "examples/cli/run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

/// Names that kernels had in the last version become those of today, with a note.
void use_current_name(DriverOptions& options) {
    const std::string now(name_now(options.kernel));
    if (!now.empty()) {
        note(options.telling, "--kernel " + options.kernel + " is called " + now + " now");
        options.kernel = now;
    }
}

void validate(const DriverOptions& options) {
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
    if (driver == drivers::near) {
        options.kernel = ""; // by the dimension
        options.precision = Precision::single_precision;
        options.plan.method = Method::near_field;
        options.plan.tolerance = 0;
    }
    if (driver == drivers::plane || driver == drivers::near) {
        return options;
    }
    options.dimension = 3;
    options.kernel = "laplace3d";
    options.precision = Precision::automatic;
    if (driver == drivers::space) {
        return options;
    }
    options.kernel = "gravity";
    options.plan.method = Method::direct;
    options.plan.tolerance = 0;
    options.runtime.streams = 1; // as gravity_runtime() has it
    options.n = 65'536;
    options.distribution = Distribution::plummer;
    if (driver == drivers::nbody) {
        options.n = 10'000;
        options.epsilon = 0.05;
        options.precision = Precision::double_precision;
    }
    return options;
}

std::optional<GivenOptions> read_options(
    int argc,
    char** argv,
    const DriverText& text,
    DriverOptions& options,
    std::span<const Conflict> conflicts,
    std::vector<Section> own
) {
    std::ranges::move(
        sections_of(option_table(), text, options.driver, options), std::back_inserter(own)
    );
    auto given = read_command_line(argc, argv, text, std::move(own), conflicts);
    use_current_name(options);
    return given;
}

void check_files(const GivenOptions& given, const DriverOptions& options) {
    const std::vector<NamedFile> inputs = files_of(given, {"input", "target-input"});
    const std::vector<NamedFile> outputs = files_of(given, {"output", "json", "trace", "mesh"});
    for (const NamedFile& file : inputs) {
        check_point_file_name(file.path);
    }
    if (!options.output.empty() && options.driver == drivers::gravity) {
        check_point_file_name(options.output);
    } else if (!options.output.empty()) {
        check_result_file_name(options.output, options.dimension);
    }
    check_inputs_stay(inputs, outputs);
    check_outputs(outputs);
}

std::optional<DriverOptions>
parse_command_line(int argc, char** argv, const DriverText& text, DriverOptions options) {
    const auto given = read_options(argc, argv, text, options);
    if (!given) {
        return std::nullopt;
    }
    validate(options);
    check_files(*given, options);
    return options;
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
