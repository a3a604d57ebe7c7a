// SPDX-License-Identifier: BSD-3-Clause
// OpenCL programs of kernels, built once a device and start of StarPU, and how bodies launch
// theirs.
#pragma once

#include "codelets/opencl/pairs.hpp"

#include <starpu.h>

#include <cstddef>

namespace starfmm {

/// codelets/opencl/pairs.cl
extern const char* const opencl_pairs_source;

/// \throws OpenClError if `code` is not CL_SUCCESS; `call` says what was attempted
void check_opencl(cl_int code, const char* call);

/// What a kernel is called with, argument by argument, on the calling worker's device.
class OpenClLaunch {
public:
    /// \param name of a kernel in codelets/opencl/pairs.cl, whose program is built at the first use
    /// \throws OpenClError, with the compiler's words if the source is not to its liking
    OpenClLaunch(const OpenClPairs& pairs, const char* name);

    /// The array of a task's buffer.
    void array(void* buffer);

    /// None.
    void no_array();

    template <class T>
    void value(T number) {
        next(sizeof(T), &number);
    }

    /// Queues it: `n_groups` groups of `group_size` work items.
    void run(std::size_t n_groups, std::size_t group_size);

private:
    void next(std::size_t size, const void* argument);

    cl_kernel kernel_;
    cl_uint n_arguments_ = 0;
};

} // namespace starfmm
