// SPDX-License-Identifier: BSD-3-Clause
// OpenCL programs of kernels, built once a device and start of StarPU, and their launches by
// bodies.
#pragma once

#include "codelets/opencl/traced.hpp"

#include <starpu.h>

#include <cstddef>

namespace starfmm {

/// The files of codelets/opencl: the one that begins every program, and the kernels of operators.
extern const char* const opencl_arithmetic;
extern const char* const opencl_pairs_kernels;
extern const char* const opencl_m2l_kernels;

/// Checks the result of an OpenCL call.
/// \throws OpenClError if `code` is not CL_SUCCESS; `call` says what was attempted
void check_opencl(cl_int code, const char* call);

/// The arguments that a kernel is called with, one by one, on the calling worker's device.
class OpenClLaunch {
public:
    /// Begins a call of a kernel.
    /// \param kernels  a file of kernels; its program, with what they call, is built at the first
    /// use
    /// \param function  the function that they call: it names the program, and stays where it is
    /// \param name  name of the kernel
    /// \throws OpenClError, with the compiler's words if it refuses the source
    OpenClLaunch(const char* kernels, const TracedFunction& function, const char* name);

    /// Adds the array of a task's buffer.
    void array(void* buffer);

    /// Adds the array of a task's buffer, and how far apart its components begin.
    void array(void* buffer, std::size_t stride) {
        array(buffer);
        value<cl_ulong>(stride);
    }

    /// Adds no array.
    void no_array();

    template <class T>
    void value(T number) {
        next(sizeof(T), &number);
    }

    /// Adds a number of the function's precision.
    void real(double number);

    /// Queues the kernel: work items for `n`, in groups of `group_size`; the last ones may have
    /// nothing to do.
    void run(std::size_t n, std::size_t group_size);

private:
    void next(std::size_t size, const void* argument);

    cl_kernel kernel_;
    std::size_t real_size_;
    cl_uint n_arguments_ = 0;
};

} // namespace starfmm
