// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/option_names.hpp"

#include "core/nearest_name.hpp"

#include <algorithm>
#include <regex>
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
    if (option.empty() && fields.find(" " + std::string(field) + " ") != std::string_view::npos) {
        option = field;
        std::ranges::replace(option, '_', '-');
    }
    return option;
}

} // namespace

std::string in_options(const std::string& message) {
    // a whole word, with the sign that a value follows; a lone one is no word of a sentence
    static const std::regex word(R"((^|[ (])([\w:]*\w)(?:( =) |(?=$|[ ,:;)])))");
    std::string result;
    auto rest = message.cbegin();
    const std::sregex_iterator end;
    for (std::sregex_iterator it(message.begin(), message.end(), word); it != end; ++it) {
        const std::smatch& found = *it;
        const std::string name = found[2];
        const std::string option = option_of(name);
        const bool is_set = found[3].matched;
        const bool is_identifier = name.find_first_of("_:0123456789") != std::string::npos;
        if (!option.empty() && (is_set || is_identifier)) {
            result.append(rest, found[2].first).append("--" + option + (is_set ? " " : ""));
            rest = found[0].second;
        }
    }
    return result.append(rest, message.cend());
}

std::string_view name_now(std::string_view name) {
    return found_in(former_names, name);
}

std::string nearest_option(const std::string& name, std::span<const std::string> offered) {
    const auto synonym = std::ranges::find(offered, found_in(synonyms, name));
    return synonym != offered.end() ? *synonym : nearest_name(name, offered);
}

} // namespace starfmm
