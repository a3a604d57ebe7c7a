// SPDX-License-Identifier: BSD-3-Clause
// OpenCL workers are checked and released here, in builds with OpenCL and without.
#pragma once

namespace starfmm {

/// Checks that this build can run OpenCL workers.
/// \throws InputError if OpenCL workers are wanted of a build that has no OpenCL bodies
void check_opencl_is_built(int n_wanted);

/// Checks the OpenCL workers that StarPU drives.
/// \throws InputError unless StarPU drives as many OpenCL devices as wanted and all can run the
/// bodies
void check_opencl_workers(int n_wanted);

/// Releases the OpenCL programs. The function must be called before StarPU is shut down, as
/// programs live in its contexts.
void forget_opencl() noexcept;

} // namespace starfmm
