// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/recording/part_times.hpp"

#include <utility>

namespace starfmm {

void PartTimes::begin(std::size_t part, Stream stream, std::optional<DeviceMark> mark) {
    parts_[part].time.stream = stream;
    parts_[part].begin = std::move(mark);
    parts_[part].time.start_s = starpu_clock();
}

void PartTimes::end(std::size_t part, std::optional<DeviceMark> mark) {
    parts_[part].time.end_s = starpu_clock();
    parts_[part].end = std::move(mark);
}

std::vector<PartTime> PartTimes::times(DeviceClocks& clocks) const {
    std::vector<PartTime> times;
    for (const Part& part : parts_) {
        times.push_back(part.time);
        if (part.begin && part.end) {
            times.back().start_s = clocks.seconds_at(*part.begin);
            times.back().end_s = clocks.seconds_at(*part.end);
        }
    }
    return times;
}

} // namespace starfmm
