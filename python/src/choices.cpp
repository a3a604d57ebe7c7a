// SPDX-License-Identifier: BSD-3-Clause
#include "choices.hpp"

#include <nanobind/stl/string.h>

#include <span>
#include <type_traits>
#include <utility>

namespace nb = nanobind;

namespace starfmm::python {

namespace {

template <class Value>
using Names = std::span<const std::pair<const char*, Value>>;

constexpr std::pair<const char*, Method> methods[] = {
    {"automatic", Method::automatic},
    {"fmm", Method::fmm},
    {"direct", Method::direct},
    {"near_field", Method::near_field}};
constexpr std::pair<const char*, Precision> precisions[] = {
    {"automatic", Precision::automatic},
    {"double", Precision::double_precision},
    {"mixed", Precision::mixed_precision},
    {"single", Precision::single_precision}};
constexpr std::pair<const char*, TreeKind> trees[] = {
    {"automatic", TreeKind::automatic},
    {"pyramid", TreeKind::pyramid},
    {"orthtree", TreeKind::orthtree}};
constexpr std::pair<const char*, PairTerms> pair_terms[] = {
    {"by_distance", PairTerms::by_distance}, {"all", PairTerms::all}};
constexpr std::pair<const char*, FarField> far_fields[] = {
    {"harmonics", FarField::harmonics}, {"taylor", FarField::taylor}};
constexpr std::pair<const char*, PlaneWaves> plane_waves[] = {
    {"automatic", PlaneWaves::automatic},
    {"always", PlaneWaves::always},
    {"never", PlaneWaves::never}};
constexpr std::pair<const char*, PairScheme> pair_schemes[] = {
    {"automatic", PairScheme::automatic},
    {"one_way", PairScheme::one_way},
    {"both_ways", PairScheme::both_ways}};
constexpr std::pair<const char*, Tuning> tunings[] = {
    {"measured", Tuning::measured}, {"builtin", Tuning::builtin}, {"again", Tuning::again}};
constexpr std::pair<const char*, SummationOrder> summations[] = {
    {"any", SummationOrder::any}, {"fixed", SummationOrder::fixed}};
constexpr std::pair<const char*, Team> teams[] = {
    {"automatic", Team::automatic},
    {"gpus", Team::gpus},
    {"cores", Team::cores},
    {"all", Team::all}};

Names<TreeKind> names_of(TreeKind) {
    return trees;
}

Names<PairTerms> names_of(PairTerms) {
    return pair_terms;
}

Names<FarField> names_of(FarField) {
    return far_fields;
}

Names<PlaneWaves> names_of(PlaneWaves) {
    return plane_waves;
}

Names<PairScheme> names_of(PairScheme) {
    return pair_schemes;
}

Names<Tuning> names_of(Tuning) {
    return tunings;
}

Names<SummationOrder> names_of(SummationOrder) {
    return summations;
}

Names<Team> names_of(Team) {
    return teams;
}

template <class Value>
Value value_named(const char* option, const std::string& name, Names<Value> names) {
    std::string allowed;
    for (const auto& [known, value] : names) {
        if (name == known) {
            return value;
        }
        allowed += (allowed.empty() ? "'" : ", '") + std::string(known) + "'";
    }
    throw InputError(std::string(option) + " = '" + name + "': must be one of " + allowed);
}

template <class Value>
std::string name_among(Value value, Names<Value> names) {
    for (const auto& [known, each] : names) {
        if (value == each) {
            return known;
        }
    }
    return "";
}

/// Calls `use` with the name and the value of each choice.
template <class Use>
void for_each(Choices& choices, const Use& use) {
    use("tree", choices.tree);
    use("order", choices.order);
    use("theta", choices.theta);
    use("leaf_size", choices.leaf_size);
    use("levels", choices.levels);
    use("roots", choices.roots);
    use("groups", choices.groups);
    use("chunks", choices.chunks);
    use("own_error", choices.own_error);
    use("heavy_theta", choices.heavy_theta);
    use("terms", choices.terms);
    use("far_field", choices.far_field);
    use("plane_waves", choices.plane_waves);
    use("pairs", choices.pairs);
    use("tuning", choices.tuning);
    use("team", choices.team);
    use("lists", choices.lists);
    use("summation", choices.summation);
    use("target_block", choices.target_block);
    use("source_block", choices.source_block);
}

std::string text_of(nb::handle value) {
    return nb::cast<std::string>(nb::repr(value));
}

template <class Value>
Value value_of(const char* option, nb::handle given) {
    constexpr bool is_named = std::is_enum_v<Value>;
    using Given = std::conditional_t<is_named, std::string, Value>;
    Given value{};
    if (!nb::try_cast(given, value)) {
        const char* const wanted = is_named                    ? "a name"
                                   : std::is_integral_v<Value> ? "an integer"
                                                               : "a number";
        throw InputError(std::string(option) + " = " + text_of(given) + ": must be " + wanted);
    }
    if constexpr (is_named) {
        return value_named(option, value, names_of(Value{}));
    } else {
        return value;
    }
}

[[noreturn]] void throw_unknown(const std::string& name) {
    Choices all;
    std::string known;
    for_each(all, [&](const char* option, const auto&) {
        known += (known.empty() ? "" : ", ") + std::string(option);
    });
    throw InputError(name + ": is no option of a sum; there are " + known);
}

} // namespace

Method method_named(const std::string& name) {
    return value_named("method", name, Names<Method>(methods));
}

Precision precision_named(const std::string& name) {
    return value_named("precision", name, Names<Precision>(precisions));
}

std::string name_of(Method method) {
    return name_among(method, Names<Method>(methods));
}

std::string name_of(Precision precision) {
    return name_among(precision, Names<Precision>(precisions));
}

std::string name_of(TreeKind tree) {
    return name_among(tree, Names<TreeKind>(trees));
}

Choices choices_of(const nb::dict& given) {
    Choices choices;
    for (const auto& [key, value] : given) {
        const auto name = nb::cast<std::string>(key);
        bool is_known = false;
        for_each(choices, [&, &value = value](const char* option, auto& choice) {
            if (name == option) {
                is_known = true;
                if (!value.is_none()) {
                    choice = value_of<std::decay_t<decltype(*choice)>>(option, value);
                }
            }
        });
        if (!is_known) {
            throw_unknown(name);
        }
    }
    return choices;
}

nb::dict as_dict(const Choices& choices) {
    nb::dict chosen;
    Choices copy = choices;
    for_each(copy, [&](const char* option, const auto& choice) {
        using Value = std::decay_t<decltype(*choice)>;
        if (!choice) {
            return;
        }
        if constexpr (std::is_enum_v<Value>) {
            chosen[option] = name_among(*choice, names_of(Value{}));
        } else {
            chosen[option] = *choice;
        }
    });
    return chosen;
}

} // namespace starfmm::python
