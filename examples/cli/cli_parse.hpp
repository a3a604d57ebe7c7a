// SPDX-License-Identifier: BSD-3-Clause
// From a table of options and a command line to values: what the drivers' command lines share.
#pragma once

#include "examples/cli/cli_argument.hpp"

#include <algorithm>
#include <functional>
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

/// How the help introduces a driver, and what the driver has.
struct DriverText {
    std::string name;
    std::string summary;
    std::vector<std::string> examples; ///< arguments of command lines
    std::string exit_codes{"0 done, 1 check failed, 2 bad input or options, 3 failure at run time"};
    /// Options, or captions of whole sections, that its table has and it does not.
    std::vector<std::string> lacking{};
};

/// An option of one driver, which sets a field of one object.
struct Option {
    std::string name; ///< as OptionOf::name
    std::string help;
    std::function<void(const Argument& argument)> set;

    /// The part of the name before a space.
    [[nodiscard]] std::string key() const { return name.substr(0, name.find(' ')); }
};

struct Section {
    std::string caption;
    std::vector<Option> options;
};

/// Texts of the options given, by name.
using GivenOptions = std::map<std::string, std::string>;

/// Options of which only one can be given.
using Conflict = std::pair<const char*, const char*>;

/// Reads a command line and sets what it gives, in the order of the sections. Empty after --help or
/// --version was printed.
/// \throws InputError naming the option, its value and what is allowed: for what is no option, given
/// twice, beside a conflicting one, or lacks its value
[[nodiscard]] std::optional<GivenOptions> read_command_line(
    int argc,
    char** argv,
    const DriverText& driver,
    std::vector<Section> sections,
    std::span<const Conflict> conflicts = {}
);

/// Files, each with what the command line calls it, as "--input".
struct NamedFile {
    std::string name;
    std::string path;
};

/// Files of those of `options` that are given.
[[nodiscard]] std::vector<NamedFile>
files_of(const GivenOptions& given, const std::vector<std::string>& options);

/// Files are told apart as the system does it: a link, or another spelling, is no other file.
/// \throws InputError if an output is one of the inputs
void check_inputs_stay(std::span<const NamedFile> inputs, std::span<const NamedFile> outputs);

/// Checks outputs before hours of computing, not after them.
/// \throws InputError if two outputs are the same file, but for what is written to as it comes
/// (/dev/stdout); OutputError or WriteError naming the option, if its file cannot be written
void check_outputs(std::span<const NamedFile> outputs);

/// The rows of a table that a driver has, which set fields of `options`.
/// \param kind the driver's bit
template <class Options>
[[nodiscard]] std::vector<Section> sections_of(
    std::span<const SectionOf<Options>> table,
    const DriverText& driver,
    unsigned kind,
    Options& options
) {
    const auto has = [&driver](const std::string& name) {
        return std::ranges::find(driver.lacking, name) == driver.lacking.end();
    };
    std::vector<Section> sections;
    for (const SectionOf<Options>& rows : table) {
        Section section{rows.caption, {}};
        for (const OptionOf<Options>& row : rows.options) {
            Option option{row.name, row.help, [&options, set = row.set](const Argument& argument) {
                              set(options, argument);
                          }};
            if ((row.drivers & kind) != 0 && has(option.key())) {
                section.options.push_back(std::move(option));
            }
        }
        if (has(section.caption) && !section.options.empty()) {
            sections.push_back(std::move(section));
        }
    }
    return sections;
}

} // namespace starfmm
