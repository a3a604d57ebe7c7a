// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/cut_run.hpp"

TEST_CASE("cut: CUDA gives groups what the CPU makes of their points, bit by bit") {
    check_cuts<DeviceBuffers, 2>(gpu_geometry<2>(), cpu_geometry<2>());
    check_cuts<DeviceBuffers, 3>(gpu_geometry<3>(), cpu_geometry<3>());
}
