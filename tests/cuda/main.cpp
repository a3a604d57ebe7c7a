// SPDX-License-Identifier: BSD-3-Clause
// The program runs the tests of CUDA bodies; ctest runs one test file at a time, and shows it as
// skipped without a GPU.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdio>

int main(int argc, char** argv) {
    int devices = 0;
    const cudaError_t code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess || devices == 0) {
        std::printf("skipped: no GPU (%s)\n", cudaGetErrorString(code));
        return STARFMM_SKIPPED;
    }
    doctest::Context context(argc, argv);
    return context.run();
}
