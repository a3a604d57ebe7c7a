// SPDX-License-Identifier: BSD-3-Clause
// What readers of snapshots promise.
#pragma once

#include "core/io/snapshot.hpp"
#include "tests/fuzz/check.hpp"

inline void check_sizes(const starfmm::Particles& particles) {
    require(particles.size() > 0);
    require(particles.id.size() == particles.size());
    require(particles.bodies.mass.size() == particles.size());
    for (std::size_t d = 0; d < 3; ++d) {
        require(particles.bodies.x[d].size() == particles.size());
        require(particles.velocity[d].size() == particles.size());
    }
}

/// Reads files of other programs, and snapshots to go on from.
inline int check_snapshot_readers(const std::uint8_t* bytes, std::size_t n) {
    check_reader(bytes, n, [](const std::string& path) {
        check_sizes(starfmm::read_particles(path, starfmm::Space::open).particles);
    });
    return check_reader(bytes, n, [](const std::string& path) {
        const starfmm::Snapshot snapshot = starfmm::read_snapshot(path);
        check_sizes(snapshot.particles);
        require(snapshot.run.time_step > 0 && snapshot.run.g > 0);
    });
}
