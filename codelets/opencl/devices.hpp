// SPDX-License-Identifier: BSD-3-Clause
// OpenCL devices, for code that knows nothing of OpenCL. Defined in builds with OpenCL alone.
#pragma once

namespace starfmm {

/// Gives programs back: before StarPU, whose contexts they are in, is shut down.
void forget_opencl_programs() noexcept;

/// \throws InputError if StarPU's OpenCL device `device` cannot compute in double precision, in
/// which positions are
void check_opencl_device(int device);

} // namespace starfmm
