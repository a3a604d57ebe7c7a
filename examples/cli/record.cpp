// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/record.hpp"

#include "core/io/atomic_file.hpp"

#include <sys/resource.h>

namespace starfmm {

namespace {

nlohmann::json time_of(double seconds) {
    return seconds > 0 ? nlohmann::json(seconds) : nlohmann::json();
}

} // namespace

const char* name_of(Method method) {
    constexpr const char* names[]{"fmm", "direct", "auto"};
    return names[static_cast<int>(method)];
}

const char* name_of(Team team) {
    constexpr const char* names[]{"all", "gpus", "cores", "all"};
    return names[static_cast<int>(team)];
}

const char* name_of(CostSource costs) {
    constexpr const char* names[]{"none", "builtin", "cached", "measured"};
    return names[static_cast<int>(costs)];
}

const char* name_of(PairTerms terms) {
    return terms == PairTerms::all ? "all" : "by_distance";
}

nlohmann::json file_of(const std::string& name) {
    return name.empty() ? nlohmann::json() : nlohmann::json(name);
}

nlohmann::json
distribution_of(Distribution distribution, double sigma, const std::string& input, Naming naming) {
    const bool is_made = input.empty();
    nlohmann::json record{{"input", file_of(input)}, {"distribution", nullptr}, {"sigma", nullptr}};
    if (is_made) {
        record["distribution"] = name_of(distribution, naming);
    }
    if (is_made && has_width(distribution)) {
        record["sigma"] = sigma;
    }
    return record;
}

nlohmann::json tuning_of(const PlanInfo& plan) {
    return {
        {"costs", name_of(plan.costs)},
        {"doubtful", plan.has_doubtful_costs},
        {"fmm_s", time_of(plan.predicted_fmm_s)},
        {"direct_s", time_of(plan.predicted_direct_s)}};
}

nlohmann::json workers_of(const RunWorkers& run) {
    return {
        {"workers", {{"cpu", run.n_cpu}, {"cuda", run.n_cuda}, {"opencl", run.n_opencl}}},
        {"scheduler", run.scheduler},
        {"tasks", run.tasks}};
}

nlohmann::json work_of(const WorkCounts& work) {
    return {
        {"p2p_pairs", work.p2p_pairs},
        {"m2l_shifts", work.m2l_shifts},
        {"p2l_pairs", work.p2l_pairs},
        {"m2p_pairs", work.m2p_pairs}};
}

nlohmann::json phase_times(const std::vector<Phase>& phases) {
    nlohmann::json times = nlohmann::json::object();
    for (const Phase& phase : phases) {
        times[phase.name] = phase.time_s;
    }
    return times;
}

nlohmann::json error_of(const std::optional<GravityErrors>& error) {
    if (!error) {
        return nullptr;
    }
    return {
        {"checked", error->checked},
        {"median_rel", error->median_rel},
        {"max_rel", error->max_rel},
        {"l2_rel", error->l2_rel}};
}

std::size_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::string json_text(const nlohmann::json& record, int indent) {
    return record.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_record(const std::string& path, const nlohmann::json& record) {
    AtomicFile file(path);
    file.write(json_text(record, 2) + "\n");
    file.commit();
}

} // namespace starfmm
