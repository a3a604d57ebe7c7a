// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/cli_parse.hpp"

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/input_file.hpp"
#include "examples/cli/option_names.hpp"
#include "examples/cli/progress.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

/// "--n N              number of sources", words of the text in the lines of the right column.
void print_option(const std::string& name, const std::string& help, std::size_t width) {
    constexpr std::size_t line_length = 100;
    std::string line = "  --" + name;
    line.resize(std::max(width, line.size()), ' ');
    std::istringstream words(help);
    for (std::string word; words >> word;) {
        if (line.size() + 1 + word.size() > line_length) {
            std::cout << line << '\n';
            line.assign(width, ' ');
        }
        line += ' ' + word;
    }
    std::cout << line << '\n';
}

void print_help(const DriverText& driver, const std::vector<Section>& sections) {
    constexpr std::size_t width = 25;
    std::cout << "Usage: " << driver.name << " [options]\n\n" << driver.summary << "\n\n";
    for (const Section& section : sections) {
        std::cout << section.caption << ":\n";
        for (const Option& option : section.options) {
            print_option(option.name, option.help, width);
        }
        std::cout << '\n';
    }
    std::cout << "Examples:\n";
    for (const std::string& arguments : driver.examples) {
        std::cout << "  " << driver.name << ' ' << arguments << '\n';
    }
    std::cout << "\nExit codes: " << driver.exit_codes << '\n';
}

/// The options by their names.
std::map<std::string, const Option*> options_of(const std::vector<Section>& sections) {
    std::map<std::string, const Option*> options;
    for (const Section& section : sections) {
        for (const Option& option : section.options) {
            options[option.key()] = &option;
        }
    }
    return options;
}

[[noreturn]] void
fail_unknown(const std::string& name, const std::map<std::string, const Option*>& offered) {
    std::vector<std::string> names;
    for (const auto& [other, option] : offered) {
        names.push_back(other);
    }
    const std::string nearest = nearest_option(name, names);
    const std::string meant = nearest.empty() ? "" : ": did you mean --" + nearest + "?";
    throw InputError("--" + name + ": unknown option" + meant + "; --help lists all");
}

/// The name of the option that an argument begins with; one of the last version's is the one of
/// today, of which a note tells.
std::string name_of(
    const std::string& argument,
    const std::map<std::string, const Option*>& offered,
    const Telling& telling
) {
    if (!argument.starts_with("--")) {
        throw InputError("'" + argument + "': unexpected argument; options start with --");
    }
    std::string name = argument.substr(2, argument.find('=') - 2);
    const std::string now(name_now(name));
    if (!offered.contains(name) && offered.contains(now)) {
        note(telling, "--" + name + " is called --" + now + " now");
        name = now;
    }
    if (!offered.contains(name)) {
        fail_unknown(name, offered);
    }
    return name;
}

/// Names and texts of the options. No abbreviations: a later option would make them ambiguous. No
/// short options: -5 is a number.
GivenOptions read_arguments(
    const std::vector<std::string>& arguments, const std::map<std::string, const Option*>& offered
) {
    const Telling telling{std::ranges::find(arguments, "--quiet") != arguments.end()};
    GivenOptions given;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string argument = arguments[i] == "-h" ? "--help" : arguments[i];
        const std::string name = name_of(argument, offered, telling);
        const std::size_t end = argument.find('=');
        const bool takes_value = offered.at(name)->name != name;
        if (!takes_value && end != std::string::npos) {
            throw InputError("--" + name + ": takes no value");
        }
        std::string text = end == std::string::npos ? "" : argument.substr(end + 1);
        const bool is_next = takes_value && end == std::string::npos && i + 1 < arguments.size();
        if (is_next) {
            text = arguments[++i];
        }
        // the next option, where the value was forgotten
        if (takes_value && ((text.empty() && !is_next) || text.starts_with("--"))) {
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
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    GivenOptions given = read_arguments(arguments, options_of(sections));
    if (given.contains("help")) {
        print_help(driver, sections);
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

void check_exclusive(const GivenOptions& given, std::span<const Conflict> conflicts) {
    for (const auto& [first, second] : conflicts) {
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

} // namespace starfmm
