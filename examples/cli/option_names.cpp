// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/option_names.hpp"

#include "core/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace starfmm {

namespace {

using Names = std::pair<std::string_view, std::string_view>;

/// Fields of PlanOptions, DirectOptions, RuntimeOptions, GravityTreeOptions, RunParameters, and
/// arguments of what draws points, that have an option of the same name, but for a hyphen.
constexpr std::string_view fields =
    " leaf_size heavy_theta own_error plane_waves target_block source_block mass_ratio order theta "
    "tree levels groups chunks roots epsilon g lists cpus gpus opencl scheduler method kernel "
    "softening precision distribution sigma separation pericentre height n ";

/// Others, each with its option.
constexpr Names other_fields[]{
    {"tolerance", "tol"}, {"tolerance99", "tol99"}, {"time_step", "dt"}, {"Space::open", "open"}};

/// What other programs call it, by our names.
constexpr Names synonyms[]{
    {"threads", "cpus"},      {"cores", "cpus"},   {"workers", "cpus"}, {"devices", "gpus"},
    {"tolerance", "tol"},     {"accuracy", "tol"}, {"error", "tol"},    {"points", "n"},
    {"sources", "n"},         {"bodies", "n"},     {"particles", "n"},  {"size", "n"},
    {"policy", "scheduler"},  {"eps", "epsilon"},  {"timestep", "dt"},  {"time-step", "dt"},
    {"iterations", "repeat"}, {"in", "input"},     {"out", "output"},   {"silent", "quiet"},
    {"columns", "rhs"},       {"periodic", "open"}};

/// Names that options and values of --kernel had in the last version.
constexpr Names former_names[]{
    {"ncrit", "leaf-size"},
    {"ndirect", "leaf-size"},
    {"law", "kernel"},
    {"harmonic", "harmonic2d"},
    {"log", "log2d"},
    {"laplace", "laplace3d"}};

std::string_view found_in(std::span<const Names> table, std::string_view name) {
    const auto found = std::ranges::find(table, name, &Names::first);
    return found == table.end() ? std::string_view() : found->second;
}

/// The option that sets the field; empty: none.
std::string option_of(std::string_view field) {
    std::string option(found_in(other_fields, field));
    if (option.empty() && fields.find(" " + std::string(field) + " ") != fields.npos) {
        option = field;
        std::ranges::replace(option, '_', '-');
    }
    return option;
}

bool is_part_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

/// No word of a sentence.
bool is_identifier(std::string_view name) {
    return name.find_first_of("_:0123456789") != std::string_view::npos;
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
        const std::string option = option_of(name);
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

std::string_view name_now(std::string_view name) {
    return found_in(former_names, name);
}

std::string nearest_option(const std::string& name, std::span<const std::string> offered) {
    const auto synonym = std::ranges::find(offered, found_in(synonyms, name));
    return synonym != offered.end() ? *synonym : nearest_name(name, offered);
}

} // namespace starfmm
