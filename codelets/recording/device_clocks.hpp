// SPDX-License-Identifier: BSD-3-Clause
// Times of GPUs on the clock of StarPU's records.
#pragma once

#include "codelets/task/cuda_devices.hpp"

#include <starpu.h>

#include <map>

namespace starfmm {

/// Returns the seconds of the clock of StarPU's records.
[[nodiscard]] inline double starpu_clock() {
    return 1e-6 * starpu_timing_now();
}

/// A comparison of the clocks of GPUs with StarPU's, once for each, as late as possible: clocks
/// drift, and CUDA tells the time between two marks in single precision.
class DeviceClocks {
public:
    /// Returns the time at which a mark was reached, for which it waits.
    /// \throws CudaError
    double seconds_at(const DeviceMark& mark) {
        mark.wait();
        const int device = mark.device();
        const auto found = now_.find(device);
        const Now& now = found != now_.end() ? found->second : look_at(device);
        return now.host_s - now.mark.seconds_since(mark);
    }

private:
    struct Now {
        DeviceMark mark;
        double host_s;
    };

    const Now& look_at(int device) {
        DeviceMark mark = DeviceMark::reached(device);
        const double host_s = starpu_clock();
        return now_.emplace(device, Now{std::move(mark), host_s}).first->second;
    }

    std::map<int, Now> now_;
};

} // namespace starfmm
