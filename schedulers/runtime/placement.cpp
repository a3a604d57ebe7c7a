// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/placement.hpp"

#include "core/error.hpp"

#include <starpu.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

namespace {

/// Bytes of a task's data.
std::size_t n_bytes(const starpu_task& task) {
    const std::span handles(task.dyn_handles, static_cast<std::size_t>(task.nbuffers));
    return std::transform_reduce(
        handles.begin(), handles.end(), std::size_t(0), std::plus<>(), starpu_data_get_size
    );
}

void offer(starpu_task& task, WorkerSet& workers) {
    task.workerids = workers.data();
    task.workerids_len = static_cast<unsigned>(workers.size());
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
        offer(task, session_.gpu_workers[gpu_of(args.part)]);
    }
}

void Placement::choose_kind(starpu_task& task, const Codelet& codelet, const TaskArgs& args) {
    if (session_.n_cuda == 0 || codelet.cuda() == nullptr) {
        return;
    }
    const std::size_t bytes = n_bytes(task);
    const bool fits = bytes <= session_.gpu_memory;
    if (session_.engaged.n_cuda == 0 || !fits || is_of_cores(args)) {
        task.where = STARPU_CPU;
    } else if (session_.engaged.n_cpu == 0 || args.takers != Takers::all) {
        task.where = STARPU_CUDA;
    }
    if (task.where != STARPU_CPU && needs_first_stream(bytes)) {
        const bool is_bound = task.workerids_len > 0;
        offer(task, is_bound ? session_.gpu_streams[gpu_of(args.part)] : session_.one_stream);
    }
}

std::string Placement::refusal(const starpu_task& task, const Codelet& codelet) const {
    std::string what = "no worker can run a task of " + codelet.name();
    if (task.where != STARPU_CPU) {
        return what;
    }
    return what + ": its " + std::to_string(n_bytes(task) >> 20U) + " MiB exceed the " +
           std::to_string(session_.gpu_memory >> 20U) +
           " MiB that a task may have of a GPU's memory; CPU workers can";
}

void Placement::prefetch(const Handle& handle) const {
    if (session_.engaged.n_cuda > 0 && session_.gpu_nodes.size() == 1) {
        const unsigned node = session_.gpu_nodes.front();
        check_starpu(
            starpu_data_prefetch_on_node(handle.starpu(), node, 1), "starpu_data_prefetch_on_node"
        );
    }
}

namespace {

/// Arrays on their way to a GPU, held until the last of them is written and the first is there.
class Sending {
public:
    Sending(std::span<Handle* const> handles, unsigned node)
        : n_missing_(handles.size()), node_(static_cast<int>(node)) {
        for (const Handle* handle : handles) {
            handles_.push_back(handle->starpu());
        }
    }

    /// Begins the transfers; the object deletes itself when the last of them has begun.
    static void begin(std::unique_ptr<Sending> sending) {
        Sending* const own = sending.release();
        const std::vector<starpu_data_handle_t> handles = own->handles_;
        const int node = own->node_;
        for (std::size_t i = 0; i < handles.size(); ++i) {
            const int where = i == 0 ? node : STARPU_ACQUIRE_NO_NODE;
            check_starpu(
                starpu_data_acquire_on_node_cb(handles[i], where, STARPU_R, have_one, own),
                "starpu_data_acquire_on_node_cb"
            );
        }
    }

private:
    static void have_one(void* arg) {
        auto* const own = static_cast<Sending*>(arg);
        if (--own->n_missing_ == 0) {
            own->send_rest();
            delete own;
        }
    }

    /// Sends the remaining arrays. Where StarPU refuses a prefetch, tasks fetch the array later.
    void send_rest() const {
        for (std::size_t i = 1; i < handles_.size(); ++i) {
            const auto node = static_cast<unsigned>(node_);
            static_cast<void>(starpu_data_prefetch_on_node(handles_[i], node, 1));
            starpu_data_release_on_node(handles_[i], STARPU_ACQUIRE_NO_NODE);
        }
        starpu_data_release_on_node(handles_.front(), node_);
    }

    std::atomic<std::size_t> n_missing_;
    int node_;
    std::vector<starpu_data_handle_t> handles_;
};

} // namespace

void Placement::send(std::span<Handle* const> handles, const ProblemPart& part) const {
    if (session_.engaged.n_cuda > 1 && session_.engaged.n_cpu == 0 && part.n > 0) {
        Sending::begin(std::make_unique<Sending>(handles, session_.gpu_nodes[gpu_of(part)]));
    }
}

} // namespace starfmm
