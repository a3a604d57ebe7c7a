// SPDX-License-Identifier: BSD-3-Clause
// The FP64 matrix units' multiplication by the instructions of the device that is compiled for.
#pragma once

#include "core/complex.hpp"

namespace starfmm {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
/// Forms the sums of multiply_add_part() by exchanges between lanes. The function is not inlined:
/// bodies have hundreds of such parts, which the compiler took minutes and gigabytes for.
__device__ __noinline__ inline double2 add_part(double a, double b, double2 sums) {
    constexpr unsigned all = 0xffffffffU;
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = 0; k < 4; ++k) {
        const double row = __shfl_sync(all, a, static_cast<int>(lane / 4 * 4 + k));
        sums.x = fma(row, __shfl_sync(all, b, static_cast<int>(lane % 4 * 8 + k)), sums.x);
        sums.y = fma(row, __shfl_sync(all, b, static_cast<int>(lane % 4 * 8 + 4 + k)), sums.y);
    }
    return sums;
}

/// Adds what the matrix units' multiply_add_part() adds, on devices without such units.
__device__ inline void multiply_add_part(double a, double b, double& sum0, double& sum1) {
    const double2 sums = add_part(a, b, make_double2(sum0, sum1));
    sum0 = sums.x;
    sum1 = sums.y;
}
#else
/// Adds the product a b to (sum0, sum1). a is [8][4], row lane / 4 and column lane % 4 a lane; b is
/// [4][8], row lane % 4 and column lane / 4; the sums have rows lane / 4 and columns 2 (lane % 4)
/// and one more.
__device__ inline void multiply_add_part(double a, double b, double& sum0, double& sum1) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum0), "+d"(sum1)
        : "d"(a), "d"(b));
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
/// Is never run: bodies of code for devices without such units take another form.
__device__ inline void multiply_add(
    const Complex<double>& /*a*/, double /*b*/, Complex<double>& /*sum0*/, Complex<double>& /*sum1*/
) {
    __trap();
}
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
/// Adds the product of real and imaginary parts below, one part after the other.
__device__ inline void
multiply_add(const Complex<double>& a, double b, Complex<double>& sum0, Complex<double>& sum1) {
    multiply_add_part(a.re, b, sum0.re, sum1.re);
    multiply_add_part(a.im, b, sum0.im, sum1.im);
}
#else
/// Adds the product a b to (sum0, sum1). a is [16][4], with rows 0 to 7 the real and 8 to 15 the
/// imaginary parts of eight boxes, one element of each a lane; b is [4][8]; a lane has the sums'
/// columns 2 * column and 2 * column + 1.
__device__ inline void
multiply_add(const Complex<double>& a, double b, Complex<double>& sum0, Complex<double>& sum1) {
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(sum0.re), "+d"(sum1.re), "+d"(sum0.im), "+d"(sum1.im)
        : "d"(a.re), "d"(a.im), "d"(b));
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
/// Adds the product of two pieces below in two steps.
__device__ inline void multiply_add(
    const Complex<double>* a, double b0, double b1, Complex<double>& sum0, Complex<double>& sum1
) {
    multiply_add(a[0], b0, sum0, sum1);
    multiply_add(a[1], b1, sum0, sum1);
}
#else
/// Adds the product of two such pieces, a [16][8] and b [8][8], by half the instructions.
/// \param a  [2]
__device__ inline void multiply_add(
    const Complex<double>* a, double b0, double b1, Complex<double>& sum0, Complex<double>& sum1
) {
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(sum0.re), "+d"(sum1.re), "+d"(sum0.im), "+d"(sum1.im)
        : "d"(a[0].re), "d"(a[0].im), "d"(a[1].re), "d"(a[1].im), "d"(b0), "d"(b1));
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
/// Adds what multiply_add_rows() adds below, on devices without matrix units.
__device__ inline void multiply_add_rows(
    const Complex<double>* a, double b0, double b1, Complex<double>& sum0, Complex<double>& sum1
) {
    multiply_add_part(a[0].re, b0, sum0.re, sum1.re);
    multiply_add_part(a[0].im, b0, sum0.im, sum1.im);
    multiply_add_part(a[1].re, b1, sum0.re, sum1.re);
    multiply_add_part(a[1].im, b1, sum0.im, sum1.im);
}
#else
/// Adds what multiply_add() of two pieces adds, on any device: the real and imaginary parts are
/// rows lane / 4 and lane / 4 + 8 of a [16][8], columns lane % 4 and lane % 4 + 4.
__device__ inline void multiply_add_rows(
    const Complex<double>* a, double b0, double b1, Complex<double>& sum0, Complex<double>& sum1
) {
    multiply_add(a, b0, b1, sum0, sum1);
}
#endif

} // namespace starfmm
