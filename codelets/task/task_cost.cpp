// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/task_cost.hpp"

#include "codelets/task/codelet.hpp"
#include "codelets/task/shared_gpus.hpp"

#include <algorithm>
#include <atomic>

namespace starfmm {

namespace {

std::atomic<int> tasks_a_gpu{1};

} // namespace

void predict_shared_gpus(int n) {
    tasks_a_gpu = n;
}

double grain_of(const TaskArgs& args) {
    const int grain = args.nearfield.granularity > 0 ? args.nearfield.granularity : args.order;
    return std::max(1, grain);
}

double TaskCost::seconds(const TaskArgs& args) const {
    return seconds(args.work, grain_of(args));
}

TaskTimes times_of(const OperatorCosts& costs, const TaskArgs& args) {
    TaskTimes times{costs.cpu.seconds(args), {}};
    std::transform(
        costs.cuda.begin(),
        costs.cuda.end(),
        times.cuda.begin(),
        [&](const TaskCost& cost) { return tasks_a_gpu * cost.seconds(args); }
    );
    return times;
}

} // namespace starfmm
