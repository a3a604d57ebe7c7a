// SPDX-License-Identifier: BSD-3-Clause
// Events of the Trace Event Format.
#pragma once

#include "schedulers/trace/model.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace starfmm {

/// Lanes of a process stand together in the viewer.
enum class Lanes { workers, waits, parts, links };

inline constexpr double us = 1e6; ///< in a second: microseconds are the format's unit

/// Takes one event.
using EventSink = std::function<void(const nlohmann::json&)>;

/// The format knows no free colours, only names from the viewer's palette: the one nearest to ours.
/// \param color 0xrrggbb
[[nodiscard]] const char* viewer_color(unsigned color);

/// Names lane `lane`.
[[nodiscard]] nlohmann::json lane_name(Lanes lanes, std::size_t lane, const std::string& name);

/// Names all lanes of a kind.
[[nodiscard]] nlohmann::json lanes_name(Lanes lanes, const std::string& name);

/// A bar in a lane.
struct Bar {
    std::string name;
    const char* category;
    Lanes lanes;
    std::size_t lane;
    double start_s;
    double end_s;
};

[[nodiscard]] nlohmann::json event_of(const Bar& bar);

/// A new value of a counter.
[[nodiscard]] nlohmann::json
counter_event(const std::string& name, const char* unit, double time_s, double value);

/// A lane a memory link with its transfers, a lane a stream with the parts of fused tasks, a
/// counter a device's memory.
void write_device_events(const Trace& trace, const EventSink& add);

} // namespace starfmm
