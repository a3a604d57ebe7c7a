// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/machine.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/error.hpp"
#include "core/host_limits.hpp"

#include <hwloc.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>

namespace starfmm {

namespace {

/// Counts the cores that have a hardware thread in the set `threads`.
int count_cores(hwloc_topology_t topology, hwloc_const_bitmap_t threads) {
    int n = 0;
    hwloc_obj_t core = nullptr;
    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr) {
        n += hwloc_bitmap_intersects(core->cpuset, threads) != 0 ? 1 : 0;
    }
    return n;
}

} // namespace

std::string core_name() {
    std::ifstream file("/proc/cpuinfo");
    std::map<std::string, std::string> fields; // fields of the first core
    for (std::string line; std::getline(file, line) && !line.empty();) {
        const std::size_t colon = line.find(':');
        const std::size_t end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
        if (colon != std::string::npos && colon + 2 < line.size()) {
            fields.emplace(line.substr(0, end + 1), line.substr(colon + 2));
        }
    }
    const std::string vendor = fields["vendor_id"];
    return vendor.empty()
               ? vendor
               : vendor + " family " + fields["cpu family"] + ", " + fields["model name"];
}

int available_cores() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0) {
        throw Error("hwloc cannot read this machine's topology");
    }
    const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> owner(
        topology, hwloc_topology_destroy
    );
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> bound(
        hwloc_bitmap_alloc(), hwloc_bitmap_free
    );
    if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) != 0) {
        hwloc_bitmap_fill(bound.get()); // the system does not say: not bound
    }
    return std::max(1, count_cores(topology, bound.get()));
}

int default_cores() {
    return static_cast<int>(std::clamp<double>(cpu_quota(), 1, available_cores()));
}

int available_gpus() {
    return n_cuda_devices();
}

} // namespace starfmm
