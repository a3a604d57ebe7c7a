// SPDX-License-Identifier: BSD-3-Clause
// What OpenCL workers take of StarPU's start and stop, in builds with OpenCL and without.
#pragma once

namespace starfmm {

/// \throws InputError if some are wanted of a build that has no OpenCL bodies
void check_opencl_is_built(int n_wanted);

/// \throws InputError unless StarPU drives as many OpenCL devices as wanted, and they are of use
void check_opencl_workers(int n_wanted);

/// To be called before StarPU is shut down: programs live in its contexts.
void forget_opencl() noexcept;

} // namespace starfmm
