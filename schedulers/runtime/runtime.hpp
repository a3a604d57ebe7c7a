// SPDX-License-Identifier: BSD-3-Clause
// RAII start and stop of StarPU, and the one door through which tasks are submitted.
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

/// StarPU, from construction to destruction; one at a time in a process. Not thread-safe: one
/// thread submits.
///
/// An exception in a task body reaches the caller at the next wait(). A fault on a GPU that CUDA
/// reports later is found by StarPU itself, which aborts.
class Runtime {
public:
    /// \param options workers and scheduler: of no effect in order
    /// \throws InputError for options out of range, an unknown policy, or workers that the machine
    /// does not have;
    ///         StarpuError if StarPU does not start
    explicit Runtime(const RuntimeOptions& options, Execution execution = Execution::tasks);
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime();

    /// Whether the caller may spin while it waits: a core is left to it.
    [[nodiscard]] bool spins() const { return session_.has_spare_core; }

    /// Where handles of this runtime's tasks live.
    [[nodiscard]] Handle::Home home() const;

    /// Whether it records what ran.
    [[nodiscard]] bool profiles() const { return profile_; }

    [[nodiscard]] int n_cpu() const { return session_.n_cpu; }

    [[nodiscard]] int n_cuda() const { return session_.n_cuda; }

    [[nodiscard]] int n_opencl() const { return session_.n_opencl; }

    /// Who is offered the tasks that are submitted from here on.
    [[nodiscard]] const WorkerCounts& engaged() const { return session_.engaged; }

    /// A plan's choice, for its own tasks.
    void engage(Team team) { starfmm::engage(session_, team); }

    /// Bytes that a task's data may take of a GPU; 0 without one.
    [[nodiscard]] std::size_t gpu_memory() const { return session_.gpu_memory; }

    [[nodiscard]] const std::string& policy() const { return session_.policy; }

    [[nodiscard]] const std::vector<WorkerInfo>& workers() const { return session_.workers; }

    /// What the user should know of how it started; empty if all is as usual.
    [[nodiscard]] const std::string& notice() const { return session_.notice; }

    /// For arrays that exist at a time: with GPUs, tasks would wait for ever for memory that never
    /// gets free; without, the system would end the process.
    /// \throws MemoryError if `n_bytes` exceed what GPUs and host have, or what the host still has
    void check_memory(std::size_t n_bytes) const { starfmm::check_memory(session_, n_bytes); }

    /// A task whose data exceed a GPU's memory runs on a CPU worker.
    /// \throws StarpuError if no worker can run the task
    void
    submit(Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args, int priority);

    /// Has an array travel to the GPU, if there is one, before the first task that reads it is
    /// ready: StarPU itself starts then.
    void prefetch(const Handle& handle);

    /// Likewise, where several GPUs work alone, to the one that does the tasks of a part, once the
    /// tasks submitted so far have written them: the first array, and when it is there the others.
    void send(std::span<Handle* const> handles, const ProblemPart& part);

    /// Calls `submit_tasks` and submits what it submits as one task of `codelet`; in order, task by
    /// task. Handles that it makes without an array of the caller's are parts of one arena, so that
    /// only fused tasks may use them.
    /// \throws as submit()
    void fuse(FusedCodelet& codelet, int priority, const std::function<void()>& submit_tasks);

    /// Waits for every submitted task.
    /// \throws what the first failing task threw
    void wait();

    /// Waits until at most `n` submitted tasks have not ended.
    void wait_for_all_but(std::size_t n);

    /// Waits for every submitted task, and forgets what they threw: after a failure that the caller
    /// knows already.
    void abandon() noexcept;

    /// Records of the tasks that have been waited for, in order of submission; empty unless
    /// profiling.
    [[nodiscard]] const TaskRecords& records() const { return records_; }

    void clear_records();

    /// From here on records have details, for traces: it takes a few microseconds a task, and tells
    /// copies of arrays that get handles from here on. Of no effect unless profiling.
    void record_details();

    /// Drops all but the first `n` records.
    void forget_records(std::size_t n) { records_.resize(n); }

    /// Costs of `kernel` on these workers as far as known, for tuned_costs() to fill.
    [[nodiscard]] TunedCosts& tuned_costs(const KernelSet& kernel) { return tuned_costs_[&kernel]; }

    /// For decide(): as long as costs are what they were.
    [[nodiscard]] std::optional<LastChoice>& last_choice() { return last_choice_; }

    /// What it remembers of the user's arrays.
    [[nodiscard]] ArrayMemory& arrays() { return arrays_; }

    /// Tasks submitted since the start.
    [[nodiscard]] std::size_t n_tasks() const;

    /// Bytes that moved between memories since the start, as StarPU's bus profiling counts them.
    [[nodiscard]] std::size_t transferred_bytes();

    /// Whether copies between memories are recorded: with record_details(), by StarPU's workers.
    [[nodiscard]] bool records_transfers() const;

    /// Copies between memories since records were cleared, by their start; and what StarPU held of
    /// devices' memories since then. Empty unless records_transfers().
    /// \throws CudaError
    [[nodiscard]] std::vector<Transfer> transfers() const;
    [[nodiscard]] std::vector<MemoryUse> memory_uses() const;

private:
    bool profile_;
    std::size_t transferred_bytes_ = 0; ///< when last asked
    Session session_;                   // ends last
    TaskRecords records_;
    std::unique_ptr<Executor> executor_;
    ArrayMemory arrays_;
    std::map<const KernelSet*, TunedCosts> tuned_costs_;
    std::optional<LastChoice> last_choice_;
};

} // namespace starfmm
