// SPDX-License-Identifier: BSD-3-Clause
#include "examples/policies/policies_table.hpp"

#include "core/config.hpp"
#include "core/error.hpp"
#include "examples/cli/record.hpp"
#include "examples/cli/report.hpp"
#include "examples/policies/limited_child.hpp"
#include "schedulers/trace/text_table.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace starfmm {

namespace {

std::string text_of(const char* format, double value) {
    char text[32];
    static_cast<void>(std::snprintf(text, sizeof(text), format, value));
    return text;
}

/// With a word before it, by which the parent tells wrong input from other failures.
std::string outcome_of(const PoliciesOptions& options, const std::string& policy) {
    try {
        return nlohmann::json{{"runs", measure_policy(options, policy)}}.dump();
    } catch (const InputError& error) {
        return json_text(nlohmann::json{{"input_error", error.what()}});
    }
}

void take_turn(const PoliciesOptions& options, PolicyResult& result) {
    const ChildResult child =
        run_in_child([&] { return outcome_of(options, result.policy); }, options.time_limit_s);
    if (child.end != ChildResult::End::returned) {
        result.failure = child.text;
        return;
    }
    const nlohmann::json outcome = nlohmann::json::parse(child.text);
    if (outcome.contains("input_error")) {
        throw InputError(outcome.at("input_error").get<std::string>());
    }
    for (const nlohmann::json& run : outcome.at("runs")) {
        result.runs.push_back(run.get<PolicyRun>());
    }
}

std::vector<std::string> row_of(const PolicyResult& result, double bound_s, double best_s) {
    if (!result.failure.empty()) {
        return {result.policy, "-"};
    }
    constexpr double milliseconds = 1e3;
    constexpr double percent = 100;
    const PolicyRun median = result.median();
    return {
        result.policy,
        text_of("%.3f", milliseconds * median.makespan_s),
        text_of("%.3f", median.makespan_s / best_s),
        text_of("%.2f", median.makespan_s / bound_s),
        text_of("%.2f", median.makespan_s / median.own_bound_s),
        text_of("%.1f", percent * median.idle),
        with_prefix(median.moved_bytes) + "B",
        text_of("%.0f", median.tasks)};
}

/// A line each.
std::string failures_of(const std::vector<PolicyResult>& results) {
    std::string lines;
    for (const PolicyResult& result : results) {
        lines += result.failure.empty() ? "" : result.policy + ": " + result.failure + '\n';
    }
    return lines;
}

} // namespace

PolicyRun PolicyResult::median() const {
    const auto of = [this](double PolicyRun::*value) {
        std::vector<double> values;
        for (const PolicyRun& run : runs) {
            values.push_back(run.*value);
        }
        return values.empty() ? 0 : starfmm::median(values);
    };
    return {
        of(&PolicyRun::makespan_s),
        of(&PolicyRun::path_s),
        of(&PolicyRun::area_s),
        of(&PolicyRun::own_bound_s),
        of(&PolicyRun::idle),
        of(&PolicyRun::moved_bytes),
        of(&PolicyRun::tasks)};
}

std::vector<PolicyResult> compare_policies(const PoliciesOptions& options) {
    std::vector<PolicyResult> results;
    for (const std::string& policy : options.policies) {
        results.push_back({policy, {}, {}});
    }
    for (int round = 0; round < options.rounds; ++round) {
        for (PolicyResult& result : results) {
            if (result.failure.empty()) {
                take_turn(options, result);
            }
        }
    }
    return results;
}

PolicyRun least_bound(const std::vector<PolicyResult>& results) {
    PolicyRun least;
    for (const PolicyResult& result : results) {
        const PolicyRun median = result.median();
        if (!result.runs.empty() && (least.tasks == 0 || median.bound_s() < least.bound_s())) {
            least = median;
        }
    }
    return least;
}

std::string
policies_table(const PoliciesOptions& options, const std::vector<PolicyResult>& results) {
    const PolicyRun bound = least_bound(results);
    double best = std::numeric_limits<double>::infinity();
    TextTable table;
    table.add(
        {"policy", "makespan ms", "/ best", "/ bound", "/ own bound", "idle %", "moved", "tasks"}
    );
    for (const PolicyResult& result : results) {
        best = result.failure.empty() ? std::min(best, result.median().makespan_s) : best;
    }
    for (const PolicyResult& result : results) {
        table.add(row_of(result, bound.bound_s(), best));
    }
    constexpr double milliseconds = 1e3;
    return std::string(name_of(options.workload)) + ", n = " + std::to_string(options.n) +
           "; bound " + text_of("%.3f ms", milliseconds * bound.bound_s()) +
           " by predicted times: critical path " + text_of("%.3f ms", milliseconds * bound.path_s) +
           ", all workers always busy " + text_of("%.3f ms", milliseconds * bound.area_s) + "\n\n" +
           table.text() + "\nmedians of " + std::to_string(options.repeat * options.rounds) +
           "; own bound: by the times that its tasks took; idle: of workers of the kinds that ran "
           "tasks\n" +
           failures_of(results);
}

nlohmann::json
policies_record(const PoliciesOptions& options, const std::vector<PolicyResult>& results) {
    nlohmann::json policies = nlohmann::json::object();
    for (const PolicyResult& result : results) {
        policies[result.policy] = {
            {"median", result.median()},
            {"runs", result.runs},
            {"failure",
             result.failure.empty() ? nlohmann::json() : nlohmann::json(result.failure)}};
    }
    const PolicyRun bound = least_bound(results);
    return {
        {"driver", "starfmm-policies"},
        {"version", version},
        {"workload", name_of(options.workload)},
        {"n", options.n},
        {"tolerance", options.tolerance},
        {"seed", options.seed},
        {"cpus", options.runtime.cpus},
        {"gpus", options.runtime.gpus},
        {"bound_s", bound.bound_s()},
        {"critical_path_s", bound.path_s},
        {"area_s", bound.area_s},
        {"policies", policies}};
}

} // namespace starfmm
