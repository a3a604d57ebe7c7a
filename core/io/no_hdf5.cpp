// SPDX-License-Identifier: BSD-3-Clause
// Snapshots in a build without the HDF5 library.
#include "core/error.hpp"
#include "core/io/snapshot.hpp"

namespace starfmm {

void check_hdf5(const std::string& path) {
    throw InputError(
        path + ": this build reads and writes no HDF5 files: install HDF5 >= 1.10 (libhdf5-dev), "
               "configure with -DSTARFMM_WITH_HDF5=ON and build again"
    );
}

void write_snapshot(const std::string& path, const Snapshot& /*snapshot*/) {
    check_hdf5(path);
}

Snapshot read_snapshot(const std::string& path) {
    check_hdf5(path);
    return {};
}

Snapshot read_particles(const std::string& path, Space /*space*/) {
    check_hdf5(path);
    return {};
}

} // namespace starfmm
