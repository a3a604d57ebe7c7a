// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/gravity/gravity_intrinsics.hpp"

#include "core/error.hpp"
#include "tests/perf/gravity/gravity_loop.hpp"

namespace starfmm {

#ifdef __x86_64__
namespace {

bool has_avx512() {
    return static_cast<bool>(__builtin_cpu_supports("avx512f"));
}

bool has_avx2() {
    return static_cast<bool>(__builtin_cpu_supports("avx2")) &&
           static_cast<bool>(__builtin_cpu_supports("fma"));
}

} // namespace

const char* gravity_loop_name() {
    return has_avx512() ? "AVX-512" : has_avx2() ? "AVX2" : "none";
}

void gravity_loop(const PlainBodies& bodies, float* acceleration) {
    if (!has_avx2()) {
        throw Error("the loop in intrinsics needs AVX2");
    }
    const auto loop = has_avx512() ? gravity_loop_avx512 : gravity_loop_avx2;
    loop(bodies, acceleration);
}
#else
const char* gravity_loop_name() {
    return "none";
}

void gravity_loop(const PlainBodies& /*bodies*/, float* /*acceleration*/) {
    throw Error("the loop in intrinsics is written for x86-64");
}
#endif

} // namespace starfmm
