// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/placement.hpp"

#include "core/error.hpp"

#include <starpu.h>

#include <functional>
#include <numeric>
#include <span>
#include <string>

namespace starfmm {

namespace {

/// Data of a task.
std::size_t n_bytes(const starpu_task& task) {
    const std::span handles(task.dyn_handles, static_cast<std::size_t>(task.nbuffers));
    return std::transform_reduce(
        handles.begin(), handles.end(), std::size_t(0), std::plus<>(), starpu_data_get_size
    );
}

} // namespace

bool Placement::is_of_cores(const TaskArgs& args) const {
    return args.takers == Takers::cores && session_.n_cpu > 0;
}

void Placement::choose_gpu(starpu_task& task, const TaskArgs& args) {
    const bool has_several = !session_.gpu_workers.empty();
    const bool beside_cores =
        (session_.engaged.n_cpu > 0 && args.takers == Takers::all) || is_of_cores(args);
    if (args.part.n > 0 && has_several && session_.engaged.n_cuda > 0 && !beside_cores) {
        WorkerSet& workers = session_.gpu_workers[gpu_of(args.part)];
        task.workerids = workers.data();
        task.workerids_len = static_cast<unsigned>(workers.size());
    }
}

void Placement::choose_kind(starpu_task& task, const Codelet& codelet, const TaskArgs& args) const {
    if (session_.n_cuda == 0 || codelet.cuda() == nullptr) {
        return;
    }
    const bool fits = n_bytes(task) <= session_.gpu_memory;
    if (session_.engaged.n_cuda == 0 || !fits || is_of_cores(args)) {
        task.where = STARPU_CPU;
    } else if (session_.engaged.n_cpu == 0 || args.takers != Takers::all) {
        task.where = STARPU_CUDA;
    }
}

std::string Placement::refusal(const starpu_task& task, const Codelet& codelet) const {
    std::string what = "no worker can run a task of " + codelet.name();
    if (task.where != STARPU_CPU) {
        return what;
    }
    return what + ": its " + std::to_string(n_bytes(task) >> 20U) + " MiB exceed the " +
           std::to_string(session_.gpu_memory >> 20U) + " MiB of GPU memory; CPU workers can";
}

void Placement::prefetch(const Handle& handle, const ProblemPart& part) const {
    const bool is_known =
        session_.gpu_nodes.size() == 1 || (part.n > 0 && session_.engaged.n_cpu == 0);
    if (session_.engaged.n_cuda > 0 && is_known) {
        const unsigned node = session_.gpu_nodes[part.n > 0 ? gpu_of(part) : 0];
        check_starpu(
            starpu_data_prefetch_on_node(handle.starpu(), node, 1), "starpu_data_prefetch_on_node"
        );
    }
}

} // namespace starfmm
