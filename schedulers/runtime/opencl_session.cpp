// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/opencl_session.hpp"

#include "codelets/opencl/devices.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "schedulers/runtime/session.hpp"

#include <starpu.h>

#include <string>

namespace starfmm {

void check_opencl_is_built(int n_wanted) {
    if (n_wanted > 0 && !with_opencl) {
        throw InputError(
            "opencl = " + std::to_string(n_wanted) +
            ": this build has no OpenCL bodies, which need a StarPU that was built with OpenCL"
        );
    }
}

void check_opencl_workers(int n_wanted) {
    check_workers(
        "opencl",
        n_wanted,
        starpu_worker_get_count_by_type(STARPU_OPENCL_WORKER),
        "usable OpenCL devices; CPUs count as such if STARPU_OPENCL_ON_CPUS is 1"
    );
    if constexpr (with_opencl) {
        for (int id = 0; id < static_cast<int>(starpu_worker_get_count()); ++id) {
            if (starpu_worker_get_type(id) == STARPU_OPENCL_WORKER) {
                check_opencl_device(starpu_worker_get_devid(id));
            }
        }
    }
}

void forget_opencl() noexcept {
    if constexpr (with_opencl) {
        forget_opencl_programs();
    }
}

} // namespace starfmm
