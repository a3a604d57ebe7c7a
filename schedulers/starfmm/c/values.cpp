// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/c/values.hpp"

#include "starfmm/c/structs.hpp"
#include "starfmm/kernel_named.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace starfmm::c {

namespace {

template <class Value>
Value value_of(const std::string& field, int given, const std::vector<Value>& values) {
    check_range(field, given, 0, static_cast<double>(values.size()) - 1);
    return values[given];
}

bool yes(const std::string& field, int given) {
    return value_of<int>(field, given, {0, 1}) == 1;
}

/// A choice of zero is left to the library.
template <class Value>
std::optional<Value> chosen(const std::string& field, Value given) {
    if (given < 0) {
        throw InputError(
            field + " = " + std::to_string(given) + ": must not be negative; 0: chosen"
        );
    }
    return given == 0 ? std::nullopt : std::optional(given);
}

/// What is not zero: a kernel refuses what it does not have.
NamedParameters parameters(const starfmm_kernel& given) {
    NamedParameters named;
    const std::pair<const char*, int> flags[] = {
        {"gradient", given.gradient},
        {"complex_strengths", given.complex_strengths},
        {"potential", given.potential}};
    for (const auto& [name, value] : flags) {
        if (yes("kernel." + std::string(name), value)) {
            named[name] = true;
        }
    }
    if (given.epsilon != 0) {
        named["epsilon"] = given.epsilon;
    }
    if (given.g != 0) {
        named["g"] = given.g;
    }
    check_range(
        "kernel.softening", given.softening, STARFMM_SOFTENING_PLUMMER, STARFMM_SOFTENING_SPLINE
    );
    if (given.softening == STARFMM_SOFTENING_SPLINE) {
        named["softening"] = std::string("spline");
    }
    return named;
}

Tolerance tolerance(const starfmm_options& given) {
    const double value = given.tolerance == 0 ? SumOptions{}.tolerance.value() : given.tolerance;
    const auto of = value_of<Tolerance::Of>(
        "options.tolerance_of", given.tolerance_of, {Tolerance::Of::l2, Tolerance::Of::median}
    );
    if (of == Tolerance::Of::l2 && given.p99 != 0) {
        throw InputError("options.p99: is of tolerance_of = STARFMM_TOLERANCE_MEDIAN; must be 0");
    }
    return of == Tolerance::Of::l2 ? Tolerance(value)
                                   : Median{value, given.p99 == 0 ? 1 : given.p99};
}

const char* name_of(Method method) {
    return method == Method::direct       ? "direct"
           : method == Method::near_field ? "near_field"
                                          : "fmm";
}

const char* name_of(Precision precision) {
    return precision == Precision::single_precision  ? "single"
           : precision == Precision::mixed_precision ? "mixed"
                                                     : "double";
}

nlohmann::ordered_json json(const Report& report) {
    return {
        {"kernel", report.kernel},
        {"method", name_of(report.method)},
        {"why_direct", report.why_direct},
        {"why_precision", report.why_precision},
        {"precision", name_of(report.precision)},
        {"n_sources", report.n_sources},
        {"n_targets", report.n_targets},
        {"tree", report.tree == TreeKind::pyramid ? "pyramid" : "orthtree"},
        {"order", report.order},
        {"theta", report.theta},
        {"levels", report.levels},
        {"leaves", report.leaves},
        {"leaf_size", report.leaf_size},
        {"roots", report.roots},
        {"groups", report.groups},
        {"chunks", report.chunks},
        {"predicted_fmm_s", report.predicted_fmm_s},
        {"predicted_direct_s", report.predicted_direct_s},
        {"tuning_s", report.tuning_s},
        {"notice", report.notice},
        {"plan_s", report.plan_s},
        {"evaluate_s", report.evaluate_s},
        {"tolerance", report.tolerance},
        {"reachable_tolerance", report.reachable_tolerance},
        {"cores", report.cores},
        {"gpus", report.gpus}};
}

} // namespace

Kernel kernel(const starfmm_kernel* given) {
    const starfmm_kernel kernel = taken(given, "kernel");
    if (kernel.name == nullptr) {
        throw InputError("kernel.name = NULL: must be the name of a kernel");
    }
    return kernel_named(kernel.name, parameters(kernel));
}

SumOptions options(const starfmm_options* given) {
    SumOptions options;
    if (given == nullptr) {
        return options;
    }
    const starfmm_options known = taken(given, "options");
    options.tolerance = tolerance(known);
    options.method = value_of<Method>(
        "options.method",
        known.method,
        {Method::automatic, Method::fmm, Method::direct, Method::near_field}
    );
    options.precision = value_of<Precision>(
        "options.precision",
        known.precision,
        {Precision::automatic,
         Precision::double_precision,
         Precision::mixed_precision,
         Precision::single_precision}
    );
    options.planning = value_of<Planning>(
        "options.planning", known.planning, {Planning::at_once, Planning::on_demand}
    );
    options.choices.order = chosen("options.order", known.order);
    options.choices.theta = chosen("options.theta", known.theta);
    options.choices.leaf_size = chosen("options.leaf_size", known.leaf_size);
    options.choices.levels = chosen("options.levels", known.levels);
    if (known.lengths != nullptr) {
        options.lengths = points(known.lengths, "options.lengths");
    }
    return options;
}

starfmm_errors errors(const Errors& found) {
    starfmm_errors errors{};
    errors.size = sizeof errors;
    errors.n_checked = found.checked;
    errors.are_allowed = found.are_allowed ? 1 : 0;
    errors.n_parts = static_cast<int>(std::min(found.parts.size(), std::size(errors.parts)));
    for (int i = 0; i < errors.n_parts; ++i) {
        const PartErrors& from = found.parts[i];
        starfmm_part_errors& part = errors.parts[i];
        from.name.copy(part.name, sizeof part.name - 1);
        part.l2 = from.l2;
        part.median = from.median;
        part.p99 = from.p99;
        part.max = from.max;
        part.rounding = from.rounding;
    }
    return errors;
}

std::string text(const Report& report, int format) {
    check_range("format", format, STARFMM_TEXT, STARFMM_JSON);
    if (format == STARFMM_JSON) { // a notice may hold a file name that is not UTF-8
        return json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    }
    std::ostringstream text;
    text << report;
    return text.str();
}

} // namespace starfmm::c
