// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/hdf5.hpp"
#include "core/io/snapshot.hpp"
#include "core/particles/initial_conditions.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>

using starfmm::Hdf5Reader;
using starfmm::Hdf5Writer;
using starfmm::InputError;
using starfmm::OutputError;
using starfmm::Particles;
using starfmm::read_particles;
using starfmm::read_snapshot;
using starfmm::Snapshot;
using starfmm::write_snapshot;

namespace {

using Counts = std::array<std::uint32_t, 6>;
using Masses = std::array<double, 6>;

Snapshot sample(std::size_t n = 7) {
    Snapshot snapshot;
    snapshot.particles = starfmm::make_plummer(n, 1, 3);
    snapshot.particles.id.back() = 1ULL << 60U;
    snapshot.time = 0.1 + 0.2;
    snapshot.step = 123;
    snapshot.run = {1.0 / 3, 4.3e-6, 0.01, starfmm::Precision::mixed_precision, 5000};
    snapshot.start = {0.25, -0.5, {1, 2, 3}, {4, 5, 6}};
    return snapshot;
}

void check_equal(const Particles& a, const Particles& b) {
    CHECK(a.bodies.x == b.bodies.x);
    CHECK(a.bodies.mass == b.bodies.mass);
    CHECK(a.velocity == b.velocity);
    CHECK(a.id == b.id);
}

/// A file as other programs write it.
std::string foreign(
    const TemporaryFolder& folder,
    const Counts& counts,
    const Masses& masses,
    const std::function<void(Hdf5Writer&)>& fill = [](Hdf5Writer&) {}
) {
    Hdf5Writer file(folder.file("foreign.hdf5"));
    file.group("/Header");
    file.attribute("/Header", "NumPart_ThisFile", counts);
    file.attribute("/Header", "MassTable", masses);
    fill(file);
    file.commit();
    return folder.file("foreign.hdf5");
}

void add_type(Hdf5Writer& file, const std::string& group, const std::vector<double>& rows) {
    file.group(group);
    file.dataset(group + "/Coordinates", 3, rows);
    file.dataset(group + "/Velocities", 3, rows);
}

} // namespace

TEST_CASE("snapshot: a run comes back bit by bit") {
    const TemporaryFolder folder;
    for (const std::size_t n : {1, 7, 20'000}) {
        const Snapshot written = sample(n);
        write_snapshot(folder.file("a.hdf5"), written);
        const Snapshot read = read_snapshot(folder.file("a.hdf5"));
        check_equal(read.particles, written.particles);
        CHECK(read.time == written.time);
        CHECK(read.step == 123);
        CHECK(read.run.time_step == 1.0 / 3);
        CHECK(read.run.g == 4.3e-6);
        CHECK(read.run.epsilon == 0.01);
        CHECK(read.run.precision == starfmm::Precision::mixed_precision);
        CHECK(read.run.steps == 5000);
        CHECK(read.start.kinetic == 0.25);
        CHECK(read.start.potential == -0.5);
        CHECK(read.start.momentum == starfmm::SpaceVector{1, 2, 3});
        CHECK(read.start.angular == starfmm::SpaceVector{4, 5, 6});
        write_snapshot(folder.file("b.hdf5"), read);
        CHECK(folder.bytes("b.hdf5") == folder.bytes("a.hdf5"));
    }
}

TEST_CASE("snapshot: the layout is Gadget's") {
    const TemporaryFolder folder;
    const Snapshot snapshot = sample(4);
    write_snapshot(folder.file("a.hdf5"), snapshot);
    const Hdf5Reader file(folder.file("a.hdf5"));
    const std::vector<double> counts{0, 4, 0, 0, 0, 0};
    const std::vector<double> zeros(6);
    CHECK(file.numbers("/Header", "NumPart_ThisFile", 6) == counts);
    CHECK(file.numbers("/Header", "NumPart_Total", 6) == counts);
    CHECK(file.numbers("/Header", "NumPart_Total_HighWord", 6) == zeros);
    CHECK(file.numbers("/Header", "MassTable", 6) == zeros);
    CHECK(file.number("/Header", "Time") == 0.1 + 0.2);
    CHECK(file.integer("/Header", "NumFilesPerSnapshot") == 1);
    CHECK(file.integer("/Header", "Flag_DoublePrecision") == 1);
    for (const char* const name : {"Redshift", "BoxSize", "Omega0", "OmegaLambda"}) {
        CHECK(file.number("/Header", name) == 0);
    }
    CHECK(file.number("/Header", "HubbleParam") == 1);
    const auto rows = file.values("/PartType1/Coordinates", 4, 3);
    const auto velocities = file.values("/PartType1/Velocities", 4, 3);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
            CHECK(rows[3 * i + d] == snapshot.particles.bodies.x[d][i]);
            CHECK(velocities[3 * i + d] == snapshot.particles.velocity[d][i]);
        }
    }
    CHECK(file.values("/PartType1/Masses", 4, 1) == snapshot.particles.bodies.mass);
    CHECK(file.integers("/PartType1/ParticleIDs", 4) == snapshot.particles.id);
}

TEST_CASE("snapshot: how a run sums comes back, and direct sums are not mentioned") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.hdf5");
    Snapshot written = sample();
    write_snapshot(path, written);
    CHECK_FALSE(Hdf5Reader(path).has_attribute("/Run", "Method"));
    CHECK(read_snapshot(path).run.sums.method == starfmm::Method::direct);
    starfmm::PlanOptions& sums = written.run.sums;
    sums.method = starfmm::Method::fmm;
    sums.tolerance = 3e-7;
    sums.order = 12;
    sums.theta = 0.633;
    sums.heavy_theta = 0.27;
    sums.terms = starfmm::PairTerms::all;
    sums.leaf_size = 99;
    sums.roots = 7;
    written.run.softening = starfmm::Softening::spline;
    written.run.own_error = 1e-4;
    write_snapshot(path, written);
    CHECK(read_snapshot(path).run.own_error == 1e-4);
    CHECK(read_snapshot(path).run.softening == starfmm::Softening::spline);
    const starfmm::PlanOptions read = read_snapshot(path).run.sums;
    CHECK(read.method == starfmm::Method::fmm);
    CHECK(read.tree == starfmm::TreeKind::orthtree);
    CHECK(read.tolerance == 3e-7);
    CHECK(read.order == 12);
    CHECK(read.theta == 0.633);
    CHECK(read.heavy_theta == 0.27);
    CHECK(read.terms == starfmm::PairTerms::all);
    CHECK(read.leaf_size == 99);
    CHECK(read.roots == 7);
    CHECK_FALSE(read_snapshot(path).run.has_tree());
    written.run.far_field = starfmm::FarField::taylor;
    write_snapshot(path, written);
    CHECK(read_snapshot(path).run.has_tree());
    CHECK(Hdf5Reader(path).text("/Run", "Method") == "tree");
    sums.roots = 8;
    write_snapshot(path, written);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(read_snapshot(path)),
        (path + ": /Run: roots = 8: must be in [4, 7]").c_str(),
        InputError
    );
}

TEST_CASE("snapshot: particles of several types of another program's file are joined") {
    const TemporaryFolder folder;
    const std::string path =
        foreign(folder, {0, 2, 0, 1, 0, 0}, {0, 0, 0, 0.5, 0, 0}, [](Hdf5Writer& file) {
            add_type(file, "/PartType1", {1, 2, 3, 4, 5, 6});
            file.dataset("/PartType1/Masses", 1, std::vector<double>{8, 9});
            add_type(file, "/PartType3", {-1, -2, -3});
        });
    const Particles particles = read_particles(path).particles;
    CHECK(particles.bodies.x[0] == std::vector<double>{1, 4, -1});
    CHECK(particles.bodies.x[2] == std::vector<double>{3, 6, -3});
    CHECK(particles.velocity[1] == std::vector<double>{2, 5, -2});
    CHECK(particles.bodies.mass == std::vector<double>{8, 9, 0.5});
    CHECK(particles.id == std::vector<std::uint64_t>{1, 2, 3});
    CHECK_THROWS_WITH_AS(
        static_cast<void>(read_snapshot(path)),
        (path + ": /Run: is missing: no snapshot to go on from; its particles may start a new run")
            .c_str(),
        InputError
    );
}

TEST_CASE("snapshot: what cannot be used is refused, naming file and object") {
    const TemporaryFolder folder;
    const auto check = [](const std::string& path, const std::string& message) {
        CHECK_THROWS_WITH_AS(
            static_cast<void>(read_particles(path)), (path + ": " + message).c_str(), InputError
        );
    };
    const Masses listed{};
    check(foreign(folder, {}, listed), "/Header@NumPart_ThisFile: there are no particles");
    check(
        foreign(folder, {3, 0, 0, 0, 0, 0}, listed),
        "/PartType0: holds gas, whose pressure is not computed: remove it"
    );
    check(foreign(folder, {0, 3, 0, 0, 0, 0}, listed), "/PartType1/Coordinates: is missing");
    const auto two_rows = [](Hdf5Writer& file) {
        add_type(file, "/PartType1", {1, 2, 3, 4, 5, 6});
    };
    check(
        foreign(folder, {0, 3, 0, 0, 0, 0}, listed, two_rows),
        "/PartType1/Coordinates: has shape (2, 3): (3, 3) expected"
    );
    check(foreign(folder, {0, 2, 0, 0, 0, 0}, listed, two_rows), "/PartType1/Masses: is missing");
    check(
        foreign(
            folder,
            {0, 1, 0, 0, 0, 0},
            {0, 1, 0, 0, 0, 0},
            [](Hdf5Writer& file) {
                add_type(file, "/PartType1", {1, NAN, 3});
            }
        ),
        "position.y[0] = nan: must be finite and at most 1e+150 in magnitude"
    );
    check(
        foreign(
            folder,
            {0, 2, 0, 0, 0, 0},
            listed,
            [](Hdf5Writer& file) { file.attribute("/Header", "NumFilesPerSnapshot", 8); }
        ),
        "/Header: is one file of several: join them to one"
    );
    check(folder.file("text.hdf5", "x,y,z\n"), "is not an HDF5 file");
}

namespace {

/// A file of two types with a particle each, to which `first` and `second` add datasets of the
/// types.
std::string with_ids(
    const TemporaryFolder& folder,
    const std::function<void(Hdf5Writer&)>& first,
    const std::function<void(Hdf5Writer&)>& second
) {
    return foreign(folder, {0, 1, 0, 1, 0, 0}, {0, 1, 0, 1, 0, 0}, [&](Hdf5Writer& file) {
        add_type(file, "/PartType1", {1, 2, 3});
        first(file);
        add_type(file, "/PartType3", {4, 5, 6});
        second(file);
    });
}

} // namespace

TEST_CASE("snapshot: ids come as they are, or none is made up beside them") {
    const TemporaryFolder folder;
    const auto none = [](Hdf5Writer&) {};
    const auto ids = [](const std::string& group, auto id) {
        return [group, id](Hdf5Writer& file) {
            file.dataset(group + "/ParticleIDs", 1, std::vector{id});
        };
    };
    const auto check = [&](const auto& first, const auto& second, const std::string& message) {
        const std::string path = with_ids(folder, first, second);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(read_particles(path)), (path + ": " + message).c_str(), InputError
        );
    };
    const auto whole = [](const std::string& group, std::uint64_t id) {
        return [group, id](Hdf5Writer& file) {
            file.dataset(group + "/ParticleIDs", std::vector{id});
        };
    };
    const auto both = with_ids(folder, whole("/PartType1", 9), whole("/PartType3", 7));
    CHECK(read_particles(both).particles.id == std::vector<std::uint64_t>{9, 7});
    const std::string all_or_none =
        " that of the types before: all types have ids, or none, which are then numbered from 1";
    check(
        whole("/PartType1", 2), none, "/PartType3/ParticleIDs: is missing, but not" + all_or_none
    );
    check(none, whole("/PartType3", 1), "/PartType3/ParticleIDs: is there, but not" + all_or_none);
    check(
        ids("/PartType1", 4.5),
        whole("/PartType3", 1),
        "/PartType1/ParticleIDs: holds other values than whole numbers: an integer type is expected"
    );
}

TEST_CASE("snapshot: a periodic or expanding space is refused unless told, and is kept") {
    const TemporaryFolder folder;
    const auto file_of = [&](const char* name, double value) {
        return foreign(folder, {0, 1, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, [&](Hdf5Writer& file) {
            add_type(file, "/PartType1", {1, 2, 3});
            file.attribute("/Header", "Time", 0.1);
            file.attribute("/Header", name, value);
        });
    };
    const auto check = [&](const char* name, double value, const std::string& meaning) {
        const std::string path = file_of(name, value);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(read_particles(path)),
            (path + ": /Header@" + name + ": is " + meaning + "; Space::open takes it as it is")
                .c_str(),
            InputError
        );
        Snapshot snapshot = read_particles(path, starfmm::Space::open);
        CHECK(snapshot.time == 0.1);
        write_snapshot(folder.file("kept.hdf5"), snapshot);
        CHECK(Hdf5Reader(folder.file("kept.hdf5")).number("/Header", name) == value);
        CHECK(Hdf5Reader(folder.file("kept.hdf5")).number("/Header", "Time") == 0.1);
        write_snapshot(folder.file("again.hdf5"), read_snapshot(folder.file("kept.hdf5")));
        CHECK(folder.bytes("again.hdf5") == folder.bytes("kept.hdf5"));
    };
    check("BoxSize", 4, "4: sums over periodic images are not computed");
    check("Redshift", 9, "9: coordinates that expand are not computed with");
    check("HubbleParam", 0.7, "0.7: units of it are not converted");
    CHECK(
        read_particles(file_of("HubbleParam", 0)).header.hubble == 0
    );                                                                  // as other programs have it
    CHECK(read_particles(file_of("Omega0", 0.3)).header.omega0 == 0.3); // read by yt alone
}

TEST_CASE("snapshot: a file cut short anywhere is refused") {
    const TemporaryFolder folder;
    write_snapshot(folder.file("whole.hdf5"), sample(50));
    const std::string whole = folder.bytes("whole.hdf5");
    for (std::size_t size = 0; size < whole.size(); size += 211) {
        CAPTURE(size);
        const std::string path = folder.file("cut.hdf5", whole.substr(0, size));
        CHECK_THROWS_AS(static_cast<void>(read_snapshot(path)), InputError);
    }
}

TEST_CASE("snapshot: a failed write leaves the older file as it was") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.hdf5", "older");
    CHECK_THROWS_AS(write_snapshot("/dev/full", sample()), starfmm::WriteError);
    CHECK_THROWS_AS(write_snapshot(folder.file("none/a.hdf5"), sample()), OutputError);
    CHECK(folder.bytes("a.hdf5") == "older");
    write_snapshot(path, sample());
    CHECK(folder.n_files() == 1);
    CHECK(read_snapshot(path).step == 123);
}
