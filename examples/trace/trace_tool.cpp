// SPDX-License-Identifier: BSD-3-Clause
#include "examples/trace/trace_tool.hpp"

#include "core/error.hpp"
#include "examples/cli/cli_parse.hpp"
#include "schedulers/trace/compare.hpp"
#include "schedulers/trace/formats.hpp"
#include "schedulers/trace/perfetto.hpp"
#include "schedulers/trace/text_report.hpp"

#include <iostream>
#include <span>
#include <string_view>

namespace starfmm {

namespace {

using Section = SectionOf<TraceToolOptions>;
using Option = OptionOf<TraceToolOptions>;

// Rows as those of cli/option_table.cpp.
// clang-format off
constexpr Option output_options[]{
    {1, "html FILE", [](auto& o, const auto& a) { o.html = a.file(); },
     "a report to read in a browser, one file that needs no network"},
    {1, "text FILE", [](auto& o, const auto& a) { o.text = a.file(); },
     "the report that is printed otherwise"}};
// clang-format on

constexpr Section sections[]{{"Output", output_options}};

constexpr const char* outputs[]{"html", "text"};

const DriverText& tool_text() {
    static const DriverText text{
        "starfmm-trace",
        "Explains a trace that a driver wrote with --trace FILE.json: prints a report or, with\n"
        "'compare' and two traces, what became slower or faster. The options follow the files.",
        {"run.json", "run.json --html run.html", "compare before.json after.json"},
        "0 done, 2 bad input or options, 3 failure at run time"};
    return text;
}

/// The words before the first option.
std::vector<std::string> leading_words(int argc, char** argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
        words.emplace_back(argv[i]);
    }
    return words;
}

void take_files(std::vector<std::string> words, TraceToolOptions& options) {
    const bool compares = !words.empty() && words.front() == "compare";
    if (compares) {
        words.erase(words.begin());
    }
    const std::size_t n_files = compares ? 2 : 1;
    if (words.size() < n_files) {
        throw InputError(
            compares ? "compare: two traces are expected"
                     : "a trace is expected, a file that --trace FILE.json wrote; --help says more"
        );
    }
    if (words.size() > n_files) {
        throw InputError("'" + words[n_files] + "': unexpected argument");
    }
    options.files = std::move(words);
}

void check_no_output(const GivenOptions& given) {
    for (const char* name : outputs) {
        if (given.contains(name)) {
            throw InputError(std::string("--") + name + ": not with compare, which prints");
        }
    }
}

} // namespace

std::optional<TraceToolOptions> parse_trace_options(int argc, char** argv) {
    const std::vector<std::string> words = leading_words(argc, argv);
    const int n_words = static_cast<int>(words.size());
    std::vector<char*> rest{argv[0]};
    rest.insert(rest.end(), argv + 1 + n_words, argv + argc);
    const std::span<const Section> all(sections);
    const auto given = read_command_line(
        static_cast<int>(rest.size()), rest.data(), tool_text(), texts_of(all, 1)
    );
    if (!given) {
        return std::nullopt;
    }
    TraceToolOptions options;
    take_files(words, options);
    set_options(all, 1, *given, options);
    if (options.files.size() > 1) {
        check_no_output(*given);
    }
    const std::vector<NamedFile> written = files_of(*given, outputs);
    check_inputs_stay(std::vector<NamedFile>{{"the trace", options.files.front()}}, written);
    check_outputs(written);
    return options;
}

void run_trace_tool(const TraceToolOptions& options) {
    const Trace trace = read_trace(options.files.front());
    if (options.files.size() > 1) {
        std::cout << comparison_text(trace, read_trace(options.files.back()));
        return;
    }
    if (!options.html.empty()) {
        write_trace_file(options.html, TraceFormat::html, trace);
    }
    if (!options.text.empty()) {
        write_trace_file(options.text, TraceFormat::text, trace);
    }
    if (options.html.empty() && options.text.empty()) {
        std::cout << text_report(trace, analyse(trace));
    }
}

} // namespace starfmm
