// SPDX-License-Identifier: BSD-3-Clause
// OpenCL devices, for code that knows nothing of OpenCL; defined only in builds with OpenCL.
#pragma once

namespace starfmm {

/// Gives programs back, as must be done before StarPU is shut down, whose contexts they are in.
void forget_opencl_programs() noexcept;

/// Checks that a device serves.
/// \throws InputError if StarPU's OpenCL device `device` cannot compute in double precision, in
/// which positions are
void check_opencl_device(int device);

} // namespace starfmm
