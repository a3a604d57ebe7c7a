// SPDX-License-Identifier: BSD-3-Clause
#include "examples/record.hpp"

#include "core/io/atomic_file.hpp"

#include <sys/resource.h>

namespace starfmm {

nlohmann::json workers_of(int n_cpu, int n_cuda) {
    return {{"cpu", n_cpu}, {"cuda", n_cuda}, {"opencl", 0}};
}

nlohmann::json phase_times(const std::vector<Phase>& phases) {
    nlohmann::json times = nlohmann::json::object();
    for (const Phase& phase : phases) {
        times[phase.name] = phase.time_s;
    }
    return times;
}

nlohmann::json error_of(const std::optional<GravityErrors>& error) {
    if (!error) {
        return nullptr;
    }
    return {
        {"checked", error->checked},
        {"median_rel", error->median_rel},
        {"max_rel", error->max_rel},
        {"l2_rel", error->l2_rel}};
}

std::size_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

void write_record(const std::string& path, const nlohmann::json& record) {
    AtomicFile file(path);
    file.write(record.dump(2) + "\n");
    file.commit();
}

} // namespace starfmm
