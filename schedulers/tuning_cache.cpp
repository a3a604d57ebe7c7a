// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/tuning_cache.hpp"

#include "core/io/atomic_file.hpp"

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
constexpr int format = 1;

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
    if (const std::string own = variable("STARFMM_CACHE_DIR"); !own.empty()) {
        return own;
    }
    if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty()) {
        return caches + "/starfmm";
    }
    const std::string home = variable("HOME");
    return home.empty() ? "" : home + "/.cache/starfmm";
}

std::string cache_file(const std::string& folder, const std::string& key) {
    char name[40];
    const auto hash = static_cast<unsigned long long>(hash_of(key));
    static_cast<void>(std::snprintf(name, sizeof name, "/tuning-%016llx.json", hash));
    return folder + name;
}

std::optional<UnitCosts> read_costs(const std::string& file, const std::string& key) {
    std::ifstream stream(file);
    const Json record = Json::parse(stream, nullptr, false);
    try {
        if (record.at("format") != format || record.at("key") != key) {
            return std::nullopt;
        }
        UnitCosts costs;
        record.at("fmm_s").get_to(costs.fmm);
        record.at("direct_s").get_to(costs.direct);
        record.at("task_s").get_to(costs.task);
        const bool complete = record.at("fmm_s").size() == costs.fmm.size() &&
                              record.at("direct_s").size() == costs.direct.size();
        return complete && are_costs(costs) ? std::optional(costs) : std::nullopt;
    } catch (const Json::exception&) { // damaged: measured anew
        return std::nullopt;
    }
}

void write_costs(const std::string& file, const std::string& key, const UnitCosts& costs) {
    std::error_code ignored; // AtomicFile says what is wrong with the folder
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
    const Json record = {
        {"format", format},
        {"key", key},
        {"fmm_s", costs.fmm},
        {"direct_s", costs.direct},
        {"task_s", costs.task}};
    AtomicFile out(file);
    out.write(record.dump(2) + "\n");
    out.commit();
}

} // namespace starfmm
