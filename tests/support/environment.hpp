// SPDX-License-Identifier: BSD-3-Clause
// A variable of the environment is set or unset here for as long as a test needs it.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

class Environment {
public:
    /// Sets or unsets the variable.
    /// \param value value of the variable; the variable is unset without one
    Environment(std::string name, const std::optional<std::string>& value)
        : name_(std::move(name)) {
        if (const char* const old = std::getenv(name_.c_str())) {
            old_ = old;
        }
        set(value);
    }

    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    ~Environment() { set(old_); }

private:
    void set(const std::optional<std::string>& value) const {
        if (value) {
            setenv(name_.c_str(), value->c_str(), 1);
        } else {
            unsetenv(name_.c_str());
        }
    }

    std::string name_;
    std::optional<std::string> old_;
};
