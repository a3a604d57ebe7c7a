// SPDX-License-Identifier: BSD-3-Clause
// The error of a result in terms of the exact one.
#pragma once

#include <cmath>
#include <limits>

namespace starfmm {

/// Returns error / exact, both of them magnitudes. 0 / 0 is an exact result; anything else over 0,
/// and what is not a number, is infinitely wrong.
inline double error_ratio(long double error, long double exact) {
    if (error == 0) {
        return 0;
    }
    const long double ratio = error / exact;
    return std::isfinite(ratio) ? static_cast<double>(ratio)
                                : std::numeric_limits<double>::infinity();
}

} // namespace starfmm
