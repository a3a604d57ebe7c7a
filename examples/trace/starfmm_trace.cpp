// SPDX-License-Identifier: BSD-3-Clause
// This driver explains what the runtime did, from the trace of another driver.
#include "core/error.hpp"
#include "examples/cli/cli.hpp"
#include "schedulers/trace/compare.hpp"
#include "schedulers/trace/formats.hpp"
#include "schedulers/trace/perfetto.hpp"
#include "schedulers/trace/text_report.hpp"

#include <iostream>
#include <string>
#include <vector>

namespace {

using starfmm::Argument, starfmm::InputError, starfmm::NamedFile;

const starfmm::DriverText text{
    "starfmm-trace",
    "Explains a trace that a driver wrote with --trace FILE.json: prints a report or, with\n"
    "'compare' and two traces, what became slower or faster. The options follow the files.",
    {"run.json", "run.json --html run.html", "compare before.json after.json"},
    "0 done, 2 bad input or options, 3 failure at run time"};

/// The words before the first option.
std::vector<std::string> leading_words(int argc, char** argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
        words.emplace_back(argv[i]);
    }
    return words;
}

/// The traces that these words name: one to report on, or two to compare.
std::vector<std::string> traces_of(std::vector<std::string> words) {
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
    return words;
}

/// Prints the report or the comparison, or writes the files if any were asked for.
void report_on(
    const std::vector<std::string>& files, const std::string& html, const std::string& text_file
) {
    const starfmm::Trace trace = starfmm::read_trace(files.front());
    if (files.size() > 1) {
        std::cout << comparison_text(trace, starfmm::read_trace(files.back()));
        return;
    }
    if (!html.empty()) {
        write_trace_file(html, starfmm::TraceFormat::html, trace);
    }
    if (!text_file.empty()) {
        write_trace_file(text_file, starfmm::TraceFormat::text, trace);
    }
    if (html.empty() && text_file.empty()) {
        std::cout << text_report(trace, analyse(trace));
    }
}

int run(int argc, char** argv) {
    std::string html;
    std::string report;
    const std::vector<std::string> words = leading_words(argc, argv);
    const int n_words = static_cast<int>(words.size());
    const auto given = starfmm::read_command_line(
        argc - n_words,
        argv + n_words,
        text,
        {{"Output",
          {{"html FILE",
            "a report to read in a browser, one file that needs no network",
            [&](const Argument& a) { html = a.file(); }},
           {"text FILE",
            "the report that is printed otherwise",
            [&](const Argument& a) { report = a.file(); }}}}}
    );
    if (!given) {
        return 0;
    }
    const std::vector<NamedFile> written = starfmm::files_of(*given, {"html", "text"});
    const std::vector<std::string> files = traces_of(words);
    if (files.size() > 1 && !written.empty()) {
        throw InputError(written.front().name + ": not with compare, which prints");
    }
    check_inputs_stay(std::vector<NamedFile>{{"the trace", files.front()}}, written);
    check_outputs(written);
    report_on(files, html, report);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
