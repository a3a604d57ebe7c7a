// SPDX-License-Identifier: BSD-3-Clause
// The form of translations that a body runs on the current device.
#pragma once

#include "codelets/cuda/device_query.cuh"
#include "codelets/expansions/laurent2d/translation_form.hpp"

namespace starfmm {

/// A kernel that does nothing: compiled with a kernel's bodies, it tells what they were compiled
/// for.
template <class K>
__global__ void probe_kernel() {}

/// Returns the traits of the current device as it runs the bodies of `K`.
template <class K>
GpuTraits gpu_traits() {
    cudaFuncAttributes code{};
    check_cuda(cudaFuncGetAttributes(&code, probe_kernel<K>), "cudaFuncGetAttributes");
    return {device_attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio), code.ptxVersion};
}

/// Returns the faster form on the current device.
template <class K>
TranslationForm device_form() {
    // looked up once: a worker's thread keeps its device
    thread_local int known_device = -1;
    thread_local TranslationForm form = TranslationForm::lanes;
    if (const int device = current_device(); device != known_device) {
        form = translation_form(gpu_traits<K>());
        known_device = device;
    }
    return form;
}

/// Whether a task runs the matrix form: the faster one, unless it names a form.
/// \throws CudaError if it names the matrix form where the code has none
template <class K>
bool takes_matrix_form(const TaskArgs& args) {
    const auto wanted = static_cast<TranslationForm>(args.implementation);
    if (wanted == TranslationForm::by_device) {
        return device_form<K>() == TranslationForm::matrix;
    }
    if (wanted == TranslationForm::matrix && !has_matrix_code(gpu_traits<K>())) {
        throw CudaError("translations by matrix: need code compiled for compute capability 8.0");
    }
    return wanted == TranslationForm::matrix;
}

} // namespace starfmm
