// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/starpu_environment.hpp"

#include "core/error.hpp"
#include "core/io/private_folder.hpp"

#include <charconv>
#include <cstdlib>
#include <map>

namespace starfmm {

namespace {

/// Where StarPU would keep its models, and the variable that says so.
std::pair<const char*, std::string> default_model_folder() {
    for (const char* const name :
         {"XDG_CACHE_HOME", "STARPU_HOME", "HOME", "TMPDIR", "TEMP", "TMP"}) {
        if (std::getenv(name) != nullptr) { // StarPU takes empty ones, too
            return {name, environment(name) + "/.starpu/sampling"};
        }
    }
    return {"", "/tmp/.starpu/sampling"};
}

} // namespace

std::string environment(const char* name) {
    const char* const value =
        std::getenv(name); // NOLINT(concurrency-mt-unsafe): one thread submits
    return value == nullptr ? "" : value;
}

int number_in_environment(const char* name) {
    const std::string text = environment(name);
    int value = -1;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && rest == text.data() + text.size() && value >= 0 ? value : -1;
}

HiddenVariables::HiddenVariables(const RuntimeOptions& options) {
    if (options.cpus >= 0) {
        hide("STARPU_NCPU");
        hide("STARPU_NCPUS");
        hide("STARPU_RESERVE_NCPU");
    }
    if (options.gpus >= 0) {
        hide("STARPU_NCUDA");
    }
    hide("STARPU_NOPENCL");    // the option always says how many
    if (options.opencl == 0) { // else StarPU measures the links of devices that nobody asked for
        hide("STARPU_OPENCL_ON_CPUS");
        hide("STARPU_OPENCL_ONLY_ON_CPUS");
    }
    if (!options.scheduler.empty()) {
        hide("STARPU_SCHED");
    }
}

HiddenVariables::~HiddenVariables() {
    for (const auto& [name, value] : hidden_) {
        setenv(name, value.c_str(), 1);
    }
}

void HiddenVariables::hide(const char* name) {
    if (std::getenv(name) != nullptr) {
        hidden_.emplace_back(name, environment(name));
        unsetenv(name);
    }
}

std::string provide_model_folder() {
    if (const std::string given = environment("STARPU_PERF_MODEL_DIR"); !given.empty()) {
        if (!is_usable_folder(given)) {
            throw InputError("STARPU_PERF_MODEL_DIR = " + given + ": is no folder to write to");
        }
        return "";
    }
    const auto [name, folder] = default_model_folder();
    if (is_usable_folder(folder)) {
        return "";
    }
    if (name == std::string("STARPU_HOME")) {
        throw InputError("STARPU_HOME = " + environment(name) + ": is no folder to write to");
    }
    const std::string other = private_folder() + "/starpu";
    setenv("STARPU_PERF_MODEL_DIR", other.c_str(), 1);
    return folder + ": cannot be written; StarPU's performance models are kept in " + other;
}

std::vector<std::string> model_folders() {
    return {environment("STARPU_PERF_MODEL_DIR"), default_model_folder().second};
}

void set_variable(const std::string& name, int value) {
    static std::map<std::string, bool> is_users_choice;
    const bool is_set = std::getenv(name.c_str()) != nullptr;
    if (!is_users_choice.try_emplace(name, is_set).first->second &&
        setenv(name.c_str(), std::to_string(value).c_str(), 1) != 0) {
        throw Error("cannot set " + name);
    }
}

} // namespace starfmm
