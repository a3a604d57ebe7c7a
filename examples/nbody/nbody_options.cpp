// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nbody/nbody_options.hpp"

#include "core/error.hpp"
#include "core/io/png.hpp"
#include "examples/nbody/evolution.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <regex>
#include <span>
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

using O = NbodyOptions;
using A = const Argument&;
constexpr unsigned nbody = drivers::nbody;
constexpr std::uint64_t most_steps = std::uint64_t{1} << 53U; // exact as a number

// Rows as those of cli/option_table.cpp.
// clang-format off
constexpr OptionOf<O> body_options[]{
    {nbody, "ic NAME",
     [](O& o, A a) { o.initial_conditions = a.choice<InitialConditions>({"plummer", "galaxies"}); },
     "plummer: a star cluster in equilibrium; galaxies: two of them meeting (default: plummer)"},
    {nbody, "mass-ratio Q", [](O& o, A a) { o.encounter.mass_ratio = a.number(); },
     "galaxies: second mass over the first, which is 1 (default: 1)"},
    {nbody, "separation D", [](O& o, A a) { o.encounter.separation = a.number(); },
     "galaxies: distance at the start (default: 8)"},
    {nbody, "pericentre P", [](O& o, A a) { o.encounter.pericentre = a.number(); },
     "galaxies: closest approach of the parabola they start on (default: 1)"},
    {nbody, "input FILE", [](O& o, A a) { o.input = a.file(); },
     "start a new run from the bodies of a Gadget snapshot in HDF5"},
    {nbody, "open", [](O& o, A /*a*/) { o.space = Space::open; },
     "take the input's bodies and numbers as they are, in open space, though its header says that "
     "they are of a periodic box, or expand"},
    {nbody, "restart FILE", [](O& o, A a) { o.restart = a.file(); },
     "go on from a snapshot of this driver, with the parameters it was made with"}};

constexpr OptionOf<O> integration_options[]{
    {nbody, "steps K",
     [](O& o, A a) {
         o.run.steps = a.integer(0, most_steps);
         o.has_steps = true;
     },
     "step to end at, counted from the very start (default: 1000; of the snapshot restarted from)"},
    {nbody, "dt T", [](O& o, A a) { o.run.time_step = a.positive(); },
     "length of a step (default: 1/128)"},
    {nbody, "method NAME",
     [](O& o, A a) {
         constexpr int tree = 3;
         const int method = a.choice<int>({"fmm", "direct", "auto", "tree"});
         o.plan.method = method == tree ? Method::fmm : static_cast<Method>(method);
         o.run.far_field = method == tree ? FarField::taylor : FarField::harmonics;
     },
     "direct: all pairs; fmm: O(N), needs --epsilon 0; auto: the faster of these, direct where "
     "there is softening; tree: O(N), softened (default: direct)"},
    {nbody, "max-drift D", [](O& o, A a) { o.max_drift = a.positive(); },
     "exit 1 if the energy drifts further, relative to its start (default: any drift is fine)"}};

constexpr OptionOf<O> output_options[]{
    {nbody, "snapshot FILE", [](O& o, A a) { o.snapshot.file = a.file(); },
     "HDF5 snapshot after the last step; %d or %06d in its name is the step"},
    {nbody, "snapshot-every K", [](O& o, A a) { o.snapshot.every = a.integer(0, most_steps); },
     "also at the start and after every K steps; a name without %d is replaced (default: 0: not)"},
    {nbody, "picture FILE", [](O& o, A a) { o.picture.file = a.file(); },
     "PNG of the bodies after the last step, named like snapshots"},
    {nbody, "picture-every K", [](O& o, A a) { o.picture.every = a.integer(0, most_steps); },
     "also at the start and after every K steps (default: 0: not)"},
    {nbody, "picture-width W", [](O& o, A a) { o.picture_width = a.number_from(0); },
     "side of the square shown, about the origin; 0: fitting each picture (default: 0)"},
    {nbody, "picture-pixels P", [](O& o, A a) { o.picture_pixels = a.integer<int>(16, 16384); },
     "pixels along a side, 16 to 16384 (default: 800)"},
    {nbody, "log FILE", [](O& o, A a) { o.log.file = a.file(); },
     "CSV of energies and drifts; a restart goes on with it"},
    {nbody, "log-every K", [](O& o, A a) { o.log.every = a.integer(1, most_steps); },
     "steps from one line, and look at the drift, to the next (default: 1)"}};
// clang-format on

constexpr SectionOf<O> own_sections[]{
    {"Bodies", body_options}, {"Integration", integration_options}, {"Output", output_options}};

/// A restart takes these from its snapshot, a run from a file has its bodies from there.
constexpr Conflict conflicts[]{
    {"restart", "n"},          {"restart", "ic"},         {"restart", "mass-ratio"},
    {"restart", "separation"}, {"restart", "pericentre"}, {"restart", "seed"},
    {"restart", "input"},      {"restart", "dt"},         {"restart", "epsilon"},
    {"restart", "softening"},  {"restart", "g"},          {"restart", "precision"},
    {"restart", "method"},     {"restart", "own-error"},  {"restart", "open"},
    {"input", "ic"},           {"input", "mass-ratio"},   {"input", "separation"},
    {"input", "pericentre"},   {"input", "seed"},         {"input", "n"}};

/// Default of the fast multipole method.
double usual_tolerance(const RunParameters& run) {
    if (run.has_tree()) {
        return 1e-3;
    }
    return run.precision == Precision::single_precision ? 1e-5 : 1e-6;
}

/// Adds the first file that a series writes, if there is a series.
void add_first(std::vector<NamedFile>& files, const std::string& option, const Series& series) {
    if (!series.file.empty()) {
        files.push_back({option, series.name(0)});
    }
}

/// Adds files that are there and that a series may replace, at whatever step.
void add_replaced(std::vector<NamedFile>& files, const std::string& option, const Series& series) {
    const fs::path pattern(series.file);
    const Series in_folder{pattern.filename(), series.every};
    std::error_code failed;
    const fs::path folder = fs::absolute(pattern, failed).parent_path();
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        if (in_folder.may_write(entry.path().filename())) {
            files.push_back({option, entry.path()});
        }
    }
}

/// A run that goes on may replace the snapshot that it goes on from.
void check_nbody_files(const GivenOptions& given, const NbodyOptions& options) {
    std::vector<NamedFile> outputs = files_of(given, {"log", "json", "trace"});
    add_first(outputs, "--picture", options.picture);
    std::vector<NamedFile> all = outputs;
    add_first(all, "--snapshot", options.snapshot);
    check_outputs(all);
    add_replaced(outputs, "--picture", options.picture);
    check_inputs_stay(files_of(given, {"restart"}), outputs);
    add_replaced(all, "--picture", options.picture);
    add_replaced(all, "--snapshot", options.snapshot);
    check_inputs_stay(files_of(given, {"input"}), all);
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
    static const std::regex field("%(?:0([1-9]))?d");
    if (std::regex_replace(file, field, "").find('%') != std::string::npos) {
        throw InputError(file + ": a % must begin %d or %01d to %09d, the step");
    }
    const std::string number = std::to_string(step);
    std::string result;
    auto rest = file.cbegin();
    const std::sregex_iterator end;
    for (std::sregex_iterator found(file.begin(), file.end(), field); found != end; ++found) {
        const std::string digits = (*found)[1];
        const std::size_t width = digits.empty() ? 1 : std::stoul(digits);
        result.append(rest, (*found)[0].first);
        result.append(width - std::min(width, number.size()), '0').append(number);
        rest = (*found)[0].second;
    }
    return result.append(rest, file.cend());
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
    NbodyOptions options;
    static_cast<DriverOptions&>(options) = default_options(drivers::nbody);
    std::vector<Section> own = sections_of<O>(own_sections, text, nbody, options);
    const auto given = read_options(argc, argv, text, options, conflicts, std::move(own));
    if (!given) {
        return std::nullopt;
    }
    options.run.g = options.g;
    options.run.epsilon = options.epsilon;
    options.run.softening = options.softening;
    options.run.own_error = options.own_error;
    options.run.precision = options.precision;
    options.run.sums.method = options.plan.method;
    options.run.sums.tolerance =
        options.plan.tolerance > 0 ? options.plan.tolerance : usual_tolerance(options.run);
    check_method(options.run);
    options.encounter.validate();
    options.runtime.validate();
    check_nbody_files(*given, options);
    check_formats(options);
    return options;
}

} // namespace starfmm
