// SPDX-License-Identifier: BSD-3-Clause
// The check of the indices that a reference is asked for.
#pragma once

#include "core/error.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// \param what  name of what is numbered, for messages
/// \throws InputError naming the first index that is not below `size`
inline void
check_indices(const std::vector<std::size_t>& which, std::size_t size, const char* what) {
    const auto bad = std::find_if(which.begin(), which.end(), [size](std::size_t index) {
        return index >= size;
    });
    if (bad != which.end()) {
        throw InputError(
            "index " + std::to_string(*bad) + ": must be below the number of " + what + ", " +
            std::to_string(size)
        );
    }
}

} // namespace starfmm
