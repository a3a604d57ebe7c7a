// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/cli.hpp"

#include "core/error.hpp"
#include "core/io/point_file.hpp"
#include "examples/cli/cli_parse.hpp"
#include "examples/cli/cli_table.hpp"
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

constexpr const char* inputs[]{"input", "target-input"};
constexpr const char* outputs[]{"output", "json", "trace", "mesh"};

void check_formats(const GivenOptions& given, int dimension) {
    for (const std::string name : {"input", "target-input"}) {
        if (given.contains(name)) {
            check_point_file_name(given.at(name));
        }
    }
    if (given.contains("output")) {
        check_result_file_name(given.at("output"), dimension);
    }
}

/// The table of sums in the plane or in space.
std::span<const Section> sections_of(int dimension) {
    return dimension == 2 ? std::span<const Section>(sections_in_plane) : sections_in_space;
}

DriverOptions defaults(int dimension) {
    DriverOptions options;
    options.dimension = dimension;
    if (dimension == 3) {
        options.kernel = "laplace3d";
        options.precision = Precision::automatic;
    }
    return options;
}

/// Names that kernels had in the last version become those of today, with a note.
void use_current_name(DriverOptions& options) {
    const std::string now(renamed_kernel(options.kernel));
    if (!now.empty()) {
        note(options.telling, "--kernel " + options.kernel + " is called " + now + " now");
        options.kernel = now;
    }
}

DriverOptions convert(const GivenOptions& given, int dimension) {
    DriverOptions options = defaults(dimension);
    set_options<DriverOptions>(sections_of(dimension), given, options);
    use_current_name(options);
    check_range("sigma", options.sigma, 1e-15, 1e3); // as make_points does
    if (options.gradient && options.strength_type == StrengthType::complex) {
        throw InputError("--gradient: needs real strengths");
    }
    options.plan.validate(dimension);
    options.runtime.validate();
    if (options.precision == Precision::mixed_precision) {
        check_mixed_tolerance(options.plan.tolerance);
    }
    return options;
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

std::optional<DriverOptions> parse_command_line(
    int argc,
    char** argv,
    const DriverText& driver,
    std::span<const std::string_view> lacking,
    int dimension
) {
    const auto given =
        read_command_line(argc, argv, driver, texts_of(sections_of(dimension), lacking));
    if (!given) {
        return std::nullopt;
    }
    check_exclusive(*given, conflicts);
    DriverOptions options = convert(*given, dimension);
    check_formats(*given, dimension);
    check_files(*given, inputs, outputs);
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
