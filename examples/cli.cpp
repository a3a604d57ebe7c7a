// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli.hpp"

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/point_file.hpp"
#include "examples/cli_table.hpp"

#include <boost/program_options.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <new>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

using Given = std::map<std::string, std::string>; // options by name

po::options_description describe() {
    constexpr unsigned line_length = 100;
    po::options_description all(line_length);
    for (const Section& section : sections) {
        po::options_description group(section.caption, line_length);
        for (const Option& option : section.options) {
            auto* const value = po::value<std::string>()->value_name(option.value_name);
            group.add_options()(option.name, value, option.help);
        }
        all.add(group);
    }
    po::options_description other("Other", line_length);
    other.add_options()("help", "print this text")("version", "print the version");
    all.add(other);
    return all;
}

[[noreturn]] void rethrow(const po::error_with_option_name& error) {
    using Syntax = po::invalid_command_line_syntax;
    const std::string name = error.get_option_name();
    const auto* const syntax = dynamic_cast<const Syntax*>(&error);
    if (dynamic_cast<const po::unknown_option*>(&error) != nullptr) {
        throw InputError(name.substr(0, name.find('=')) + ": unknown option; --help lists all");
    }
    if (syntax != nullptr && syntax->kind() == Syntax::extra_parameter) {
        throw InputError(name + ": takes no value");
    }
    if (syntax != nullptr) {
        throw InputError(name + ": a value is expected");
    }
    throw InputError(error.what());
}

/// Names and texts of the options; of help and version only the names.
Given read_arguments(int argc, char** argv, const po::options_description& description) {
    namespace style = po::command_line_style;
    po::parsed_options parsed(&description);
    try {
        // No abbreviations: a later option would make them ambiguous. No short options: -5 is a
        // number.
        const int long_only =
            style::allow_long | style::long_allow_adjacent | style::long_allow_next;
        parsed = po::command_line_parser(argc, argv).options(description).style(long_only).run();
    } catch (const po::error_with_option_name& error) {
        rethrow(error);
    }
    Given given;
    for (const auto& option : parsed.options) {
        const std::string text = option.value.empty() ? "" : option.value.front();
        const bool is_short_help = option.string_key.empty() && text == "-h";
        if (option.string_key.empty() && !is_short_help) {
            throw InputError("'" + text + "': unexpected argument; options start with --");
        }
        const std::string name = is_short_help ? "help" : option.string_key;
        if (text.starts_with("--")) { // the next option, where the value was forgotten
            throw InputError("--" + name + ": a value is expected");
        }
        if (!given.emplace(name, text).second) {
            throw InputError("--" + name + ": given twice");
        }
    }
    return given;
}

void print_help(const po::options_description& description, const std::string& driver) {
    std::cout
        << "Usage: " << driver << " [options]\n\n"
        << "Sums over pairs of points by the adaptive fast multipole method.\n\n"
        << description << "\nExamples:\n"
        << "  " << driver << " --n 1e6 --tol 1e-6 --check 1000\n"
        << "  " << driver << " --distribution normal --sigma 0.1 --mesh mesh.svg\n"
        << "  " << driver << " --input points.csv --kernel log --output potentials.csv\n"
        << "  " << driver << " --cpus 2 --gpus 1 --warmup 1 --repeat 5 --json run.json"
        << " --trace trace.json\n\n"
        << "Exit codes: 0 done, 1 check failed, 2 bad input or options, 3 failure at run time\n";
}

void check_conflicts(const Given& given) {
    constexpr std::pair<const char*, const char*> conflicts[]{
        {"ndirect", "levels"},
        {"input", "n"},
        {"target-input", "targets"},
        {"input", "strengths"},
        {"input", "sign"}};
    for (const auto& [first, second] : conflicts) {
        if (given.contains(first) && given.contains(second)) {
            throw InputError(
                std::string("--") + first + " and --" + second + ": only one can be given"
            );
        }
    }
}

void check_files(const Given& given) {
    for (const std::string name : {"input", "target-input", "output"}) {
        if (given.contains(name)) {
            check_point_file_name(given.at(name));
        }
    }
    std::map<fs::path, std::string> seen;
    for (const std::string name : {"input", "output", "json", "trace", "mesh"}) {
        const fs::path path = given.contains(name) ? fs::absolute(given.at(name)) : fs::path();
        const bool is_new = seen.emplace(path.lexically_normal(), name).second;
        if (!path.empty() && !is_new && path.parent_path() != "/dev") {
            std::string message = "--" + seen.at(path.lexically_normal());
            throw InputError(message.append(" and --").append(name) + ": name the same file");
        }
    }
}

/// Before hours of computing, not after them.
void check_outputs(const Given& given) {
    for (const std::string name : {"output", "json", "trace", "mesh"}) {
        try {
            if (given.contains(name)) {
                check_writable(given.at(name));
            }
        } catch (const OutputError& error) {
            throw OutputError("--" + name + " " + error.what());
        }
    }
}

DriverOptions convert(const Given& given) {
    DriverOptions options;
    for (const Section& section : sections) {
        for (const Option& option : section.options) {
            if (const auto found = given.find(option.name); found != given.end()) {
                option.set(options, {found->first, found->second});
            }
        }
    }
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
    const po::options_description description = describe();
    const Given given = read_arguments(argc, argv, description);
    if (given.contains("help")) {
        print_help(description, driver);
        return std::nullopt;
    }
    if (given.contains("version")) {
        std::cout << driver << " (starfmm) " << version << '\n';
        return std::nullopt;
    }
    check_conflicts(given);
    DriverOptions options = convert(given);
    check_files(given);
    check_outputs(given);
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
