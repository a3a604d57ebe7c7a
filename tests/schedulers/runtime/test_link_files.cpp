// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/link_files.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>; ///< contents by suffix

const Files whole{
    {"affinity", "# GPU\tCPU0\tCPU1\t\n"},
    {"bandwidth", "# to 0\t\tto 1\n0.000000\t1.25e+04\n13000.5\t0.000000\n"},
    {"config", "# Current configuration\n2 # Number of CPUs\n1 # Number of CUDA devices\n"},
    {"latency", "# to 0\t\tto 1\n0.000000\tnan\nnan\t0.000000\n"}};

/// Writes what StarPU measured of a machine.
/// \returns the folder of models
std::string write_models(const TemporaryFolder& folder, const Files& files) {
    fs::create_directories(folder.file("models/bus"));
    for (const auto& [suffix, text] : files) {
        std::ofstream(folder.file("models/bus/node." + suffix)) << text;
    }
    return folder.file("models");
}

std::size_t files_left(const std::string& models) {
    const fs::directory_iterator files(models + "/bus");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

} // namespace

TEST_CASE("link_files: whole ones stay") {
    const TemporaryFolder folder;
    const std::string models = write_models(folder, whole);
    starfmm::remove_damaged_link_files(models);
    CHECK(files_left(models) == whole.size());
    starfmm::remove_damaged_link_files(folder.file("none")); // is no error
}

TEST_CASE("link_files: one that is missing, cut off or garbled takes the machine's others along") {
    for (const auto& file : whole) {
        const auto& suffix = file.first;
        const auto& text = file.second;
        for (const std::string& damaged :
             {std::string(), text.substr(0, text.size() - 1), text + "1.0 x\n"}) {
            const TemporaryFolder folder;
            Files files = whole;
            files[suffix] = damaged;
            const std::string models = write_models(folder, files);
            starfmm::remove_damaged_link_files(models);
            CAPTURE(suffix);
            CAPTURE(damaged);
            CHECK(files_left(models) == 0);
        }
        const TemporaryFolder folder;
        Files files = whole;
        files.erase(suffix);
        const std::string models = write_models(folder, files);
        starfmm::remove_damaged_link_files(models);
        CHECK(files_left(models) == 0);
    }
}
