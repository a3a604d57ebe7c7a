// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/tuning_cache.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/private_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace starfmm {

namespace {

using Json = nlohmann::json;

/// Changes with the units and with what the samples measure.
constexpr int format = 4;

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

bool are_costs(const UnitCosts& costs) {
    return std::all_of(costs.fmm.begin(), costs.fmm.end(), is_cost) &&
           std::all_of(costs.direct.begin(), costs.direct.end(), is_cost) && is_cost(costs.task);
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
    std::ifstream stream(file);
    const Json record = Json::parse(stream, nullptr, false);
    try {
        if (record.at("format") != format || record.at("key") != key) {
            return std::nullopt;
        }
        MeasuredCosts measured;
        UnitCosts& costs = measured.costs;
        record.at("busy").get_to(measured.busy);
        record.at("attempts").get_to(measured.attempts);
        record.at("fmm_s").get_to(costs.fmm);
        record.at("direct_s").get_to(costs.direct);
        record.at("task_s").get_to(costs.task);
        const bool complete = record.at("fmm_s").size() == costs.fmm.size() &&
                              record.at("direct_s").size() == costs.direct.size();
        return complete && are_costs(costs) ? std::optional(measured) : std::nullopt;
    } catch (const Json::exception&) { // damaged: measured anew
        return std::nullopt;
    }
}

void write_costs(const std::string& file, const std::string& key, const MeasuredCosts& measured) {
    const UnitCosts& costs = measured.costs;
    std::error_code ignored; // AtomicFile says what is wrong with the folder
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
    const Json record = {
        {"format", format},
        {"key", key},
        {"busy", measured.busy},
        {"attempts", measured.attempts},
        {"fmm_s", costs.fmm},
        {"direct_s", costs.direct},
        {"task_s", costs.task}};
    AtomicFile out(file);
    out.write(record.dump(2) + "\n");
    out.commit();
}

} // namespace starfmm
