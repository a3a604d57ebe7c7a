// SPDX-License-Identifier: BSD-3-Clause
#include "core/host_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The first number of a file; nothing for "max", other text or no file.
std::optional<double> number_in(const fs::path& file) {
    std::ifstream stream(file);
    double value = 0;
    return stream >> value ? std::optional(value) : std::nullopt;
}

/// The number behind `name` in a file of names and numbers.
std::optional<double> number_of(const fs::path& file, const std::string& name) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string word;
        double value = 0;
        if (words >> word >> value && word == name) {
            return value;
        }
    }
    return std::nullopt;
}

bool has_word(const std::string& list, const std::string& word) {
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// The control group of this process under `controller` and those above it, in both versions'
/// hierarchies: a limit of any of them holds.
std::vector<fs::path> control_groups(const std::string& root, const std::string& controller) {
    std::vector<fs::path> folders;
    std::ifstream stream(root + "/proc/self/cgroup");
    for (std::string line; std::getline(stream, line);) { // id:controllers:/path
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && !has_word(controllers, controller)) {
            continue;
        }
        const fs::path top = root + "/sys/fs/cgroup/" + (controllers.empty() ? "" : controllers);
        fs::path path = fs::path(line.substr(second + 1)).relative_path();
        for (; !path.empty(); path = path.parent_path()) {
            folders.push_back(top / path);
        }
        folders.push_back(top);
    }
    return folders;
}

/// What the group may still take. Cached files, which the system drops for it, count as free.
double free_memory_of(const fs::path& group) {
    const bool is_new = fs::exists(group / "memory.max");
    const auto limit = number_in(group / (is_new ? "memory.max" : "memory.limit_in_bytes"));
    const auto used = number_in(group / (is_new ? "memory.current" : "memory.usage_in_bytes"));
    if (!limit || !used) {
        return unlimited;
    }
    const char* const name = is_new ? "inactive_file" : "total_inactive_file";
    return *limit - *used + number_of(group / "memory.stat", name).value_or(0);
}

/// Bytes of the process's address space that are left.
double free_addresses(const std::string& root) {
    rlimit limit{};
    const auto pages = number_in(root + "/proc/self/statm");
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !pages) {
        return unlimited;
    }
    return static_cast<double>(limit.rlim_cur) -
           *pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::size_t whole(double bytes) {
    return bytes < 0x1p63 ? static_cast<std::size_t>(std::max(0.0, bytes))
                          : std::numeric_limits<std::size_t>::max();
}

double quota_of(const fs::path& group) {
    std::ifstream both(group / "cpu.max"); // "quota period", or "max period"
    double quota = 0;
    double period = 0;
    if (!(both >> quota >> period)) {
        quota = number_in(group / "cpu.cfs_quota_us").value_or(-1);
        period = number_in(group / "cpu.cfs_period_us").value_or(0);
    }
    return quota > 0 && period > 0 ? quota / period : unlimited;
}

} // namespace

std::size_t available_memory(const std::string& root) {
    constexpr double kibibyte = 1024;
    const auto free = number_of(root + "/proc/meminfo", "MemAvailable:");
    double bytes = std::min(free_addresses(root), free ? kibibyte * *free : unlimited);
    for (const fs::path& group : control_groups(root, "memory")) {
        bytes = std::min(bytes, free_memory_of(group));
    }
    return whole(bytes);
}

std::size_t available_addresses(const std::string& root) {
    return whole(free_addresses(root));
}

double cpu_quota(const std::string& root) {
    double quota = unlimited;
    for (const fs::path& group : control_groups(root, "cpu")) {
        quota = std::min(quota, quota_of(group));
    }
    return quota;
}

} // namespace starfmm
