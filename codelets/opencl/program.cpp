// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/opencl/program.hpp"

#include "codelets/opencl/devices.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>

namespace starfmm {

namespace {

struct ProgramRelease {
    void operator()(cl_program program) const { clReleaseProgram(program); }
};

struct KernelRelease {
    void operator()(cl_kernel kernel) const { clReleaseKernel(kernel); }
};

using Program = std::unique_ptr<std::remove_pointer_t<cl_program>, ProgramRelease>;
using Kernel = std::unique_ptr<std::remove_pointer_t<cl_kernel>, KernelRelease>;

/// The programs of one device. A device has one worker, so that kernels' arguments are nobody
/// else's.
struct Programs {
    std::mutex mutex;
    std::map<std::pair<int, const TracedFunction*>, Program> programs;
    std::map<std::tuple<int, const TracedFunction*, std::string>, Kernel> kernels;
};

Programs& all() {
    static Programs programs;
    return programs;
}

int current_device() {
    return starpu_worker_get_devid(starpu_worker_get_id());
}

std::string build_options(const TracedFunction& function) {
    const bool is_double = function.real_size == sizeof(double);
    return "-cl-std=CL1.2" + function.sizes +
           (is_double ? " -Dreal=double -DSMALLEST=DBL_MIN" : " -Dreal=float -DSMALLEST=FLT_MIN");
}

std::string device_text(cl_device_id device, cl_device_info what) {
    std::size_t size = 0;
    check_opencl(clGetDeviceInfo(device, what, 0, nullptr, &size), "clGetDeviceInfo");
    std::string text(size, '\0');
    check_opencl(clGetDeviceInfo(device, what, size, text.data(), nullptr), "clGetDeviceInfo");
    text.resize(std::min(size, text.find('\0'))); // without its terminating zero
    return text;
}

/// Returns what the compiler says.
std::string build_log(cl_program program, cl_device_id device) {
    std::size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    return log;
}

Program build(const char* kernels, const TracedFunction& function, int device) {
    cl_context context = nullptr;
    cl_device_id id = nullptr;
    starpu_opencl_get_context(device, &context);
    starpu_opencl_get_device(device, &id);
    std::array<const char*, 3> sources{opencl_arithmetic, kernels, function.text.c_str()};
    cl_int code = CL_SUCCESS;
    Program program(
        clCreateProgramWithSource(context, sources.size(), sources.data(), nullptr, &code)
    );
    check_opencl(code, "clCreateProgramWithSource");
    const std::string options = build_options(function);
    code = clBuildProgram(program.get(), 1, &id, options.c_str(), nullptr, nullptr);
    if (code == CL_BUILD_PROGRAM_FAILURE) {
        throw OpenClError("the OpenCL compiler refuses: " + build_log(program.get(), id));
    }
    check_opencl(code, "clBuildProgram");
    return program;
}

cl_kernel kernel_of(const char* kernels, const TracedFunction& function, const char* name) {
    const int device = current_device();
    const std::scoped_lock lock(all().mutex);
    Kernel& kernel = all().kernels[{device, &function, name}];
    if (!kernel) {
        Program& program = all().programs[{device, &function}];
        if (!program) {
            program = build(kernels, function, device);
        }
        cl_int code = CL_SUCCESS;
        kernel.reset(clCreateKernel(program.get(), name, &code));
        check_opencl(code, "clCreateKernel");
    }
    return kernel.get();
}

} // namespace

void check_opencl(cl_int code, const char* call) {
    if (code != CL_SUCCESS) {
        throw OpenClError(std::string(call) + ": OpenCL error " + std::to_string(code));
    }
}

OpenClLaunch::OpenClLaunch(const char* kernels, const TracedFunction& function, const char* name)
    : kernel_(kernel_of(kernels, function, name)), real_size_(function.real_size) {}

void OpenClLaunch::array(void* buffer) {
    auto* const memory =
        reinterpret_cast<cl_mem>(static_cast<starpu_vector_interface*>(buffer)->dev_handle);
    next(sizeof(cl_mem), &memory);
}

void OpenClLaunch::no_array() {
    next(sizeof(cl_mem), nullptr);
}

void OpenClLaunch::real(double number) {
    if (real_size_ == sizeof(double)) {
        value<cl_double>(number);
    } else {
        value<cl_float>(static_cast<cl_float>(number));
    }
}

void OpenClLaunch::run(std::size_t n, std::size_t group_size) {
    if (n == 0) {
        return;
    }
    cl_command_queue queue = nullptr;
    starpu_opencl_get_queue(current_device(), &queue);
    const std::size_t n_items = (n + group_size - 1) / group_size * group_size;
    const cl_int code = clEnqueueNDRangeKernel(
        queue, kernel_, 1, nullptr, &n_items, &group_size, 0, nullptr, nullptr
    );
    check_opencl(code, "clEnqueueNDRangeKernel");
}

void OpenClLaunch::next(std::size_t size, const void* argument) {
    check_opencl(clSetKernelArg(kernel_, n_arguments_++, size, argument), "clSetKernelArg");
}

void forget_opencl_programs() noexcept {
    const std::scoped_lock lock(all().mutex);
    all().kernels.clear();
    all().programs.clear();
}

void check_opencl_device(int device) {
    cl_device_id id = nullptr;
    starpu_opencl_get_device(device, &id);
    const std::string extensions = device_text(id, CL_DEVICE_EXTENSIONS);
    if (extensions.find("cl_khr_fp64") == std::string::npos) {
        throw InputError(
            "opencl: " + device_text(id, CL_DEVICE_NAME) +
            " computes nothing in double precision, in which positions are"
        );
    }
}

} // namespace starfmm
