// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/option_names.hpp"

#include "core/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace starfmm {

namespace {

/// Fields of PlanOptions, DirectOptions, RuntimeOptions, GravityTreeOptions, RunParameters, and
/// arguments of what draws points, each with its option.
constexpr FieldOption field_options[]{
    {"tolerance", "tol"},
    {"tolerance99", "tol99"},
    {"leaf_size", "leaf-size"},
    {"heavy_theta", "heavy-theta"},
    {"own_error", "own-error"},
    {"plane_waves", "plane-waves"},
    {"time_step", "dt"},
    {"target_block", "target-block"},
    {"source_block", "source-block"},
    {"group_level", "group-level"},
    {"mass_ratio", "mass-ratio"},
    {"Space::open", "open"},
    {"order", "order"},
    {"theta", "theta"},
    {"tree", "tree"},
    {"levels", "levels"},
    {"groups", "groups"},
    {"chunks", "chunks"},
    {"roots", "roots"},
    {"epsilon", "epsilon"},
    {"g", "g"},
    {"lists", "lists"},
    {"cpus", "cpus"},
    {"gpus", "gpus"},
    {"opencl", "opencl"},
    {"scheduler", "scheduler"},
    {"method", "method"},
    {"kernel", "kernel"},
    {"softening", "softening"},
    {"precision", "precision"},
    {"distribution", "distribution"},
    {"sigma", "sigma"},
    {"separation", "separation"},
    {"pericentre", "pericentre"},
    {"height", "height"},
    {"n", "n"}};

/// What other programs call it, by our names.
constexpr FieldOption synonyms[]{
    {"threads", "cpus"},      {"cores", "cpus"},   {"workers", "cpus"}, {"devices", "gpus"},
    {"tolerance", "tol"},     {"accuracy", "tol"}, {"error", "tol"},    {"points", "n"},
    {"sources", "n"},         {"bodies", "n"},     {"particles", "n"},  {"size", "n"},
    {"policy", "scheduler"},  {"eps", "epsilon"},  {"timestep", "dt"},  {"time-step", "dt"},
    {"iterations", "repeat"}, {"in", "input"},     {"out", "output"},   {"silent", "quiet"},
    {"columns", "rhs"},       {"periodic", "open"}};

/// Names that options had in the last version.
constexpr FieldOption former_names[]{
    {"--ncrit", "--leaf-size"}, {"--ndirect", "--leaf-size"}, {"--law", "--kernel"}};

/// Names that values of --kernel had then.
constexpr FieldOption former_kernels[]{
    {"harmonic", "harmonic2d"}, {"log", "log2d"}, {"laplace", "laplace3d"}};

bool is_part_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

/// No word of a sentence.
bool is_identifier(std::string_view name) {
    return name.find_first_of("_:0123456789") != std::string_view::npos;
}

std::string_view option_of(std::string_view field, std::span<const FieldOption> table) {
    const auto found = std::ranges::find(table, field, &FieldOption::field);
    return found == table.end() ? std::string_view() : found->option;
}

/// The name that begins at `begin`, but for a colon that ends it; empty within another word.
std::string_view name_at(std::string_view text, std::size_t begin) {
    if (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '(') {
        return {};
    }
    std::size_t end = begin;
    while (end < text.size() && is_part_of_name(text[end])) {
        ++end;
    }
    while (end > begin && text[end - 1] == ':') {
        --end;
    }
    const bool is_whole =
        end == text.size() || std::string_view(" ,:;)").find(text[end]) != std::string_view::npos;
    return is_whole ? text.substr(begin, end - begin) : std::string_view();
}

} // namespace

std::string in_options(const std::string& message) {
    constexpr std::string_view assignment = " = ";
    const std::string_view text = message;
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view name = name_at(text, i);
        const std::string_view option = option_of(name, field_options);
        const bool is_set = text.substr(i + name.size()).starts_with(assignment);
        if (option.empty() || !(is_set || is_identifier(name))) {
            result += text[i++];
            continue;
        }
        result.append("--").append(option);
        i += name.size();
        if (is_set) {
            result += ' ';
            i += assignment.size();
        }
    }
    return result;
}

std::string_view renamed_option(std::string_view option) {
    return option_of(option, former_names);
}

std::string_view renamed_kernel(std::string_view kernel) {
    return option_of(kernel, former_kernels);
}

std::string nearest_option(const std::string& name, std::span<const std::string> offered) {
    for (const FieldOption& synonym : synonyms) {
        const auto found = std::ranges::find(offered, synonym.option);
        if (synonym.field == name && found != offered.end()) {
            return *found;
        }
    }
    return nearest_name(name, offered);
}

} // namespace starfmm
