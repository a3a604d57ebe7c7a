// SPDX-License-Identifier: BSD-3-Clause
// The macro that marks functions which CPU and CUDA bodies share.
#pragma once

#ifdef __CUDACC__
#define STARFMM_HOST_DEVICE __host__ __device__
#else
#define STARFMM_HOST_DEVICE
#endif
