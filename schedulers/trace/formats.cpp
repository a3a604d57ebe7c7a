// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/formats.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "schedulers/trace/html_report.hpp"
#include "schedulers/trace/perfetto.hpp"
#include "schedulers/trace/text_report.hpp"

#include <filesystem>
#include <utility>

namespace starfmm {

namespace {

constexpr std::pair<const char*, TraceFormat> suffixes[]{
    {"", TraceFormat::json},
    {".json", TraceFormat::json},
    {".html", TraceFormat::html},
    {".txt", TraceFormat::text}};

void write_text(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

} // namespace

TraceFormat trace_format_of(const std::string& option, const std::string& path) {
    const std::string suffix = std::filesystem::path(path).extension().string();
    for (const auto& [name, format] : suffixes) {
        if (suffix == name) {
            return format;
        }
    }
    throw InputError("--" + option + " " + path + ": must end in .json, .html or .txt");
}

void write_trace_file(const std::string& path, TraceFormat format, const Trace& trace) {
    switch (format) {
    case TraceFormat::json:
        write_perfetto(path, trace, analyse(trace));
        break;
    case TraceFormat::html:
        write_text(path, html_report(trace, analyse(trace)));
        break;
    case TraceFormat::text:
        write_text(path, text_report(trace, analyse(trace)));
        break;
    }
}

} // namespace starfmm
