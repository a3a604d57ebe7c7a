// SPDX-License-Identifier: BSD-3-Clause
// The kind of worker that a source is being compiled for: CMake's starfmm_add_kernel compiles it
// once for each.
#pragma once

#ifdef __CUDACC__
#include "codelets/task/operator.hpp"

namespace starfmm {

using CurrentBackend = Cuda;

} // namespace starfmm
#else
#include "codelets/simd/simd.hpp"

namespace starfmm {

using CurrentBackend = CurrentIsa;

} // namespace starfmm
#endif
