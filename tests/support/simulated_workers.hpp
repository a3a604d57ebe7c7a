// SPDX-License-Identifier: BSD-3-Clause
// Simulated cores and a GPU take made-up tasks from ReadyTasks, in made-up time.
#pragma once

#include "schedulers/runtime/policies/ready_tasks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

/// Returns a name of a task, which nobody dereferences.
inline starpu_task* task_name(std::size_t i) {
    static std::array<char, 1000> bytes;
    return reinterpret_cast<starpu_task*>(&bytes.at(i));
}

inline std::size_t number_of(const starpu_task* task) {
    return static_cast<std::size_t>(
        reinterpret_cast<const char*>(task) - reinterpret_cast<const char*>(task_name(0))
    );
}

/// Workers, the last of which is the GPU's, which takes one task ahead.
class SimulatedWorkers {
public:
    /// Makes workers that have nothing to do.
    /// \param seconds seconds that each task takes on a core, and on the GPU
    SimulatedWorkers(int n_cores, std::vector<std::array<double, 2>> seconds)
        : workers_(static_cast<std::size_t>(n_cores) + 1), seconds_(std::move(seconds)) {}

    /// Runs all tasks.
    /// \returns time when the last task ends
    double makespan(starfmm::ReadyTasks& tasks) {
        while (true) {
            for (std::size_t w = 0; w < workers_.size(); ++w) {
                fill(tasks, w);
            }
            const auto next = std::ranges::min_element(workers_, {}, &Worker::end);
            if (next->taken.empty()) {
                return now_;
            }
            now_ = next->end;
            const auto w = static_cast<std::size_t>(next - workers_.begin());
            tasks.ended(static_cast<int>(w), next->taken.front(), now_);
            next->taken.erase(next->taken.begin());
            begin(w);
        }
    }

private:
    static constexpr double never = std::numeric_limits<double>::infinity();

    struct Worker {
        std::vector<starpu_task*> taken{}; ///< the first one runs
        double end = never;                ///< end of the running task
    };

    [[nodiscard]] bool is_gpu(std::size_t w) const { return w + 1 == workers_.size(); }

    /// Begins the worker's first task, if there is one.
    void begin(std::size_t w) {
        Worker& worker = workers_[w];
        worker.end = never;
        if (!worker.taken.empty()) {
            const auto& seconds = seconds_[number_of(worker.taken.front())];
            worker.end = now_ + seconds[is_gpu(w) ? 1 : 0];
        }
    }

    void fill(starfmm::ReadyTasks& tasks, std::size_t w) {
        std::vector<starpu_task*>& taken = workers_[w].taken;
        const std::size_t most = is_gpu(w) ? 2 : 1;
        while (taken.size() < most) {
            starpu_task* const task = tasks.pop(static_cast<int>(w), now_);
            if (task == nullptr) {
                return;
            }
            taken.push_back(task);
            if (taken.size() == 1) {
                begin(w);
            }
        }
    }

    std::vector<Worker> workers_;
    std::vector<std::array<double, 2>> seconds_;
    double now_ = 0;
};
