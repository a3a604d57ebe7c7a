// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nbody/nbody_options.hpp"

#include "core/error.hpp"
#include "core/io/png.hpp"
#include "examples/nbody/nbody_table.hpp"
#include "schedulers/plan/simulation.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

const DriverText text{
    "nbody",
    "Moves bodies under their own gravity: leapfrog steps, direct, tree or fast multipole sums.",
    {"--n 1e4 --steps 3621 --precision mixed --max-drift 1e-4",
     "--ic galaxies --n 2e4 --steps 4000 --picture galaxies_%05d.png --picture-every 100",
     "--n 1e6 --method fmm --epsilon 0 --dt 1e-5 --steps 100 --precision mixed",
     "--n 1e6 --method tree --precision single --epsilon 0.01 --steps 100",
     "--n 1e5 --snapshot run.hdf5 --snapshot-every 50 --steps 10000",
     "--restart run.hdf5 --snapshot run.hdf5 --snapshot-every 50"},
    "0 done, 1 check failed, 2 bad input or options, 3 failure at run time; 128 + S: stopped by "
    "signal S (INT, TERM or HUP) after a step, with a snapshot if --snapshot is given"};

/// A restart takes these from its snapshot, a run from a file has its bodies from there.
constexpr std::pair<const char*, const char*> conflicts[]{
    {"restart", "n"},          {"restart", "ic"},
    {"restart", "mass-ratio"}, {"restart", "separation"},
    {"restart", "pericentre"}, {"restart", "seed"},
    {"restart", "input"},      {"restart", "dt"},
    {"restart", "epsilon"},    {"restart", "softening"},
    {"restart", "g"},          {"restart", "precision"},
    {"restart", "method"},     {"restart", "own-error"},
    {"restart", "open"},       {"input", "n"},
    {"input", "ic"},           {"input", "mass-ratio"},
    {"input", "separation"},   {"input", "pericentre"},
    {"input", "seed"}};

/// The length of `%d` or `%0Nd` at the beginning of `text`, and N; length 0 if there is none.
struct StepField {
    std::size_t length = 0;
    std::size_t digits = 0;
};

StepField step_field(const std::string& text) {
    if (text.starts_with("%d")) {
        return {2, 1};
    }
    const bool has_digits =
        text.size() >= 4 && text[1] == '0' && text[2] >= '1' && text[2] <= '9' && text[3] == 'd';
    return has_digits ? StepField{4, static_cast<std::size_t>(text[2] - '0')} : StepField{};
}

/// Default of the fast multipole method.
double usual_tolerance(const RunParameters& run) {
    if (run.has_tree()) {
        return 1e-3;
    }
    return run.precision == Precision::single_precision ? 1e-5 : 1e-6;
}

/// Files that are there and that a series may replace, at whatever step.
std::vector<NamedFile> replaced_files(const std::string& option, const Series& series) {
    const fs::path pattern(series.file);
    const Series in_folder{pattern.filename(), series.every};
    std::vector<NamedFile> files;
    std::error_code failed;
    const fs::path folder = fs::absolute(pattern, failed).parent_path();
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        if (in_folder.may_write(entry.path().filename())) {
            files.push_back({option, entry.path()});
        }
    }
    return files;
}

/// Returns the first file that a series writes, if there is a series.
std::vector<NamedFile> first_file(const std::string& option, const Series& series) {
    std::vector<NamedFile> files;
    if (!series.file.empty()) {
        files.push_back({option, series.name(0)});
    }
    return files;
}

void append(std::vector<NamedFile>& files, const std::vector<NamedFile>& others) {
    files.insert(files.end(), others.begin(), others.end());
}

/// A run that goes on may replace the snapshot that it goes on from.
void check_nbody_files(const GivenOptions& given, const NbodyOptions& options) {
    constexpr const char* single[]{"log", "json", "trace"};
    constexpr const char* input[]{"input"};
    constexpr const char* restart[]{"restart"};
    const std::vector<NamedFile> snapshots = first_file("--snapshot", options.snapshot);
    std::vector<NamedFile> outputs = files_of(given, single);
    append(outputs, first_file("--picture", options.picture));
    std::vector<NamedFile> first = outputs;
    append(first, snapshots);
    check_outputs(first);
    append(outputs, replaced_files("--picture", options.picture));
    check_inputs_stay(files_of(given, restart), outputs);
    append(outputs, snapshots);
    append(outputs, replaced_files("--snapshot", options.snapshot));
    check_inputs_stay(files_of(given, input), outputs);
}

/// Refuses files in formats that this build does not write, before hours have passed.
void check_formats(const NbodyOptions& options) {
    if (!options.snapshot.file.empty()) {
        check_hdf5("--snapshot " + options.snapshot.name(0));
    }
    if (!options.picture.file.empty()) {
        check_png("--picture " + options.picture.name(0));
    }
}

} // namespace

bool Series::is_due(std::uint64_t step, std::uint64_t steps) const {
    return !file.empty() && (step == steps || (every > 0 && step % every == 0));
}

std::string Series::name(std::uint64_t step) const {
    std::string result;
    for (std::size_t i = 0; i < file.size();) {
        if (file[i] != '%') {
            result += file[i++];
            continue;
        }
        const StepField found = step_field(file.substr(i));
        if (found.length == 0) {
            throw InputError(file + ": a % must begin %d or %01d to %09d, the step");
        }
        const std::string number = std::to_string(step);
        result.append(found.digits - std::min(found.digits, number.size()), '0').append(number);
        i += found.length;
    }
    return result;
}

bool Series::may_write(const std::string& path) const {
    const std::size_t field = file.find('%');
    if (field == std::string::npos || !path.starts_with(file.substr(0, field))) {
        return path == file;
    }
    std::uint64_t step = 0;
    static_cast<void>(std::from_chars(path.data() + field, path.data() + path.size(), step));
    return path == name(step);
}

std::optional<NbodyOptions> parse_nbody_options(int argc, char** argv) {
    const auto given = read_command_line(argc, argv, text, texts_of<NbodyOptions>(nbody_sections));
    if (!given) {
        return std::nullopt;
    }
    check_exclusive(*given, conflicts);
    NbodyOptions options;
    set_options<NbodyOptions>(nbody_sections, *given, options);
    options.run.sums.tolerance =
        options.tolerance > 0 ? options.tolerance : usual_tolerance(options.run);
    check_method(options.run);
    options.encounter.validate();
    options.runtime.validate();
    check_nbody_files(*given, options);
    check_formats(options);
    return options;
}

} // namespace starfmm
