// SPDX-License-Identifier: BSD-3-Clause
// The numbers of every program, which begins with this file. The program defines `real`, and
// SMALLEST, the smallest number that is not taken for zero.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

real reciprocal_or_zero(real x) { return x < SMALLEST ? 0 : 1 / x; }

real reciprocal_sqrt(real x) { return 1 / sqrt(x); }

real reciprocal_sqrt_or_zero(real x) { return x < SMALLEST ? 0 : 1 / sqrt(x); }

real log_or_zero(real x) { return x < SMALLEST ? 0 : log(x); }

real zero_if_greater(real value, real a, real b) { return a > b ? 0 : value; }
