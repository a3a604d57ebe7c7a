// SPDX-License-Identifier: BSD-3-Clause
// The runtime starts and stops StarPU, and is the only way by which tasks are submitted.
#pragma once

#include "codelets/recording/transfer_log.hpp"
#include "codelets/task/codelet.hpp"
#include "codelets/task/fused_codelet.hpp"
#include "core/options.hpp"
#include "schedulers/costs/choice.hpp"
#include "schedulers/costs/unit_costs.hpp"
#include "schedulers/runtime/array_memory.hpp"
#include "schedulers/runtime/records.hpp"
#include "schedulers/runtime/session.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

class Executor;
struct KernelSet;

/// StarPU runs from construction to destruction of a runtime; a process has one runtime at a time.
/// Not thread-safe: one thread submits.
///
/// An exception in a task body reaches the caller at the next wait(). A fault on a GPU that CUDA
/// reports later is found by StarPU itself, which aborts.
class Runtime {
public:
    /// Starts what `execution` needs.
    /// \param options workers and scheduler, which have no effect in order
    /// \throws InputError for options out of range, an unknown policy, or workers that the machine
    /// does not have
    /// \throws StarpuError if StarPU does not start
    explicit Runtime(const RuntimeOptions& options, Execution execution = Execution::tasks);
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime();

    /// Whether the caller may spin while it waits, because a core is left to it.
    [[nodiscard]] bool spins() const { return session_.has_spare_core; }

    /// Where handles of this runtime's tasks live.
    [[nodiscard]] Handle::Home home() const;

    /// Whether the runtime records what ran.
    [[nodiscard]] bool profiles() const { return profile_; }

    [[nodiscard]] int n_cpu() const { return session_.n_cpu; }

    [[nodiscard]] int n_cuda() const { return session_.n_cuda; }

    [[nodiscard]] int n_opencl() const { return session_.n_opencl; }

    /// StarPU's number of each GPU's memory.
    [[nodiscard]] const std::vector<unsigned>& gpu_nodes() const { return session_.gpu_nodes; }

    /// The workers that are offered the tasks submitted from here on.
    [[nodiscard]] const WorkerCounts& engaged() const { return session_.engaged; }

    /// Engages the team that a plan chose for its own tasks.
    void engage(Team team) { starfmm::engage(session_, team); }

    /// Bytes of GPU memory that a task's data may take; 0 without a GPU.
    [[nodiscard]] std::size_t gpu_memory() const { return session_.gpu_memory; }

    [[nodiscard]] const std::string& policy() const { return session_.policy; }

    [[nodiscard]] const std::vector<WorkerInfo>& workers() const { return session_.workers; }

    /// What the user should know of how the runtime started; empty if all is as usual.
    [[nodiscard]] const std::string& notice() const { return session_.notice; }

    /// Checks that there is room for arrays that exist at the same time. Without this check, tasks
    /// on GPUs would wait for ever for memory that never gets free, and on cores the system would
    /// end the process.
    /// \throws MemoryError if `n_bytes` exceed what GPUs and host have, or what the host still has
    void check_memory(std::size_t n_bytes) const { starfmm::check_memory(session_, n_bytes); }

    /// Submits a task. A task whose data exceed a GPU's memory runs on a CPU worker.
    /// \throws StarpuError if no worker can run the task
    void
    submit(Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args, int priority);

    /// Has an array travel to the GPU, if there is one, before the first task that reads it is
    /// ready, which is when StarPU would start the transfer.
    void prefetch(const Handle& handle);

    /// Has arrays travel to the GPU that does the tasks of a part, where several GPUs work alone.
    /// The first array travels once the tasks submitted so far have written all of them; the others
    /// follow when the first is there.
    void send(std::span<Handle* const> handles, const ProblemPart& part);

    /// Calls `submit_tasks` and submits the tasks that it submits as one task of `codelet`; in
    /// order, they run one by one. Handles that `submit_tasks` makes without an array of the
    /// caller's are parts of one arena, so that only fused tasks may use them.
    /// \throws as submit()
    void fuse(FusedCodelet& codelet, int priority, const std::function<void()>& submit_tasks);

    /// Waits for every submitted task.
    /// \throws the exception of the first task that failed
    void wait();

    /// Waits until at most `n` of the submitted tasks are still to end.
    void wait_for_all_but(std::size_t n);

    /// Waits for every submitted task and drops the exceptions, after a failure that the caller
    /// already knows.
    void abandon() noexcept;

    /// Records of the tasks that have been waited for, in order of submission; empty unless the
    /// runtime profiles.
    [[nodiscard]] const TaskRecords& records() const { return records_; }

    void clear_records();

    /// Makes records have details, for traces, from here on: this takes a few microseconds a task,
    /// and covers copies of arrays that get handles from here on. The call has no effect unless the
    /// runtime profiles.
    void record_details();

    /// Drops all but the first `n` records.
    void forget_records(std::size_t n) { records_.resize(n); }

    /// Known costs of `kernel` on these workers, for tuned_costs() to fill.
    [[nodiscard]] TunedCosts& tuned_costs(const KernelSet& kernel) { return tuned_costs_[&kernel]; }

    /// The last choice of decide(), valid as long as the costs are what they were.
    [[nodiscard]] std::optional<LastChoice>& last_choice() { return last_choice_; }

    /// What the runtime remembers of the user's arrays.
    [[nodiscard]] ArrayMemory& arrays() { return arrays_; }

    /// Number of tasks submitted since the start.
    [[nodiscard]] std::size_t n_tasks() const;

    /// Bytes that moved between memories since the start, as StarPU's bus profiling counts them.
    [[nodiscard]] std::size_t transferred_bytes();

    /// Whether copies between memories are recorded: after record_details(), if StarPU's workers
    /// execute.
    [[nodiscard]] bool records_transfers() const;

    /// Returns the copies between memories since records were cleared, ordered by start;
    /// memory_uses() returns what StarPU held of devices' memories since then. Both are empty
    /// unless records_transfers().
    /// \throws CudaError
    [[nodiscard]] std::vector<Transfer> transfers() const;
    [[nodiscard]] std::vector<MemoryUse> memory_uses() const;

private:
    bool profile_;
    std::size_t transferred_bytes_ = 0; ///< count at the last call
    Session session_;                   // ends last
    TaskRecords records_;
    std::unique_ptr<Executor> executor_;
    ArrayMemory arrays_;
    std::map<const KernelSet*, TunedCosts> tuned_costs_;
    std::optional<LastChoice> last_choice_;
};

} // namespace starfmm
