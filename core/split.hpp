// SPDX-License-Identifier: BSD-3-Clause
// A double as the unevaluated sum of two singles, the same on every processor.
#pragma once

#include "core/host_device.hpp"

#include <bit>
#include <cstdint>

namespace starfmm {

/// The unevaluated sum high + low: 48 bits of a double.
struct SplitReal {
    float high;
    float low;
};

/// Splits a number within single precision's range; `high` is the nearest single, ties away from
/// zero.
///
/// The high part is rounded by whole numbers, on the bits of x, and never read back from a single:
/// GCC 12.2 at -O3 takes (double)(float)x for x wherever its vectorizer pairs two of them, and the
/// low part is lost.
STARFMM_HOST_DEVICE inline SplitReal split(double x) {
    constexpr int dropped = 53 - 24; // bits of a double's significand that a single has not
    constexpr std::uint64_t half = std::uint64_t(1) << (dropped - 1);
    constexpr std::uint64_t kept = ~((std::uint64_t(1) << dropped) - 1);
    const auto high = std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) + half) & kept);
    return {static_cast<float>(high), static_cast<float>(x - high)};
}

} // namespace starfmm
