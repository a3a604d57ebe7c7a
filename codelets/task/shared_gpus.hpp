// SPDX-License-Identifier: BSD-3-Clause
// The number of tasks that share a GPU.
#pragma once

namespace starfmm {

/// Has tasks from here on predicted for a GPU that `n` of them share at a time, each of which then
/// takes `n` times as long as alone. To StarPU, which lives once in a process, each stream of a GPU
/// is a worker of its own: beside cores it would leave these too little.
/// \param n >= 1
void predict_shared_gpus(int n);

} // namespace starfmm
