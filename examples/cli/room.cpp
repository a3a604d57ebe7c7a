// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/room.hpp"

#include "core/error.hpp"
#include "examples/cli/report.hpp"

namespace starfmm {

void check_room(const std::string& what, double bytes, std::size_t available) {
    const auto bytes_available = static_cast<double>(available);
    if (bytes > bytes_available) {
        throw InputError(
            what + ": takes at least " + with_prefix(bytes) + "B of memory, " +
            with_prefix(bytes_available) + "B are available: fewer need less"
        );
    }
}

} // namespace starfmm
