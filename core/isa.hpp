// SPDX-License-Identifier: BSD-3-Clause
// Instruction sets that CPU bodies are compiled for, and which of them a processor runs. CMake asks
// this header, too, where a build is for its own machine alone (cmake/isa.cpp).
#pragma once

namespace starfmm {

/// The instruction sets, from narrow to wide. The flags of each are in cmake/StarfmmKernel.cmake.
enum class Isa { baseline, avx2, avx512 };

/// The widest that this processor runs: it has every extension that the flags allow.
inline Isa isa_of_processor() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw")) {
        return Isa::avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return Isa::avx2;
    }
#endif
    return Isa::baseline;
}

} // namespace starfmm
