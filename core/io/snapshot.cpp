// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/snapshot.hpp"

#include "core/error.hpp"
#include "core/io/hdf5.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

namespace starfmm {

namespace {

using Components = std::array<std::vector<double>, 3>;

constexpr std::size_t n_types = 6; // of Gadget: gas, halo, disc, bulge, stars, boundary
constexpr std::size_t our_type = 1;
constexpr double most_particles = std::numeric_limits<std::uint32_t>::max();

/// @{ Names in the order of the types; of methods also that of FarField::taylor.
const std::array<std::string, 3> precision_names{"double", "single", "mixed"};
const std::array<std::string, 4> method_names{"fmm", "direct", "auto", "tree"};
constexpr std::size_t tree_name = 3;
const std::array<std::string, 2> terms_names{"by_distance", "all"};
const std::array<std::string, 2> softening_names{"plummer", "spline"};
/// @}

const std::string header = "/Header";
const std::string run = "/Run";

std::string group_of(std::size_t type) {
    return "/PartType" + std::to_string(type);
}

/// Rows x, y, z.
std::vector<double> interleaved(const Components& components) {
    std::vector<double> rows(3 * components[0].size());
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t i = 0; i < components[d].size(); ++i) {
            rows[3 * i + d] = components[d][i];
        }
    }
    return rows;
}

void append_rows(Components& components, const std::vector<double>& rows) {
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t i = d; i < rows.size(); i += 3) {
            components[d].push_back(rows[i]);
        }
    }
}

void write_header(Hdf5Writer& file, const Snapshot& snapshot) {
    std::array<std::uint32_t, n_types> counts{};
    counts[our_type] = static_cast<std::uint32_t>(snapshot.particles.size());
    file.group(header);
    file.attribute(header, "NumPart_ThisFile", counts);
    file.attribute(header, "NumPart_Total", counts);
    file.attribute(header, "NumPart_Total_HighWord", std::array<std::uint32_t, n_types>{});
    file.attribute(header, "MassTable", std::array<double, n_types>{}); // 0: listed
    file.attribute(header, "Time", snapshot.time);
    file.attribute(header, "NumFilesPerSnapshot", 1);
    file.attribute(header, "Flag_DoublePrecision", 1);
    for (const char* const flag :
         {"Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback"}) {
        file.attribute(header, flag, 0);
    }
    file.attribute(header, "Redshift", snapshot.header.redshift);
    file.attribute(header, "BoxSize", snapshot.header.box_size);
    file.attribute(header, "Omega0", snapshot.header.omega0);
    file.attribute(header, "OmegaLambda", snapshot.header.omega_lambda);
    file.attribute(header, "HubbleParam", snapshot.header.hubble);
}

/// A number that other programs, or earlier versions, may leave out.
double number_or(
    const Hdf5Reader& file, const std::string& group, const std::string& name, double without = 0
) {
    return file.has_attribute(group, name) ? file.number(group, name) : without;
}

SnapshotHeader read_header(const Hdf5Reader& file) {
    return {
        number_or(file, header, "Redshift"),
        number_or(file, header, "BoxSize"),
        number_or(file, header, "Omega0"),
        number_or(file, header, "OmegaLambda"),
        number_or(file, header, "HubbleParam", 1)};
}

/// Sums are those of open space that does not expand.
void check_space(const Hdf5Reader& file, const SnapshotHeader& values) {
    const auto refuse = [&file](const char* name, double value, const char* meaning) {
        std::ostringstream problem;
        problem << "is " << value << ": " << meaning << "; Space::open takes it as it is";
        file.fail(header + "@" + name, problem.str());
    };
    if (values.box_size != 0) {
        refuse("BoxSize", values.box_size, "sums over periodic images are not computed");
    }
    if (values.redshift != 0) {
        refuse("Redshift", values.redshift, "coordinates that expand are not computed with");
    }
    if (values.hubble != 1 && values.hubble != 0) {
        refuse("HubbleParam", values.hubble, "units of it are not converted");
    }
}

void write_particles(Hdf5Writer& file, const Particles& particles) {
    const std::string group = group_of(our_type);
    file.group(group);
    file.dataset(group + "/Coordinates", 3, interleaved(particles.bodies.x));
    file.dataset(group + "/Velocities", 3, interleaved(particles.velocity));
    file.dataset(group + "/Masses", 1, particles.bodies.mass);
    file.dataset(group + "/ParticleIDs", particles.id);
}

/// Direct sums are not mentioned: files of theirs are as they were before there were others.
void write_sums(Hdf5Writer& file, const RunParameters& parameters) {
    const PlanOptions& sums = parameters.sums;
    const auto method = static_cast<std::size_t>(sums.method);
    file.attribute(run, "Method", method_names[parameters.has_tree() ? tree_name : method]);
    file.attribute(run, "Tolerance", sums.tolerance);
    file.attribute(run, "Order", sums.order);
    file.attribute(run, "Theta", sums.theta);
    file.attribute(run, "HeavyTheta", sums.heavy_theta);
    file.attribute(run, "OwnError", parameters.own_error);
    file.attribute(run, "PairTerms", terms_names[static_cast<int>(sums.terms)]);
    file.attribute(run, "LeafSize", sums.leaf_size);
    file.attribute(run, "Roots", sums.roots);
    file.attribute(run, "SofteningLaw", softening_names[static_cast<int>(parameters.softening)]);
}

void write_run(Hdf5Writer& file, const Snapshot& snapshot) {
    file.group(run);
    file.attribute(run, "Step", snapshot.step);
    file.attribute(run, "Steps", snapshot.run.steps);
    file.attribute(run, "TimeStep", snapshot.run.time_step);
    file.attribute(run, "GravitationalConstant", snapshot.run.g);
    file.attribute(run, "Softening", snapshot.run.epsilon);
    file.attribute(run, "Precision", precision_names[static_cast<int>(snapshot.run.precision)]);
    if (snapshot.run.sums.method != Method::direct) {
        write_sums(file, snapshot.run);
    }
    file.attribute(run, "KineticEnergyAtStart", snapshot.start.kinetic);
    file.attribute(run, "PotentialEnergyAtStart", snapshot.start.potential);
    file.attribute(run, "MomentumAtStart", snapshot.start.momentum);
    file.attribute(run, "AngularMomentumAtStart", snapshot.start.angular);
}

double read_positive(const Hdf5Reader& file, const std::string& name) {
    const double value = file.number(run, name);
    if (!(value > 0)) {
        file.fail(run + "@" + name, "is " + std::to_string(value) + ": must be > 0");
    }
    return value;
}

int read_int(const Hdf5Reader& file, const std::string& name) {
    const std::uint64_t value = file.integer(run, name);
    if (value > std::numeric_limits<int>::max()) {
        file.fail(run + "@" + name, "is " + std::to_string(value) + ": must be below 2^31");
    }
    return static_cast<int>(value);
}

/// Which of these names the attribute is.
/// \param without the name where it may be missing
template <std::size_t n>
int read_name(
    const Hdf5Reader& file,
    const std::string& attribute,
    const std::array<std::string, n>& names,
    const std::string& without = ""
) {
    const bool is_read = without.empty() || file.has_attribute(run, attribute);
    const std::string name = is_read ? file.text(run, attribute) : without;
    const auto* const found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        std::string expected = names[0];
        for (std::size_t i = 1; i < n; ++i) {
            expected += (i + 1 < n ? ", " : " or ") + names[i];
        }
        file.fail(run + "@" + attribute, "is '" + name + "': " + expected + " expected");
    }
    return static_cast<int>(found - names.begin());
}

void read_sums(const Hdf5Reader& file, RunParameters& parameters) {
    if (!file.has_attribute(run, "Method")) {
        return;
    }
    PlanOptions& sums = parameters.sums;
    const int name = read_name(file, "Method", method_names);
    const bool has_tree = name == static_cast<int>(tree_name);
    sums.method = has_tree ? Method::fmm : static_cast<Method>(name);
    parameters.far_field = has_tree ? FarField::taylor : FarField::harmonics;
    sums.tolerance = file.number(run, "Tolerance");
    sums.order = read_int(file, "Order");
    sums.theta = file.number(run, "Theta");
    sums.heavy_theta = number_or(file, run, "HeavyTheta");
    parameters.own_error = number_or(file, run, "OwnError");
    sums.terms = static_cast<PairTerms>(read_name(file, "PairTerms", terms_names, terms_names[0]));
    parameters.softening =
        static_cast<Softening>(read_name(file, "SofteningLaw", softening_names, softening_names[0])
        );
    sums.leaf_size = file.number(run, "LeafSize");
    sums.roots = read_int(file, "Roots");
    try {
        sums.validate(3);
    } catch (const InputError& error) {
        file.fail(run, error.what());
    }
}

void read_run(const Hdf5Reader& file, Snapshot& snapshot) {
    if (!file.has(run)) {
        file.fail(run, "is missing: no snapshot to go on from; its particles may start a new run");
    }
    snapshot.step = file.integer(run, "Step");
    snapshot.run.steps = file.integer(run, "Steps");
    snapshot.run.time_step = read_positive(file, "TimeStep");
    snapshot.run.g = read_positive(file, "GravitationalConstant");
    snapshot.run.epsilon = file.number(run, "Softening");
    snapshot.run.precision = static_cast<Precision>(read_name(file, "Precision", precision_names));
    read_sums(file, snapshot.run);
    snapshot.start.kinetic = file.number(run, "KineticEnergyAtStart");
    snapshot.start.potential = file.number(run, "PotentialEnergyAtStart");
    std::ranges::copy(file.numbers(run, "MomentumAtStart", 3), snapshot.start.momentum.begin());
    std::ranges::copy(
        file.numbers(run, "AngularMomentumAtStart", 3), snapshot.start.angular.begin()
    );
}

/// Particles of one type in this file.
std::size_t count(const Hdf5Reader& file, double value) {
    if (!(value >= 0 && value <= most_particles && value == std::floor(value))) {
        file.fail(header + "@NumPart_ThisFile", "counts must be whole numbers in [0, 2^32)");
    }
    return static_cast<std::size_t>(value);
}

void append_masses(
    const Hdf5Reader& file,
    const std::string& group,
    std::size_t n,
    double mass_of_all,
    std::vector<double>& masses
) {
    if (mass_of_all > 0) {
        masses.insert(masses.end(), n, mass_of_all);
        return;
    }
    const std::vector<double> listed = file.values(group + "/Masses", n, 1);
    masses.insert(masses.end(), listed.begin(), listed.end());
}

/// Ids that one type has are another's as well, if that is numbered from 1: all types have them, or
/// none.
/// \param n_before particles of the types before, of which `ids` are
void append_ids(
    const Hdf5Reader& file,
    const std::string& group,
    std::size_t n_before,
    std::size_t n,
    std::vector<std::uint64_t>& ids
) {
    const std::string name = group + "/ParticleIDs";
    const bool has_ids = file.has(name);
    if (n_before > 0 && has_ids == ids.empty()) {
        file.fail(
            name,
            (has_ids ? "is there, but not" : "is missing, but not") +
                std::string(" that of the types before: all types have ids, or none, which are "
                            "then numbered from 1")
        );
    }
    if (has_ids) {
        const std::vector<std::uint64_t> listed = file.integers(name, n);
        ids.insert(ids.end(), listed.begin(), listed.end());
    }
}

Particles read_types(const Hdf5Reader& file) {
    const std::vector<double> counts = file.numbers(header, "NumPart_ThisFile", n_types);
    const std::vector<double> masses = file.numbers(header, "MassTable", n_types);
    Particles particles;
    for (std::size_t type = 0; type < n_types; ++type) {
        const std::size_t n = count(file, counts[type]);
        const std::string group = group_of(type);
        if (n == 0) {
            continue;
        }
        if (type == 0) {
            file.fail(group, "holds gas, whose pressure is not computed: remove it");
        }
        append_ids(file, group, particles.size(), n, particles.id);
        append_rows(particles.bodies.x, file.values(group + "/Coordinates", n, 3));
        append_rows(particles.velocity, file.values(group + "/Velocities", n, 3));
        append_masses(file, group, n, masses[type], particles.bodies.mass);
    }
    if (particles.id.empty()) {
        particles.id.resize(particles.size());
        std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{1});
    }
    return particles;
}

Particles read_checked(const Hdf5Reader& file, const std::string& path) {
    const bool is_split = file.has_attribute(header, "NumFilesPerSnapshot") &&
                          file.number(header, "NumFilesPerSnapshot") > 1;
    if (is_split) {
        file.fail(header, "is one file of several: join them to one");
    }
    Particles particles = read_types(file);
    if (particles.size() == 0) {
        file.fail(header + "@NumPart_ThisFile", "there are no particles");
    }
    try {
        check_particles(particles);
    } catch (const InputError& error) {
        throw InputError(path + ": " + error.what());
    }
    return particles;
}

} // namespace

void check_hdf5(const std::string& /*path*/) {}

void write_snapshot(const std::string& path, const Snapshot& snapshot) {
    Hdf5Writer file(path);
    write_header(file, snapshot);
    write_particles(file, snapshot.particles);
    write_run(file, snapshot);
    file.commit();
}

Snapshot read_snapshot(const std::string& path) {
    const Hdf5Reader file(path);
    Snapshot snapshot;
    read_run(file, snapshot);
    snapshot.header = read_header(file);
    snapshot.particles = read_checked(file, path);
    snapshot.time = file.number(header, "Time");
    return snapshot;
}

Snapshot read_particles(const std::string& path, Space space) {
    const Hdf5Reader file(path);
    Snapshot snapshot;
    snapshot.header = read_header(file);
    if (space == Space::as_in_file) {
        check_space(file, snapshot.header);
    }
    snapshot.particles = read_checked(file, path);
    snapshot.time = number_or(file, header, "Time");
    return snapshot;
}

} // namespace starfmm
