// SPDX-License-Identifier: BSD-3-Clause
// Viewer events are those of the Trace Event Format.
#pragma once

#include "schedulers/trace/model.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace starfmm {

/// Kinds of lanes; the lanes of one kind stand together in the viewer.
enum class Lanes { workers, waits, parts, links };

inline constexpr double us = 1e6; ///< microseconds of a second: the format's unit

/// Function that takes one event.
using EventSink = std::function<void(const nlohmann::json&)>;

/// Returns the name in the viewer's palette of the colour nearest to ours; the format knows no free
/// colours.
/// \param color 0xrrggbb
[[nodiscard]] const char* viewer_color(unsigned color);

/// Makes the event that names lane `lane`.
[[nodiscard]] nlohmann::json lane_name(Lanes lanes, std::size_t lane, const std::string& name);

/// Makes the event that names all lanes of a kind.
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

/// Makes the event that gives a counter a new value.
[[nodiscard]] nlohmann::json
counter_event(const std::string& name, const char* unit, double time_s, double value);

/// Writes a lane for each memory link with its transfers, a lane for each stream with the parts of
/// fused tasks, and a counter for each device's memory.
void write_device_events(const Trace& trace, const EventSink& add);

} // namespace starfmm
