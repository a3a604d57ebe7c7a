// SPDX-License-Identifier: BSD-3-Clause
// Copies from and to OpenCL devices, whose events tell when they are done; only in builds with
// OpenCL.
#include "codelets/recording/copies.hpp"
#include "codelets/recording/device_clocks.hpp"
#include "core/error.hpp"

#include <cerrno>
#include <string>

namespace starfmm {

namespace {

void CL_CALLBACK note_end(cl_event /*event*/, cl_int /*status*/, void* number) {
    copy_records().ended(reinterpret_cast<std::uintptr_t>(number), starpu_clock());
}

/// Copies with an event. \returns what starpu_opencl_copy_async_sync returns
int copy_with_event(
    void* from, unsigned from_memory, void* to, unsigned to_memory, cl_event* event
) {
    const auto& source = *static_cast<const starpu_vector_interface*>(from);
    const auto& target = *static_cast<const starpu_vector_interface*>(to);
    const std::size_t n_bytes = size_of(source);
    const double start = starpu_clock();
    const int code = starpu_opencl_copy_async_sync(
        source.dev_handle,
        source.offset,
        from_memory,
        target.dev_handle,
        target.offset,
        to_memory,
        n_bytes,
        event
    );
    if (!copy_records().is_on()) {
        return code;
    }
    const std::uint64_t number =
        copy_records().add({{from_memory, to_memory, n_bytes, start, starpu_clock()}});
    if (code == -EAGAIN) { // else it has ended
        const cl_int refusal =
            clSetEventCallback(*event, CL_COMPLETE, note_end, reinterpret_cast<void*>(number));
        if (refusal != CL_SUCCESS) {
            copy_records().fail(std::make_exception_ptr(
                Error("clSetEventCallback: code " + std::to_string(refusal))
            ));
        }
    }
    return code;
}

} // namespace

void add_opencl_copies(starpu_data_copy_methods& methods) {
    methods.ram_to_opencl_async = copy_with_event;
    methods.opencl_to_ram_async = copy_with_event;
    methods.opencl_to_opencl_async = copy_with_event;
}

} // namespace starfmm
