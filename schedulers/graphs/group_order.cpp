// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/group_order.hpp"

namespace starfmm {

GroupOrder::GroupOrder(
    const Runtime& runtime, const TreeData& data, const KernelTraits& kernel, std::size_t n_columns
)
    : by_(By::operators) {
    const WorkerCounts& workers = runtime.engaged();
    if (workers.n_cpu == 0 && workers.n_cuda == 1 &&
        data.n_bytes(kernel, n_columns) > runtime.gpu_memory()) {
        by_ = By::groups;
    }
}

} // namespace starfmm
