// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/cli_parse.hpp"

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/input_file.hpp"
#include "examples/cli/option_names.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace starfmm {

namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

po::options_description describe(const std::vector<SectionText>& sections) {
    constexpr unsigned line_length = 100;
    po::options_description all(line_length);
    for (const SectionText& section : sections) {
        po::options_description group(section.caption, line_length);
        for (const auto& [name, help] : section.options) {
            const std::size_t end = name.find(' ');
            const std::string alone = name.substr(0, end);
            if (end == std::string::npos) {
                group.add_options()(alone.c_str(), help.c_str());
                continue;
            }
            auto* const value = po::value<std::string>()->value_name(name.substr(end + 1));
            group.add_options()(alone.c_str(), value, help.c_str());
        }
        all.add(group);
    }
    po::options_description other("Other", line_length);
    other.add_options()("help", "print this text")("version", "print the version");
    all.add(other);
    return all;
}

/// The arguments, in which options of former names have those of today. Notes tell of them.
std::vector<std::string>
read_former_names(int argc, char** argv, const po::options_description& description) {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    const bool is_quiet = std::ranges::find(arguments, "--quiet") != arguments.end();
    for (std::string& argument : arguments) {
        const std::string former = argument.substr(0, argument.find('='));
        const std::string name(renamed_option(former));
        if (name.empty() || description.find_nothrow(name.substr(2), false) == nullptr) {
            continue;
        }
        argument.replace(0, former.size(), name);
        if (!is_quiet) {
            std::cerr << "note: " << former << " is called " << name << " now\n";
        }
    }
    return arguments;
}

/// "; did you mean --kernel?"
std::string suggestion_for(const std::string& name, const po::options_description& description) {
    std::vector<std::string> offered;
    for (const auto& option : description.options()) {
        offered.push_back(option->long_name());
    }
    const std::size_t begin = std::min(name.find_first_not_of('-'), name.size());
    const std::string nearest = nearest_option(name.substr(begin), offered);
    return nearest.empty() ? "" : ": did you mean --" + nearest + "?";
}

[[noreturn]] void
rethrow(const po::error_with_option_name& error, const po::options_description& description) {
    using Syntax = po::invalid_command_line_syntax;
    const std::string name = error.get_option_name();
    const auto* const syntax = dynamic_cast<const Syntax*>(&error);
    if (dynamic_cast<const po::unknown_option*>(&error) != nullptr) {
        const std::string unknown = name.substr(0, name.find('='));
        throw InputError(
            unknown + ": unknown option" + suggestion_for(unknown, description) +
            "; --help lists all"
        );
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
GivenOptions read_arguments(
    const std::vector<std::string>& arguments, const po::options_description& description
) {
    namespace style = po::command_line_style;
    po::parsed_options parsed(&description);
    try {
        // No abbreviations: a later option would make them ambiguous. No short options: -5 is a
        // number.
        const int long_only =
            style::allow_long | style::long_allow_adjacent | style::long_allow_next;
        parsed = po::command_line_parser(arguments).options(description).style(long_only).run();
    } catch (const po::error_with_option_name& error) {
        rethrow(error, description);
    }
    GivenOptions given;
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

/// Whether two names are of one regular file. What does not exist yet has its name alone.
bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code failed;
    const bool is_same = fs::equivalent(a, b, failed);
    if (!failed) {
        return is_same && is_regular_file(a);
    }
    return fs::weakly_canonical(fs::absolute(a), failed) ==
           fs::weakly_canonical(fs::absolute(b), failed);
}

/// \throws InputError
void refuse_if_same(const NamedFile& first, const NamedFile& output) {
    if (is_same_file(first.path, output.path)) {
        throw InputError(
            output.name + " " + output.path + ": is the same file as " + first.name + " " +
            first.path + ": choose another name"
        );
    }
}

void print_help(const DriverText& driver, const po::options_description& description) {
    std::cout << "Usage: " << driver.name << " [options]\n\n"
              << driver.summary << "\n\n"
              << description << "\nExamples:\n";
    for (const std::string& arguments : driver.examples) {
        std::cout << "  " << driver.name << ' ' << arguments << '\n';
    }
    std::cout << "\nExit codes: " << driver.exit_codes << '\n';
}

} // namespace

std::optional<GivenOptions> read_command_line(
    int argc, char** argv, const DriverText& driver, const std::vector<SectionText>& sections
) {
    const po::options_description description = describe(sections);
    GivenOptions given = read_arguments(read_former_names(argc, argv, description), description);
    if (given.contains("help")) {
        print_help(driver, description);
        return std::nullopt;
    }
    if (given.contains("version")) {
        std::cout << driver.name << " (starfmm) " << version << '\n';
        return std::nullopt;
    }
    return given;
}

void check_exclusive(
    const GivenOptions& given, std::span<const std::pair<const char*, const char*>> pairs
) {
    for (const auto& [first, second] : pairs) {
        if (given.contains(first) && given.contains(second)) {
            throw InputError(
                std::string("--") + first + " and --" + second + ": only one can be given"
            );
        }
    }
}

std::vector<NamedFile> files_of(const GivenOptions& given, std::span<const char* const> options) {
    std::vector<NamedFile> files;
    for (const std::string option : options) {
        if (given.contains(option)) {
            files.push_back({"--" + option, given.at(option)});
        }
    }
    return files;
}

void check_inputs_stay(std::span<const NamedFile> inputs, std::span<const NamedFile> outputs) {
    for (const NamedFile& output : outputs) {
        for (const NamedFile& input : inputs) {
            refuse_if_same(input, output);
        }
    }
}

void check_outputs(std::span<const NamedFile> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& [name, path] = outputs[i];
        if (!is_written_directly(path)) {
            check_inputs_stay(outputs.first(i), outputs.subspan(i, 1));
        }
        try {
            check_writable(path);
        } catch (const OutputError& error) {
            throw OutputError(name + " " + error.what());
        } catch (const WriteError& error) {
            throw WriteError(name + " " + error.what());
        }
    }
}

void check_files(
    const GivenOptions& given,
    std::span<const char* const> inputs,
    std::span<const char* const> outputs
) {
    const std::vector<NamedFile> written = files_of(given, outputs);
    check_inputs_stay(files_of(given, inputs), written);
    check_outputs(written);
}

} // namespace starfmm
