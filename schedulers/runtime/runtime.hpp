// SPDX-License-Identifier: BSD-3-Clause
// RAII start and stop of StarPU, and the one door through which tasks are submitted.
#pragma once

#include "codelets/task/codelet.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/fused_codelet.hpp"
#include "codelets/task/pinned_buffer.hpp"
#include "core/options.hpp"
#include "core/particles/value_range.hpp"
#include "schedulers/costs/unit_costs.hpp"
#include "schedulers/runtime/session.hpp"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

struct KernelSet;
class Resident;

/// When and where one task ran.
struct TaskRecord {
    const Codelet* codelet;
    int worker;     ///< StarPU worker; 0 without a runtime
    double start_s; ///< seconds on a clock that all workers share
    double end_s;
    double work; ///< TaskArgs::work
};

struct WorkerInfo {
    std::string name;
    bool is_cuda;
};

/// Who executes tasks.
enum class Execution {
    tasks,        ///< StarPU's workers
    in_order,     ///< the caller, at once, by the CPU bodies: the reference for what StarPU costs
    in_order_cuda ///< the first GPU, on one stream, by the CUDA bodies: likewise
};

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
    [[nodiscard]] bool spins() const {
        return execution_ == Execution::tasks && session_.has_spare_core;
    }

    /// Where handles of this runtime's tasks live.
    [[nodiscard]] Handle::Home home() const;

    /// Whether it records what ran.
    [[nodiscard]] bool profiles() const { return profile_; }

    [[nodiscard]] int n_cpu() const { return session_.n_cpu; }

    [[nodiscard]] int n_cuda() const { return session_.n_cuda; }

    /// Bytes that a task's data may take of a GPU; 0 without one.
    [[nodiscard]] std::size_t gpu_memory() const { return session_.gpu_memory; }

    [[nodiscard]] const std::string& policy() const { return session_.policy; }

    [[nodiscard]] std::vector<WorkerInfo> workers() const;

    /// What the user should know of how it started; empty if all is as usual.
    [[nodiscard]] const std::string& notice() const { return session_.notice; }

    /// For arrays that exist at a time: with GPUs, tasks would wait for ever for memory that never
    /// gets free; without, the system would end the process.
    /// \throws MemoryError if `n_bytes` exceed what GPUs and host have, or what the host still has
    void check_memory(std::size_t n_bytes) const;

    /// A task whose data exceed a GPU's memory runs on a CPU worker.
    /// \throws StarpuError if no worker can run the task
    void
    submit(Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args, int priority);

    /// Has an array travel to the GPU, if one works alone, before the first task that reads it is
    /// ready: StarPU itself starts then.
    void prefetch(const Handle& handle);

    /// Calls `submit_tasks` and submits what it submits as one task of `codelet`; in order, task by
    /// task. Handles that it makes without an array of the caller's are parts of one arena, so that
    /// only fused tasks may use them.
    /// \throws as submit()
    void fuse(FusedCodelet& codelet, int priority, const std::function<void()>& submit_tasks);

    /// Waits for every submitted task.
    /// \throws what the first failing task threw
    void wait();

    /// Waits likewise, and forgets what tasks threw: after a failure that the caller knows already.
    void abandon() noexcept;

    /// Records of the tasks that have been waited for, in order of submission; empty unless
    /// profiling.
    [[nodiscard]] const std::vector<TaskRecord>& records() const { return records_; }

    void clear_records() { records_.clear(); }

    /// Drops all but the first `n` records.
    void forget_records(std::size_t n) { records_.resize(n); }

    /// Costs of `kernel` on these workers as far as known, for tuned_costs() to fill.
    [[nodiscard]] TunedCosts& tuned_costs(const KernelSet& kernel) { return tuned_costs_[&kernel]; }

    /// Arrays of the user's that pass through pinned memory on their way to a GPU.
    enum class Staging {
        source_x,
        source_y,
        target_x,
        target_y,
        strength_re,
        strength_im,
        potential_re,
        potential_im,
        gradient_x,
        gradient_y
    };

    /// One of them; strengths and results are as many as right-hand sides.
    struct StagingPlace {
        Staging role;
        std::uint32_t column = 0;

        StagingPlace(Staging only) : role(only) {} // NOLINT(*-explicit-*): the usual case

        StagingPlace(Staging of, std::uint32_t right_hand_side)
            : role(of), column(right_hand_side) {}

        auto operator<=>(const StagingPlace&) const = default;
    };

    /// Pinned room for `n` doubles, kept from one use of the place to the next; null where no GPU
    /// needs it.
    [[nodiscard]] double* staging(StagingPlace place, std::size_t n);

    /// An array of the caller's that a Resident keeps.
    struct ResidentArray {
        Resident* owner;
        std::optional<ValueRange> checked; ///< the values are finite, and
        bool all_in = false;               ///< whether they are all in this range
    };

    /// Null for arrays that no Resident keeps.
    [[nodiscard]] ResidentArray* resident(const double* data);
    void add_resident(const double* data, Resident& owner);
    void remove_resident(const double* data);

    /// Tasks submitted since the start.
    [[nodiscard]] std::size_t n_tasks() const { return n_tasks_; }

    /// Bytes that moved between memories since the start, as StarPU's bus profiling counts them.
    [[nodiscard]] std::size_t transferred_bytes() const;

private:
    void run_in_order(Codelet& codelet, std::span<Handle* const> handles, TaskArgs args);
    /// Several GPUs, equally fast, share the parts of a problem in order: data of a part, and of
    /// its neighbours, stay where they are.
    void choose_gpu(starpu_task& task, const ProblemPart& part);
    void submit_task(const Codelet& codelet, starpu_task* task);
    void collect_records();
    void collect_marks();

    Execution execution_;
    bool profile_;
    FusedCodelet* fused_ = nullptr; ///< collects tasks, while not null
    Session session_;
    std::size_t n_tasks_ = 0;
    std::vector<std::pair<const Codelet*, starpu_task*>> running_; ///< kept for their profile
    std::vector<DeviceMark> marks_; ///< in order on a GPU: before and after each task not collected
    std::vector<TaskRecord> records_;
    std::map<const KernelSet*, TunedCosts> tuned_costs_;
    std::map<StagingPlace, PinnedBuffer> staging_;
    std::map<const double*, ResidentArray> residents_;
};

} // namespace starfmm
