// SPDX-License-Identifier: BSD-3-Clause
// Snapshots and pictures in a build without HDF5 and libpng.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "core/error.hpp"
#include "core/io/png.hpp"
#include "core/io/snapshot.hpp"

#include <doctest/doctest.h>

#include <string>

using starfmm::InputError;

TEST_CASE("formats: files that the build does not know are refused, with the cure") {
    const std::string hdf5 =
        "a.hdf5: this build reads and writes no HDF5 files: install HDF5 >= 1.10 "
        "(libhdf5-dev), configure with -DSTARFMM_WITH_HDF5=ON and build again";
    CHECK_THROWS_WITH_AS(starfmm::check_hdf5("a.hdf5"), hdf5.c_str(), InputError);
    CHECK_THROWS_WITH_AS(starfmm::write_snapshot("a.hdf5", {}), hdf5.c_str(), InputError);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(starfmm::read_snapshot("a.hdf5")), hdf5.c_str(), InputError
    );
    CHECK_THROWS_WITH_AS(
        static_cast<void>(starfmm::read_particles("a.hdf5")), hdf5.c_str(), InputError
    );
    const std::string png = "a.png: this build writes no PNG files: install libpng (libpng-dev), "
                            "configure with -DSTARFMM_WITH_PNG=ON and build again";
    CHECK_THROWS_WITH_AS(starfmm::check_png("a.png"), png.c_str(), InputError);
    CHECK_THROWS_WITH_AS(starfmm::write_png("a.png", {}), png.c_str(), InputError);
}
