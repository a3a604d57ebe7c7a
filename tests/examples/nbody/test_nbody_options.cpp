// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "examples/nbody/nbody_options.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using starfmm::InitialConditions;
using starfmm::InputError;
using starfmm::Method;
using starfmm::NbodyOptions;
using starfmm::Precision;
using starfmm::Series;

namespace {

NbodyOptions options_of(const Words& words) {
    CommandLine line(words);
    return starfmm::parse_nbody_options(line.argc(), line.argv()).value();
}

void check_refused(const Words& words, const std::string& message) {
    CAPTURE(message);
    CHECK_THROWS_WITH_AS(options_of(words), message.c_str(), InputError);
}

} // namespace

TEST_CASE("nbody_options: defaults are a Plummer model") {
    const NbodyOptions options = options_of({});
    CHECK(options.n == 10'000);
    CHECK(options.initial_conditions == InitialConditions::plummer);
    CHECK(options.run.time_step == 1.0 / 128);
    CHECK(options.run.epsilon == 0.05);
    CHECK(options.run.softening == starfmm::Softening::plummer);
    CHECK(options.run.g == 1);
    CHECK(options.run.steps == 1000);
    CHECK_FALSE(options.has_steps);
    CHECK(options.run.precision == Precision::double_precision);
    CHECK(options.snapshot.file.empty());
    CHECK(options.log.every == 1);
    CHECK(options.runtime.cpus == -1);
}

TEST_CASE("nbody_options: every option sets its value") {
    const NbodyOptions options = options_of(
        {"--n",
         "3e3",
         "--ic",
         "galaxies",
         "--mass-ratio",
         "0.5",
         "--separation",
         "12",
         "--pericentre",
         "2",
         "--seed",
         "9",
         "--steps",
         "77",
         "--dt",
         "0.25",
         "--epsilon",
         "0",
         "--g",
         "6.7e-11",
         "--precision",
         "mixed",
         "--snapshot",
         "a%04d.hdf5",
         "--snapshot-every",
         "5",
         "--picture",
         "b%d.png",
         "--picture-every",
         "6",
         "--picture-width",
         "3.5",
         "--picture-pixels",
         "64",
         "--log",
         "c.csv",
         "--log-every",
         "7",
         "--json",
         "d.json",
         "--trace",
         "e.json",
         "--cpus",
         "1",
         "--gpus",
         "0",
         "--scheduler",
         "eager",
         "--check",
         "8",
         "--tol",
         "1e-3",
         "--max-drift",
         "1e-4"}
    );
    CHECK(options.n == 3000);
    CHECK(options.initial_conditions == InitialConditions::galaxies);
    CHECK(options.encounter.mass_ratio == 0.5);
    CHECK(options.encounter.separation == 12);
    CHECK(options.encounter.pericentre == 2);
    CHECK(options.seed == 9);
    CHECK(options.run.steps == 77);
    CHECK(options.has_steps);
    CHECK(options.run.time_step == 0.25);
    CHECK(options.run.epsilon == 0);
    CHECK(options.run.g == 6.7e-11);
    CHECK(options.run.precision == Precision::mixed_precision);
    CHECK(options.snapshot.file == "a%04d.hdf5");
    CHECK(options.snapshot.every == 5);
    CHECK(options.picture.file == "b%d.png");
    CHECK(options.picture.every == 6);
    CHECK(options.picture_width == 3.5);
    CHECK(options.picture_pixels == 64);
    CHECK(options.log.file == "c.csv");
    CHECK(options.log.every == 7);
    CHECK(options.json == "d.json");
    CHECK(options.trace == "e.json");
    CHECK(options.runtime.cpus == 1);
    CHECK(options.runtime.gpus == 0);
    CHECK(options.runtime.scheduler == "eager");
    CHECK(options.check == 8);
    CHECK(options.plan.tolerance == 1e-3);
    CHECK(options.max_drift == 1e-4);
    CHECK(options_of({"--input", "a.hdf5"}).input == "a.hdf5");
    CHECK(options_of({"--restart", "a.hdf5", "--steps", "5"}).restart == "a.hdf5");
}

TEST_CASE("nbody_options: bad values are refused by name") {
    check_refused({"--n", "0"}, "--n 0: must be >= 1");
    check_refused({"--ic", "disc"}, "--ic disc: must be plummer or galaxies");
    check_refused({"--precision", "half"}, "--precision half: must be double, single or mixed");
    check_refused({"--dt", "0"}, "--dt 0: must be > 0");
    check_refused({"--dt", "nan"}, "--dt nan: must be a number");
    check_refused({"--g", "-1"}, "--g -1: must be > 0");
    check_refused({"--epsilon", "-1"}, "--epsilon -1: must be >= 0");
    check_refused({"--steps", "1.5"}, "--steps 1.5: must be a whole number");
    check_refused({"--log-every", "0"}, "--log-every 0: must be >= 1");
    check_refused({"--picture-pixels", "8"}, "--picture-pixels 8: must be >= 16");
    check_refused({"--mass-ratio", "0"}, "mass_ratio = 0: must be in [0.001, 1000]");
    check_refused({"--tol", "0"}, "--tol 0: must be > 0");
    check_refused({"--max-drift", "-1"}, "--max-drift -1: must be > 0");
    check_refused({"--method", "fast"}, "--method fast: must be fmm, direct, auto or tree");
    check_refused({"--theta", "1"}, "--theta: unknown option; --help lists all");
    check_refused({"--targets", "5"}, "--targets: unknown option; --help lists all");
    check_refused({"--target-input", "a"}, "--target-input: unknown option; --help lists all");
}

TEST_CASE("nbody_options: the fast multipole method has a tolerance, by the precision") {
    CHECK(options_of({}).run.sums.method == Method::direct);
    const auto tolerance = [](const Words& words) {
        Words all{"--method", "fmm", "--epsilon", "0"};
        all.insert(all.end(), words.begin(), words.end());
        const NbodyOptions options = options_of(all);
        CHECK(options.run.sums.method == Method::fmm);
        return options.run.sums.tolerance;
    };
    CHECK(tolerance({}) == 1e-6);
    CHECK(tolerance({"--precision", "mixed"}) == 1e-6);
    CHECK(tolerance({"--precision", "single"}) == 1e-5);
    CHECK(tolerance({"--tol", "1e-9"}) == 1e-9);
    CHECK(options_of({"--method", "auto"}).run.sums.method == Method::automatic);
    const NbodyOptions tree = options_of({"--method", "tree"});
    CHECK(tree.run.has_tree());
    CHECK(tree.run.sums.tolerance == 1e-3);
    CHECK_FALSE(options_of({"--method", "fmm", "--epsilon", "0"}).run.has_tree());
    const NbodyOptions spline = options_of({"--method", "tree", "--softening", "spline"});
    CHECK(spline.run.softening == starfmm::Softening::spline);
    check_refused(
        {"--method", "tree", "--precision", "mixed", "--tol", "1e-7"},
        "tolerance = 1e-07: pairs in single precision reach 1e-06: use a larger tolerance, or "
        "double precision"
    );
    check_refused({"--method", "tree", "--tol", "2"}, "tolerance = 2: must be in (0, 1)");
}

TEST_CASE("nbody_options: what the fast multipole method cannot do is refused by name") {
    check_refused(
        {"--method", "fmm"},
        "method = fmm and epsilon = 0.05: the fast multipole method sums without softening: use "
        "epsilon = 0, or method = direct"
    );
    const auto check_unsoftened = [](const Words& words, const std::string& message) {
        for (const char* const method : {"fmm", "auto"}) {
            Words all{"--method", method, "--epsilon", "0"};
            all.insert(all.end(), words.begin(), words.end());
            check_refused(all, message);
        }
    };
    check_unsoftened({"--tol", "2"}, "tolerance = 2: must be in (0, 1)");
    check_unsoftened(
        {"--tol", "1e-7", "--precision", "mixed"},
        "tolerance = 1e-07: pairs in single precision reach 1e-06: use a larger tolerance, or "
        "double precision"
    );
    // direct sums have no tolerance but that of their check
    CHECK(options_of({"--method", "auto", "--tol", "2"}).plan.tolerance == 2);
}

TEST_CASE("nbody_options: a spline softens a tree's sums alone") {
    for (const std::string method : {"direct", "fmm", "auto"}) {
        check_refused(
            {"--method", method, "--softening", "spline"},
            "method = " + method +
                " and softening = spline: only a tree's sums are softened so: use softening = "
                "plummer, or method = tree"
        );
    }
    check_refused({"--softening", "none"}, "--softening none: must be plummer or spline");
}

TEST_CASE("nbody_options: what a restart has from its snapshot cannot be given") {
    for (const std::string name :
         {"n",
          "ic",
          "seed",
          "input",
          "dt",
          "epsilon",
          "softening",
          "g",
          "precision",
          "mass-ratio",
          "method"}) {
        check_refused(
            {"--restart", "a.hdf5", "--" + name, "1"},
            "--restart and --" + name + ": only one can be given"
        );
    }
    check_refused({"--input", "a.hdf5", "--n", "5"}, "--input and --n: only one can be given");
}

TEST_CASE("nbody_options: files must be apart and writable") {
    check_refused(
        {"--snapshot", "a%d.hdf5", "--picture", "a0.hdf5"},
        "--snapshot a0.hdf5: is the same file as --picture a0.hdf5: choose another name"
    );
    const TemporaryFolder folder;
    const std::string first = folder.file("a_5.hdf5", "of step 5");
    const std::string series = folder.file("a_%d.hdf5");
    check_refused(
        {"--input", first, "--snapshot", series},
        "--snapshot " + first + ": is the same file as --input " + first + ": choose another name"
    );
    const std::string linked = folder.file("b_00007.png"); // which step 7 would write through
    std::filesystem::create_symlink(first, linked);
    for (const std::string option : {"--input", "--restart"}) {
        check_refused(
            {option, first, "--picture", folder.file("b_%05d.png")},
            "--picture " + linked + ": is the same file as " + option + " " + first +
                ": choose another name"
        );
    }
    CHECK(options_of({"--restart", first, "--snapshot", series}).restart == first);
    CHECK(options_of({"--input", first, "--snapshot", folder.file("c_%d.hdf5")}).input == first);
    check_refused(
        {"--log", folder.file("missing/a.csv")},
        "--log " + folder.file("missing/a.csv") + ": cannot be written: folder " +
            folder.file("missing") + " does not exist"
    );
}

TEST_CASE("nbody_options: a series names its files by the step") {
    CHECK(Series{"a.hdf5", 0}.name(12) == "a.hdf5");
    CHECK(Series{"a_%d.hdf5", 0}.name(12) == "a_12.hdf5");
    CHECK(Series{"%04d_%d", 0}.name(12) == "0012_12");
    CHECK(Series{"%02d", 0}.name(12345) == "12345");
    CHECK(Series{"a_%04d.hdf5", 0}.may_write("a_0012.hdf5"));
    CHECK(Series{"a_%04d.hdf5", 0}.may_write("a_12345.hdf5"));
    CHECK(Series{"%d_%d", 0}.may_write("7_7"));
    CHECK_FALSE(Series{"a_%04d.hdf5", 0}.may_write("a_12.hdf5"));
    CHECK_FALSE(Series{"a_%04d.hdf5", 0}.may_write("b_0012.hdf5"));
    CHECK_FALSE(Series{"%d_%d", 0}.may_write("7_8"));
    CHECK(Series{"a.hdf5", 0}.may_write("a.hdf5"));
    for (const std::string bad : {"%s", "a%", "%4d", "%00d", "%05x", "%%"}) {
        check_refused({"--snapshot", bad}, bad + ": a % must begin %d or %01d to %09d, the step");
    }
}

TEST_CASE("nbody_options: a series is due at its multiples and at the end") {
    const Series every_third{"a", 3};
    CHECK(every_third.is_due(0, 10));
    CHECK_FALSE(every_third.is_due(1, 10));
    CHECK(every_third.is_due(9, 10));
    CHECK(every_third.is_due(10, 10));
    CHECK_FALSE(Series{"a", 0}.is_due(0, 10));
    CHECK(Series{"a", 0}.is_due(10, 10));
    CHECK_FALSE(Series{"", 1}.is_due(10, 10));
}
