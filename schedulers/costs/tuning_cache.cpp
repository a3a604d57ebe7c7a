// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/tuning_cache.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/input_file.hpp"
#include "core/io/private_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace starfmm {

namespace {

using Json = nlohmann::json;

/// Changes with the units, with what the samples measure, and how.
constexpr int format = 9;

std::string variable(const char* name) {
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets it
    return value == nullptr ? "" : value;
}

/// FNV-1a.
std::uint64_t hash_of(const std::string& text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return hash;
}

bool is_cost(double value) {
    return std::isfinite(value) && value >= 0;
}

Json json_of(const UnitCosts& costs) {
    return {{"fmm_s", costs.fmm}, {"direct_s", costs.direct}, {"task_s", costs.task}};
}

Json json_of(const TaskCost& cost) {
    return {cost.fixed, cost.unit, cost.by_grain, cost.by_square};
}

/// \throws Json::exception for another number of costs
template <std::size_t n>
std::array<double, n> values_of(const Json& record) {
    if (record.size() != n) {
        throw Json::other_error::create(501, "not as many costs as there are units", nullptr);
    }
    return record.get<std::array<double, n>>();
}

/// \throws Json::exception
UnitCosts unit_costs_of(const Json& record) {
    UnitCosts costs;
    costs.fmm = values_of<std::tuple_size_v<Units>>(record.at("fmm_s"));
    costs.direct = values_of<std::tuple_size_v<DirectUnits>>(record.at("direct_s"));
    record.at("task_s").get_to(costs.task);
    return costs;
}

/// \throws Json::exception
TaskCost task_cost_of(const Json& record) {
    const auto cost = values_of<4>(record);
    return {cost[0], cost[1], cost[2], cost[3]};
}

bool are_costs(const UnitCosts& costs) {
    return std::all_of(costs.fmm.begin(), costs.fmm.end(), is_cost) &&
           std::all_of(costs.direct.begin(), costs.direct.end(), is_cost) && is_cost(costs.task);
}

bool is_task_cost(const TaskCost& cost) {
    return is_cost(cost.fixed) && is_cost(cost.unit) && is_cost(cost.by_grain) &&
           is_cost(cost.by_square);
}

bool are_all_costs(const MeasuredCosts& costs) {
    const auto is_sound = [](const auto& entry) {
        const OperatorCosts& own = entry.second;
        return is_task_cost(own.cpu) && std::ranges::all_of(own.cuda, is_task_cost);
    };
    return are_costs(costs.costs) && are_costs(costs.cores) && is_cost(costs.busy) &&
           std::ranges::all_of(costs.tasks, is_sound);
}

/// Seconds since `file` was written; 0 where clocks do not agree.
double age_of(const std::string& file) {
    std::error_code unknown;
    const auto written = std::filesystem::last_write_time(file, unknown);
    const std::chrono::duration<double> age =
        std::filesystem::file_time_type::clock::now() - written;
    return unknown ? 0 : std::max(0.0, age.count());
}

/// \throws Json::exception unless it is a number of measurements
int attempts_of(const Json& record) {
    constexpr double most = 1e9;
    const double attempts = record.get<double>();
    if (!(attempts >= 1 && attempts <= most)) {
        throw Json::other_error::create(501, "no number of measurements", nullptr);
    }
    return static_cast<int>(attempts);
}

/// \throws Json::exception
MeasuredCosts measured_costs_of(const Json& record) {
    MeasuredCosts measured;
    record.at("busy").get_to(measured.busy);
    measured.attempts = attempts_of(record.at("attempts"));
    measured.costs = unit_costs_of(record);
    measured.cores = unit_costs_of(record.at("cores"));
    for (const auto& [name, costs] : record.at("tasks").items()) {
        measured.tasks[name].cpu = task_cost_of(costs.at("cpu"));
        measured.tasks[name].cuda.fill(task_cost_of(costs.at("cuda")));
    }
    return measured;
}

} // namespace

std::string cache_folder() {
    if (std::string own = variable("STARFMM_CACHE_DIR"); !own.empty()) {
        return own;
    }
    if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty()) {
        return caches + "/starfmm";
    }
    const std::string home = variable("HOME");
    return home.empty() ? "" : home + "/.cache/starfmm";
}

std::string usable_cache_folder() {
    std::string folder = cache_folder();
    if (!variable("STARFMM_CACHE_DIR").empty() || (!folder.empty() && is_usable_folder(folder))) {
        return folder;
    }
    try {
        return private_folder() + "/tuning";
    } catch (const WriteError&) { // who writes there will say so
        return folder.empty() ? "/tmp/starfmm" : folder;
    }
}

std::string cache_file(const std::string& folder, const std::string& key) {
    char name[40];
    const auto hash = static_cast<unsigned long long>(hash_of(key));
    static_cast<void>(std::snprintf(name, sizeof name, "/tuning-%016llx.json", hash));
    return folder + name;
}

std::optional<MeasuredCosts> read_costs(const std::string& file, const std::string& key) {
    if (!is_regular_file(file)) {
        return std::nullopt;
    }
    std::ifstream stream(file);
    const Json record = Json::parse(stream, nullptr, false);
    try {
        if (record.at("format") != format || record.at("key") != key) {
            return std::nullopt;
        }
        MeasuredCosts measured = measured_costs_of(record);
        measured.age_s = age_of(file);
        return are_all_costs(measured) ? std::optional(measured) : std::nullopt;
    } catch (const Json::exception&) { // damaged: measured anew
        return std::nullopt;
    }
}

void write_costs(const std::string& file, const std::string& key, const MeasuredCosts& measured) {
    std::error_code ignored; // AtomicFile says what is wrong with the folder
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
    if (std::filesystem::exists(file, ignored) && !is_regular_file(file)) {
        throw OutputError(file + ": cannot be written: a regular file is expected there");
    }
    Json record = json_of(measured.costs);
    record["format"] = format;
    record["key"] = key;
    record["busy"] = measured.busy;
    record["attempts"] = measured.attempts;
    record["cores"] = json_of(measured.cores);
    record["tasks"] = Json::object();
    for (const auto& [name, costs] : measured.tasks) {
        record["tasks"][name] = {
            {"cpu", json_of(costs.cpu)}, {"cuda", json_of(costs.cuda.front())}};
    }
    AtomicFile out(file);
    out.write(record.dump(2) + "\n");
    out.commit();
}

} // namespace starfmm
