// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/executor.hpp"

#include "codelets/recording/transfer_log.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/spin.hpp"
#include "core/error.hpp"
#include "schedulers/runtime/placement.hpp"
#include "schedulers/runtime/rest.hpp"

#include <starpu.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

/// Time that exceeds what a caller who is not waiting takes from one submission to the next.
constexpr std::chrono::milliseconds between_submissions{2};

/// StarPU's workers.
class StarpuExecutor final : public Executor {
public:
    StarpuExecutor(Session& session, TaskRecords* records)
        : session_(session), placement_(session), records_(records) {}

    ~StarpuExecutor() override {
        leave_core_for({});
        starpu_task_wait_for_all();
        running_.drop();
    }

    [[nodiscard]] Handle::Home home() const override { return Handle::Home::starpu; }

    void submit(
        Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args, int priority
    ) override {
        if (fused_ != nullptr) {
            fused_->add(codelet, handles, args);
            if (tracker()) {
                tracker()->add_part(codelet, args);
            }
            return;
        }
        starpu_task* task = codelet.make_task(handles, args, priority);
        placement_.choose_gpu(*task, args);
        submit_task(codelet, task, args);
    }

    void
    fuse(FusedCodelet& codelet, int priority, const std::function<void()>& submit_tasks) override {
        const Arena::Scope arena;
        if (tracker()) {
            tracker()->begin_parts();
        }
        fused_ = &codelet;
        try {
            submit_tasks();
        } catch (...) {
            fused_ = nullptr;
            codelet.clear();
            throw;
        }
        fused_ = nullptr;
        if (!codelet.empty()) {
            std::shared_ptr<PartTimes> times;
            if (tracker()) {
                times = std::make_shared<PartTimes>(codelet.n_parts());
                tracker()->set_part_times(times);
            }
            submit_task(codelet, codelet.make_fused_task(priority, times.get()), {});
        }
    }

    void prefetch(const Handle& handle) override { placement_.prefetch(handle); }

    void send(std::span<Handle* const> handles, const ProblemPart& part) override {
        placement_.send(handles, part);
    }

    void wait() override {
        leave_core_for({});
        if (session_.has_spare_core) {
            spin_until([] { return starpu_task_nsubmitted() == 0; });
        }
        check_starpu(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
        if (records_ != nullptr) {
            running_.collect(*records_);
        }
    }

    void wait_for_all_but(std::size_t n) override {
        leave_core_for({});
        check_starpu(
            starpu_task_wait_for_n_submitted(static_cast<unsigned>(n)),
            "starpu_task_wait_for_n_submitted"
        );
    }

    void abandon() noexcept override {
        leave_core_for({});
        starpu_task_wait_for_all();
    }

    void record_details() override {
        Executor::record_details();
        if (!transfers_) {
            transfers_.emplace();
        }
    }

    void forget_tasks() override {
        Executor::forget_tasks();
        if (transfers_) {
            TransferLog::forget();
        }
    }

    [[nodiscard]] bool records_transfers() const override { return transfers_.has_value(); }

private:
    /// Has a CPU worker rest for `time` where the session leaves the submitting caller a core. 0
    /// ends the rest: the caller may wait for a task next, and all cores are needed then.
    void leave_core_for(std::chrono::milliseconds time) const {
        if (session_.leaves_core) {
            leave_core(time);
        }
    }

    void submit_task(const Codelet& codelet, starpu_task* task, const TaskArgs& args) {
        count_task();
        leave_core_for(between_submissions);
        TaskDetails details = tracker() ? tracker()->submitted(*task, args) : TaskDetails();
        task->destroy = records_ != nullptr ? 0 : 1;
        placement_.choose_kind(*task, codelet, args);
        if (starpu_task_submit(task) != 0) {
            const std::string why = placement_.refusal(*task, codelet);
            task->destroy = 0;
            starpu_task_destroy(task);
            throw StarpuError(why);
        }
        if (records_ != nullptr) {
            running_.keep(codelet, task, std::move(details));
        }
    }

    Session& session_;
    Placement placement_;
    TaskRecords* records_;
    StarpuRecords running_;
    std::optional<TransferLog> transfers_; ///< none unless records have details
    FusedCodelet* fused_ = nullptr;        ///< collects tasks, while not null
};

/// What the executors in order have in common: nothing is fused, nothing travels ahead.
class InOrderExecutor : public Executor {
public:
    void wait_for_all_but(std::size_t /*n*/) override { wait(); }

    void submit(
        Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args, int /*priority*/
    ) override {
        count_task();
        codelet.check_buffers(handles.size());
        std::vector<void*> buffers(handles.size());
        std::transform(handles.begin(), handles.end(), buffers.begin(), [](Handle* handle) {
            return handle->plain();
        });
        TaskDetails details = tracker() ? tracker()->called(codelet, handles, args) : TaskDetails();
        run(codelet, buffers.data(), args, std::move(details));
    }

    void fuse(
        FusedCodelet& /*codelet*/, int /*priority*/, const std::function<void()>& submit_tasks
    ) override {
        submit_tasks();
    }

    void prefetch(const Handle& /*handle*/) override {}

    void send(std::span<Handle* const> /*handles*/, const ProblemPart& /*part*/) override {}

protected:
    virtual void run(Codelet& codelet, void** buffers, TaskArgs args, TaskDetails details) = 0;
};

/// The caller, at once, by the CPU bodies.
class CallerExecutor final : public InOrderExecutor {
public:
    explicit CallerExecutor(TaskRecords* records) : records_(records) {}

    [[nodiscard]] Handle::Home home() const override { return Handle::Home::plain; }

    void wait() override {}

    void abandon() noexcept override {}

private:
    void run(Codelet& codelet, void** buffers, TaskArgs args, TaskDetails details) override {
        if (records_ == nullptr) {
            codelet.cpu()(buffers, &args);
            return;
        }
        const double start = record_clock();
        const double start_of_work = processor_clock();
        codelet.cpu()(buffers, &args);
        const double work_s = processor_clock() - start_of_work;
        records_->push_back(
            {&codelet, 0, start, record_clock(), args.work, std::move(details), work_s}
        );
    }

    TaskRecords* records_;
};

/// The first GPU, on one stream, by the CUDA bodies.
class DeviceExecutor final : public InOrderExecutor {
public:
    explicit DeviceExecutor(TaskRecords* records) : records_(records) {}

    [[nodiscard]] Handle::Home home() const override { return Handle::Home::device; }

    void wait() override {
        wait_for_device();
        if (records_ != nullptr) {
            launched_.collect(*records_);
        }
    }

    void abandon() noexcept override {}

private:
    void run(Codelet& codelet, void** buffers, TaskArgs args, TaskDetails details) override {
        if (codelet.cuda() == nullptr) {
            throw StarpuError("no worker can run a task of " + codelet.name());
        }
        if (records_ == nullptr) {
            codelet.cuda()(buffers, &args);
            return;
        }
        launched_.begin();
        codelet.cuda()(buffers, &args);
        launched_.end(codelet, args.work, std::move(details));
    }

    TaskRecords* records_;
    DeviceRecords launched_;
};

} // namespace

std::unique_ptr<Executor>
make_executor(Execution execution, Session& session, TaskRecords* records) {
    switch (execution) {
    case Execution::tasks:
        return std::make_unique<StarpuExecutor>(session, records);
    case Execution::in_order_cuda:
        return std::make_unique<DeviceExecutor>(records);
    case Execution::in_order:
        break;
    }
    return std::make_unique<CallerExecutor>(records);
}

} // namespace starfmm
