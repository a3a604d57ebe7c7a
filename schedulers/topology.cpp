// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/topology.hpp"

#include "codelets/cuda_devices.hpp"
#include "core/error.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>

namespace starfmm {

int available_cores() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0) {
        throw Error("hwloc cannot read this machine's topology");
    }
    const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> owner(
        topology, hwloc_topology_destroy
    );
    return std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
}

int available_gpus() {
    return n_cuda_devices();
}

int default_groups(std::size_t n_points, int levels, int n_cpu, int n_cuda) {
    constexpr int groups_per_worker = 4;
    constexpr std::size_t fewest_points = 4096; // about 200 us of P2P on a core
    const int n_workers = n_cpu + n_cuda;
    int groups = 1;
    for (int level = 1; level <= 3 && level < levels && n_workers > 1; ++level) {
        const bool worth_it = n_points / (4 * static_cast<std::size_t>(groups)) >= fewest_points;
        if (groups < groups_per_worker * n_workers && worth_it) {
            groups *= 4;
        }
    }
    return groups;
}

} // namespace starfmm
