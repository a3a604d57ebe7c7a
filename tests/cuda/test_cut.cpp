// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/cut_run.hpp"

TEST_CASE("cut: CUDA gives groups what the CPU makes of their points, bit by bit") {
    check_cuts<DeviceBuffers>(gpu_geometry(), cpu_geometry());
}
