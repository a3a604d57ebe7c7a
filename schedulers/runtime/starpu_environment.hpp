// SPDX-License-Identifier: BSD-3-Clause
// The variables of the environment by which StarPU is told things, beside what options say.
#pragma once

#include "core/options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace starfmm {

/// A variable's value; empty where it is unset.
[[nodiscard]] std::string environment(const char* name);

/// A variable's value if it is a number >= 0, else -1.
[[nodiscard]] int number_in_environment(const char* name);

/// StarPU's variables on what the options say explicitly, hidden from StarPU, which would prefer
/// them, until the end of this object's life.
class HiddenVariables {
public:
    explicit HiddenVariables(const RuntimeOptions& options);
    HiddenVariables(const HiddenVariables&) = delete;
    HiddenVariables& operator=(const HiddenVariables&) = delete;
    ~HiddenVariables();

private:
    void hide(const char* name);

    std::vector<std::pair<const char*, std::string>> hidden_;
};

/// Gives StarPU a folder for its performance models: without one it aborts. Where the user's cache
/// or home cannot hold them, a private one among the temporary files.
/// \returns what the user should know; empty if all is as usual
/// \throws InputError if STARPU_HOME or STARPU_PERF_MODEL_DIR names a folder that cannot be used
[[nodiscard]] std::string provide_model_folder();

/// The folders in which StarPU looks for its performance models.
[[nodiscard]] std::vector<std::string> model_folders();

/// Sets what StarPU lets be set in no other way. The user's own choice stays.
void set_variable(const std::string& name, int value);

} // namespace starfmm
