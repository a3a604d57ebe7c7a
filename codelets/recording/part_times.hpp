// SPDX-License-Identifier: BSD-3-Clause
// The times at which the parts of a fused task ran.
#pragma once

#include "codelets/recording/device_clocks.hpp"
#include "codelets/task/side_stream.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace starfmm {

/// The time of one part, in seconds on StarPU's clock.
struct PartTime {
    double start_s = 0;
    double end_s = 0;
    Stream stream = Stream::own;
};

/// The times of one task's parts: its body writes them, and they are read when it has ended.
class PartTimes {
public:
    explicit PartTimes(std::size_t n_parts) : parts_(n_parts) {}

    /// Is to be called on the worker before a part, as end() after it.
    /// \param mark  in the part's stream, on GPUs; else the time is that of the call
    void begin(std::size_t part, Stream stream, std::optional<DeviceMark> mark);
    void end(std::size_t part, std::optional<DeviceMark> mark);

    /// Returns the times of each part, whose start and end are 0 where it did not run.
    /// \throws CudaError
    [[nodiscard]] std::vector<PartTime> times(DeviceClocks& clocks) const;

private:
    struct Part {
        PartTime time;
        std::optional<DeviceMark> begin = {};
        std::optional<DeviceMark> end = {};
    };

    std::vector<Part> parts_;
};

} // namespace starfmm
