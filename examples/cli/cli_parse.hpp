// SPDX-License-Identifier: BSD-3-Clause
// From a table of options and a command line to values: what the drivers' command lines share.
#pragma once

#include "examples/cli/cli_argument.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starfmm {

/// One option: a row of a table.
template <class Options>
struct OptionOf {
    unsigned drivers; ///< bits of those that have it
    const char* name; ///< followed by that of its value, if it takes one: "n N"
    void (*set)(Options& options, const Argument& argument);
    const char* help;
};

/// Rows below one caption of the help.
template <class Options>
struct SectionOf {
    const char* caption;
    std::span<const OptionOf<Options>> options;
};

/// The part of a row's name before a space.
[[nodiscard]] inline std::string_view name_of_option(std::string_view name) {
    return name.substr(0, name.find(' '));
}

/// How the help introduces a driver.
struct DriverText {
    std::string name;
    std::string summary;
    std::vector<std::string> examples; ///< arguments of command lines
    std::string exit_codes{"0 done, 1 check failed, 2 bad input or options, 3 failure at run time"};
};

/// What the help says of options: their names, with those of values, and texts.
struct SectionText {
    std::string caption;
    std::vector<std::pair<std::string, std::string>> options;
};

/// Texts of the options given, by name.
using GivenOptions = std::map<std::string, std::string>;

/// Empty after --help or --version was printed.
/// \throws InputError for what is no option of the table, given twice, or lacks its value
[[nodiscard]] std::optional<GivenOptions> read_command_line(
    int argc, char** argv, const DriverText& driver, const std::vector<SectionText>& sections
);

/// \throws InputError if both names of a pair are given
void check_exclusive(
    const GivenOptions& given, std::span<const std::pair<const char*, const char*>> pairs
);

/// Files, each with what the command line calls it, as "--input".
struct NamedFile {
    std::string name;
    std::string path;
};

/// Files of those of `options` that are given.
[[nodiscard]] std::vector<NamedFile>
files_of(const GivenOptions& given, std::span<const char* const> options);

/// Files are told apart as the system does it: a link, or another spelling, is no other file.
/// \throws InputError if an output is one of the inputs
void check_inputs_stay(std::span<const NamedFile> inputs, std::span<const NamedFile> outputs);

/// Checks outputs before hours of computing, not after them.
/// \throws InputError if two outputs are the same file, but for what is written to as it comes
/// (/dev/stdout); OutputError or WriteError naming the option, if its file cannot be written
void check_outputs(std::span<const NamedFile> outputs);

/// Checks inputs and outputs of a driver's options.
void check_files(
    const GivenOptions& given,
    std::span<const char* const> inputs,
    std::span<const char* const> outputs
);

/// What the help says of the rows of a driver.
/// \param driver its bit
/// \param lacking options, or captions of whole sections, that it does not have
template <class Options>
[[nodiscard]] std::vector<SectionText> texts_of(
    std::span<const SectionOf<Options>> table,
    unsigned driver,
    std::span<const std::string_view> lacking = {}
) {
    const auto has = [lacking](std::string_view name) {
        return std::ranges::find(lacking, name) == lacking.end();
    };
    std::vector<SectionText> texts;
    for (const SectionOf<Options>& section : table) {
        SectionText text{section.caption, {}};
        for (const OptionOf<Options>& row : section.options) {
            if ((row.drivers & driver) != 0 && has(name_of_option(row.name))) {
                text.options.emplace_back(row.name, row.help);
            }
        }
        if (has(section.caption) && !text.options.empty()) {
            texts.push_back(std::move(text));
        }
    }
    return texts;
}

/// Sets what is given, in the order of the table.
/// \throws InputError naming the option, its value and what is allowed
template <class Options>
void set_options(
    std::span<const SectionOf<Options>> table,
    unsigned driver,
    const GivenOptions& given,
    Options& options
) {
    for (const SectionOf<Options>& section : table) {
        for (const OptionOf<Options>& row : section.options) {
            const auto found = given.find(std::string(name_of_option(row.name)));
            if ((row.drivers & driver) != 0 && found != given.end()) {
                row.set(options, {found->first, found->second});
            }
        }
    }
}

} // namespace starfmm
