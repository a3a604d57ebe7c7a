// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/overlap.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace starfmm {

namespace {

/// A change of the numbers of busy workers.
struct Change {
    double time_s;
    int lists; ///< change of the number of cores with lists
    int gpus;  ///< change of the number of busy GPUs
};

bool finds_lists(const Trace& trace, const TraceTask& task) {
    return !trace.workers[task.worker].is_cuda && trace.operators[task.op].name == "connect";
}

/// Time when the first lists are begun; infinite without lists.
double first_list(const Trace& trace) {
    double first = std::numeric_limits<double>::infinity();
    for (const TraceTask& task : trace.tasks) {
        first = finds_lists(trace, task) ? std::min(first, task.start_s) : first;
    }
    return first;
}

} // namespace

double Overlap::unhidden() const {
    const double shorter = std::min(lists_s, gpus_s);
    return shorter > 0 ? 1 - both_s / shorter : 0;
}

Overlap overlap_of(const Trace& trace) {
    const double first = first_list(trace);
    std::vector<Change> changes;
    for (const TraceTask& task : trace.tasks) {
        const int lists = finds_lists(trace, task) ? 1 : 0;
        const int gpus = trace.workers[task.worker].is_cuda ? 1 : 0;
        if (task.end_s > first) {
            changes.push_back({std::max(first, task.start_s), lists, gpus});
            changes.push_back({task.end_s, -lists, -gpus});
        }
    }
    std::ranges::sort(changes, {}, &Change::time_s);
    Overlap overlap;
    int lists = 0;
    int gpus = 0;
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
        lists += changes[i].lists;
        gpus += changes[i].gpus;
        const double time = changes[i + 1].time_s - changes[i].time_s;
        overlap.lists_s += lists > 0 ? time : 0;
        overlap.gpus_s += gpus > 0 ? time : 0;
        overlap.both_s += lists > 0 && gpus > 0 ? time : 0;
    }
    return overlap.lists_s > 0 && overlap.gpus_s > 0 ? overlap : Overlap{};
}

} // namespace starfmm
