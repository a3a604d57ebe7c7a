// SPDX-License-Identifier: BSD-3-Clause
#include "examples/policies/policies_options.hpp"

#include "core/error.hpp"
#include "examples/cli/cli_common.hpp"
#include "examples/cli/cli_parse.hpp"
#include "schedulers/runtime/policy.hpp"

#include <algorithm>
#include <span>
#include <sstream>

namespace starfmm {

namespace {

using PoliciesOption = OptionOf<PoliciesOptions>;

/// Names with commas between them, each of a policy that there is.
std::vector<std::string> parse_policies(const Argument& argument) {
    const std::vector<std::string> known = policy_names();
    std::vector<std::string> names;
    std::istringstream text(argument.text + ",");
    for (std::string name; std::getline(text, name, ',');) {
        if (std::ranges::find(known, name) == known.end()) {
            std::string expected = "'" + name + "': must be some of";
            for (const std::string& one : known) {
                expected += " " + one;
            }
            argument.fail(expected + ", with commas between them");
        }
        names.push_back(name);
    }
    return names;
}

constexpr PoliciesOption policies_options[]{
    {"workload",
     "NAME",
     "what is summed: pyramid2d, laplace3d or gravity, of uniform points, or Plummer's bodies "
     "(default: pyramid2d)",
     [](auto& o, const auto& a) {
         o.workload = static_cast<Workload>(a.choice({"pyramid2d", "laplace3d", "gravity"}));
     }},
    {"n",
     "N",
     "number of points or bodies, also as 1e6 (default: 1e6)",
     [](auto& o, const auto& a) { o.n = a.integer(1, max_points); }},
    {"tol",
     "T",
     "relative error, in (0, 1); not of gravity, which is direct (default: 1e-6)",
     [](auto& o, const auto& a) { o.tolerance = a.number(); }},
    {"groups",
     "K",
     "groups of boxes, a task each: auto, or as the workload's driver takes them (default: auto)",
     [](auto& o, const auto& a) { o.groups = a.integer_or_auto(1, 64, 0); }},
    {"policies",
     "A,B,...",
     "scheduling policies to compare (default: starfmm,dmda,dmdas,heteroprio,lws,eager)",
     [](auto& o, const auto& a) { o.policies = parse_policies(a); }},
    cpus_option<PoliciesOptions>,
    gpus_option<PoliciesOptions>,
    {"team", "WHO", team_text, [](auto& o, const auto& a) { o.team = parse_team(a); }},
    {"tune",
     "HOW",
     "what automatic choices and predictions rest on: auto: times measured here once; off: built "
     "in (default: auto)",
     [](auto& o, const auto& a) {
         o.tuning = static_cast<Tuning>(a.choice({"auto", "off"}));
     }},
    seed_option<PoliciesOptions>("seed of points and strengths (default: 1)"),
    {"repeat",
     "R",
     "timed evaluations of each policy, the median of which counts (default: 5)",
     [](auto& o, const auto& a) { o.repeat = static_cast<int>(a.integer(1, max_repeats)); }},
    {"warmup",
     "W",
     "evaluations before them, not timed (default: 1)",
     [](auto& o, const auto& a) { o.warmup = static_cast<int>(a.integer(0, max_repeats)); }},
    {"rounds",
     "R",
     "times that each policy gets its turn, one after the other (default: 1)",
     [](auto& o, const auto& a) { o.rounds = static_cast<int>(a.integer(1, max_repeats)); }},
    {"time-limit",
     "S",
     "seconds after which a policy's turn is ended, and it is said to have no result (default: "
     "60)",
     [](auto& o, const auto& a) { o.time_limit_s = a.positive(); }},
    json_option<PoliciesOptions>,
    quiet_option<PoliciesOptions>,
    heartbeat_option<PoliciesOptions>,
};

constexpr SectionOf<PoliciesOptions> policies_sections[]{{"Options", policies_options}};

const DriverText& policies_text() {
    static const DriverText text{
        "starfmm-policies",
        "Runs a sum under several scheduling policies, each in a process of its own, and compares "
        "them with what the predicted times allow.",
        {"--n 1e6",
         "--workload laplace3d --n 1e5 --rounds 5 --json policies.json",
         "--workload gravity --n 2e4 --cpus 2 --policies starfmm,lws --repeat 20"},
        "",
        "0 done, 2 bad input or options, 3 failure at run time, also of one of the policies"};
    return text;
}

/// As the workload's plan will check it, but before any process is started.
void check(const PoliciesOptions& options) {
    const bool is_fmm = options.workload != Workload::gravity;
    if (is_fmm) {
        PlanOptions plan;
        plan.tolerance = options.tolerance;
        plan.groups = options.groups;
        plan.validate(options.workload == Workload::pyramid2d ? 2 : 3);
    } else if (options.groups > 0) {
        throw InputError("--groups: direct gravity has none");
    }
    options.runtime.validate();
}

} // namespace

const char* name_of(Workload workload) {
    constexpr const char* names[]{"pyramid2d", "laplace3d", "gravity"};
    return names[static_cast<int>(workload)];
}

std::optional<PoliciesOptions> parse_policies_options(int argc, char** argv) {
    const std::span<const SectionOf<PoliciesOptions>> sections = policies_sections;
    const auto given = read_command_line(argc, argv, policies_text(), texts_of(sections));
    if (!given) {
        return std::nullopt;
    }
    PoliciesOptions options;
    set_options(sections, *given, options);
    check(options);
    constexpr const char* outputs[]{"json"};
    check_files(*given, {}, outputs);
    return options;
}

} // namespace starfmm
