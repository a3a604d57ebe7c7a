// SPDX-License-Identifier: BSD-3-Clause
// Snapshots of N-body runs: HDF5 files in the layout of Gadget, which yt and its kin read.
#pragma once

#include "core/far_field.hpp"
#include "core/options.hpp"
#include "core/particles/particles.hpp"

#include <cstdint>
#include <string>

namespace starfmm {

/// What a run's results depend on, besides its particles.
struct RunParameters {
    double time_step = 1.0 / 128; ///< > 0
    double g = 1;                 ///< gravitational constant, > 0
    double epsilon = 0.05;        ///< softening length, >= 0
    Precision precision = Precision::double_precision;
    std::uint64_t steps = 1000; ///< step at which the run ends
    /// Direct sums, or tolerance and octree of the fast multipole method: what this leaves open is
    /// decided when a run starts, and kept from there.
    PlanOptions sums{.method = Method::direct, .tree = TreeKind::orthtree};
    FarField far_field = FarField::harmonics; ///< of Method::fmm
    Softening softening = Softening::plummer; ///< either in runs by a tree; else Plummer's
    double own_error = 0; ///< GravityTreeOptions::own_error of the last step, by a tree

    /// Whether it is a run by GravityTree.
    [[nodiscard]] bool has_tree() const {
        return sums.method == Method::fmm && far_field == FarField::taylor;
    }
};

/// What Gadget's header says of a file's space and units.
struct SnapshotHeader {
    double redshift = 0;
    double box_size = 0; ///< side of a periodic box; 0: open space
    double omega0 = 0;
    double omega_lambda = 0;
    double hubble = 1; ///< HubbleParam, in units of which cosmological files measure
};

/// Whether particles of a periodic box, or of coordinates that expand with space, are taken.
enum class Space {
    as_in_file, ///< no: sums are those of open space, in units that stay
    open        ///< yes, as if they were in open space: numbers are taken as they are
};

/// A run between two steps, complete: it goes on from here as if it had never stopped.
struct Snapshot {
    Particles particles; ///< positions and velocities at the same time
    double time = 0;
    std::uint64_t step = 0;
    RunParameters run;
    Conserved start;       ///< what is conserved, at step 0: drifts are relative to it
    SnapshotHeader header; ///< header of the file that its particles came from
};

/// Whether this build writes and reads the files below.
/// \throws InputError naming the file, and the cure, if not
void check_hdf5(const std::string& path);

/// Writes `/Header` and `/PartType1` (Coordinates, Velocities: float64 (N, 3); Masses: float64 (N);
/// ParticleIDs: uint64 (N)) as Gadget does, and in `/Run` what it takes to go on. The file appears
/// complete or not at all; equal snapshots give equal bytes.
/// \throws OutputError
void write_snapshot(const std::string& path, const Snapshot& snapshot);

/// Reads what write_snapshot wrote.
/// \throws InputError naming the file, the object and what is wrong with it
[[nodiscard]] Snapshot read_snapshot(const std::string& path);

/// Particles of any Gadget file in HDF5, its time and its header: types 1 to 5 one after the other;
/// masses from the header's table where they are not listed; numbered from 1 where none has an id.
/// \throws InputError as read_snapshot; also for gas (type 0), whose pressure is not computed, for
/// one of several files, for ids of some types only, and for a periodic or expanding space unless
/// `space` is open
[[nodiscard]] Snapshot read_particles(const std::string& path, Space space = Space::as_in_file);

} // namespace starfmm
