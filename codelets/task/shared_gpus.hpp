// SPDX-License-Identifier: BSD-3-Clause
// How many tasks share a GPU.
#pragma once

namespace starfmm {

/// From here on a GPU is predicted to be shared by `n` tasks at a time, each of which then takes
/// `n` times as long as alone. To StarPU, which lives once in a process, each stream of a GPU is a
/// worker of its own: beside cores it would leave these too little. \param n >= 1
void predict_shared_gpus(int n);

} // namespace starfmm
