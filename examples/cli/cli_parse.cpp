// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/cli_parse.hpp"

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/input_file.hpp"
#include "examples/cli/option_names.hpp"
#include "examples/cli/progress.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace starfmm {

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description describe(const std::vector<Section>& sections) {
    constexpr unsigned line_length = 100;
    po::options_description all(line_length);
    for (const Section& section : sections) {
        po::options_description group(section.caption, line_length);
        for (const Option& option : section.options) {
            const std::string key = option.key();
            if (option.name == key) {
                group.add_options()(key.c_str(), option.help.c_str());
                continue;
            }
            auto* const value = po::value<std::string>();
            value->value_name(option.name.substr(key.size() + 1));
            group.add_options()(key.c_str(), value, option.help.c_str());
        }
        all.add(group);
    }
    return all;
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

/// Has options of the last version's names be those of today, of which notes tell.
void replace_former_names(
    std::vector<std::string>& arguments, const po::options_description& description
) {
    const Telling telling{std::ranges::find(arguments, "--quiet") != arguments.end()};
    for (std::string& argument : arguments) {
        const std::string former = argument.substr(0, argument.find('='));
        const std::string now(former.starts_with("--") ? name_now(former.substr(2)) : "");
        if (!now.empty() && description.find_nothrow(now, false) != nullptr) {
            note(telling, former + " is called --" + now + " now");
            argument.replace(0, former.size(), "--" + now);
        }
    }
}

[[noreturn]] void
rethrow(const po::error_with_option_name& error, const po::options_description& description) {
    using Syntax = po::invalid_command_line_syntax;
    const std::string name = error.get_option_name().substr(0, error.get_option_name().find('='));
    if (const auto* const syntax = dynamic_cast<const Syntax*>(&error)) {
        const bool is_extra = syntax->kind() == Syntax::extra_parameter;
        throw InputError(name + (is_extra ? ": takes no value" : ": a value is expected"));
    }
    std::vector<std::string> names;
    names.reserve(description.options().size());
    for (const auto& option : description.options()) {
        names.push_back(option->long_name());
    }
    const std::string nearest = nearest_option(name.substr(2), names);
    const std::string meant = nearest.empty() ? "" : ": did you mean --" + nearest + "?";
    throw InputError(name + ": unknown option" + meant + "; --help lists all");
}

/// Names and texts of the options. No abbreviations: a later option would make them ambiguous. No
/// short options: -5 is a number.
GivenOptions read_arguments(
    const std::vector<std::string>& arguments, const po::options_description& description
) {
    namespace style = po::command_line_style;
    po::parsed_options parsed(&description);
    try {
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
        const std::string name = is_short_help ? "help" : option.string_key;
        if (name.empty()) {
            throw InputError("'" + text + "': unexpected argument; options start with --");
        }
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

/// \throws InputError if both names of a pair are given
void check_exclusive(const GivenOptions& given, std::span<const Conflict> conflicts) {
    for (const auto& [first, second] : conflicts) {
        if (given.contains(first) && given.contains(second)) {
            throw InputError(
                std::string("--") + first + " and --" + second + ": only one can be given"
            );
        }
    }
}

} // namespace

std::optional<GivenOptions> read_command_line(
    int argc,
    char** argv,
    const DriverText& driver,
    std::vector<Section> sections,
    std::span<const Conflict> conflicts
) {
    sections.push_back(
        {"Other", {{"help", "print this text", {}}, {"version", "print the version", {}}}}
    );
    const po::options_description description = describe(sections);
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    replace_former_names(arguments, description);
    GivenOptions given = read_arguments(arguments, description);
    if (given.contains("help")) {
        print_help(driver, description);
        return std::nullopt;
    }
    if (given.contains("version")) {
        std::cout << driver.name << " (starfmm) " << version << '\n';
        return std::nullopt;
    }
    check_exclusive(given, conflicts);
    for (const Section& section : sections) {
        for (const Option& option : section.options) {
            if (const auto found = given.find(option.key()); found != given.end()) {
                option.set({found->first, found->second});
            }
        }
    }
    return given;
}

std::vector<NamedFile>
files_of(const GivenOptions& given, const std::vector<std::string>& options) {
    std::vector<NamedFile> files;
    for (const std::string& option : options) {
        if (given.contains(option)) {
            files.push_back({"--" + option, given.at(option)});
        }
    }
    return files;
}

void check_inputs_stay(std::span<const NamedFile> inputs, std::span<const NamedFile> outputs) {
    for (const NamedFile& output : outputs) {
        for (const NamedFile& input : inputs) {
            if (is_same_file(input.path, output.path)) {
                throw InputError(
                    output.name + " " + output.path + ": is the same file as " + input.name + " " +
                    input.path + ": choose another name"
                );
            }
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

} // namespace starfmm
