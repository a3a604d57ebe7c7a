// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"

#include <sstream>
#include <system_error>

namespace starfmm {

void check_starpu(int code, const char* call) {
    if (code < 0) {
        throw StarpuError(std::string(call) + " failed: " + std::generic_category().message(-code));
    }
}

void check_range(const std::string& name, double value, double low, double high) {
    if (!(value >= low && value <= high)) {
        std::ostringstream message;
        message << name << " = " << value << ": must be in [" << low << ", " << high << "]";
        throw InputError(message.str());
    }
}

} // namespace starfmm
