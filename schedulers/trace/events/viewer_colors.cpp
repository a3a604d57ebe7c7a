// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/events/viewer_events.hpp"

#include <algorithm>
#include <array>

namespace starfmm {

namespace {

/// Squared distance of two colours.
int distance(unsigned a, unsigned b) {
    int sum = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const int difference =
            static_cast<int>(a >> shift & 255U) - static_cast<int>(b >> shift & 255U);
        sum += difference * difference;
    }
    return sum;
}

struct NamedColor {
    unsigned rgb;
    const char* name;
};

/// Named colours of the viewer.
constexpr std::array<NamedColor, 9> palette{
    {{0x9e9e9e, "grey"},
     {0x8d6e63, "olive"},
     {0x1e88e5, "rail_load"},
     {0x64b5f6, "thread_state_runnable"},
     {0x43a047, "thread_state_running"},
     {0x9ccc65, "good"},
     {0xfb8c00, "thread_state_iowait"},
     {0xe53935, "terrible"},
     {0x8e24aa, "rail_response"}}};

} // namespace

const char* viewer_color(unsigned color) {
    const auto to_color = [color](const NamedColor& named) { return distance(color, named.rgb); };
    return std::ranges::min_element(palette, {}, to_color)->name;
}

} // namespace starfmm
