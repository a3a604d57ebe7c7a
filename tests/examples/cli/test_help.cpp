// SPDX-License-Identifier: BSD-3-Clause
// What the drivers' help offers is what they take: its examples run, shrunk, and its files appear.
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

const std::vector<std::string>& drivers() {
    static const std::vector<std::string> all{
        "pyramid2d", "laplace3d", "plug_in_kernel", "gravity", "nearfield", "nbody"};
    return all;
}

std::string help_of(const std::string& driver) {
    const ProgramResult run = run_program(driver, "--help");
    REQUIRE(run.exit_code == 0);
    return run.out;
}

std::vector<std::string> examples_in(const std::string& help) {
    std::vector<std::string> lines;
    std::istringstream text(help.substr(help.find("\nExamples:\n") + 11));
    for (std::string line; std::getline(text, line) && line.starts_with("  ");) {
        lines.push_back(line.substr(2));
    }
    return lines;
}

/// The same command line for a few points on one core.
std::string shrunk(const std::string& example, const std::string& driver) {
    static const std::map<std::string, std::string> small{
        {"--n", "300"},
        {"--gpus", "0"},
        {"--cpus", "1"},
        {"--check", "50"},
        {"--per-box", "4"},
        {"--height", "2"},
        {"--steps", "3"},
        {"--snapshot-every", "2"},
        {"--picture-every", "2"}};
    std::istringstream words(example);
    std::string result;
    for (std::string word; words >> word;) {
        result += (result.empty() ? "" : " ") + word;
        if (const auto found = small.find(word); found != small.end()) {
            words >> word;
            result += " " + found->second;
        }
    }
    for (const std::string option : {"--gpus", "--cpus"}) {
        if (result.find(option) == std::string::npos) {
            result += " " + option + " " + small.at(option);
        }
    }
    const auto lacks = [&result](const std::string& option) {
        return result.find(option + " ") == std::string::npos;
    };
    if (driver == "nearfield") {
        return result + (lacks("--height") ? " --height 2" : "");
    }
    const bool has_default =
        driver.ends_with("2d") || driver.ends_with("3d") || driver == "plug_in_kernel";
    return result + (has_default && lacks("--n") && lacks("--input") ? " --n 300" : "");
}

/// Runs it in the folder as a user would, the drivers being in the PATH.
int run_in(const TemporaryFolder& folder, const std::string& line) {
    const std::string programs = std::filesystem::path(path_of_program("x")).parent_path();
    const std::string command = "cd '" + folder.file("") + "' && PATH='" + programs + "':$PATH " +
                                line + " >out 2>err </dev/null";
    const int status = std::system(command.c_str()); // NOLINT(cert-env33-c): as a user does
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/// Names of options that the help offers with FILE.
std::vector<std::string> file_options(const std::string& help) {
    std::vector<std::string> names;
    std::istringstream text(help);
    for (std::string word, last; text >> word; last = word) {
        if (word == "FILE" && last.starts_with("--")) {
            names.push_back(last);
        }
    }
    return names;
}

bool is_input(const std::string& option) {
    return option.find("input") != std::string::npos || option == "--restart";
}

const std::map<std::string, std::string>& suffixes() {
    static const std::map<std::string, std::string> all{
        {"--output", ".npy"},
        {"--mesh", ".svg"},
        {"--snapshot", ".hdf5"},
        {"--picture", ".png"},
        {"--log", ".csv"},
        {"--json", ".json"},
        {"--trace", ".txt"}};
    return all;
}

} // namespace

TEST_CASE("help: every example runs") {
    for (const std::string& driver : drivers()) {
        const auto examples = examples_in(help_of(driver));
        CHECK(examples.size() >= 3);
        const TemporaryFolder folder; // shared: later examples may go on from earlier ones' files
        REQUIRE(!folder.file("points.csv", "x,y,q\n0,0,1\n3,4,2\n1,1,1\n").empty());
        REQUIRE(!folder.file("charges.csv", "x,y,z,q\n0,0,0,1\n3,4,0,2\n").empty());
        REQUIRE(!folder.file("where.csv", "x,y,z\n0,0,2\n").empty());
        REQUIRE(!folder.file("bodies.csv", "x,y,z,m\n0,0,0,1\n3,4,0,2\n").empty());
        for (const std::string& example : examples) {
            CHECK(example.find(driver + " --") != std::string::npos);
            const std::string line = shrunk(example, driver);
            const int exit_code = run_in(folder, line);
            CAPTURE(line);
            CAPTURE(folder.bytes("err"));
            CHECK(exit_code == 0);
        }
    }
}

TEST_CASE("help: every file that is offered is read or written") {
    for (const std::string& driver : drivers()) {
        const auto names = file_options(help_of(driver));
        CHECK(names.size() >= 2);
        for (const std::string& name : names) {
            CAPTURE(driver);
            CAPTURE(name);
            const TemporaryFolder folder;
            if (is_input(name)) {
                const std::string missing = folder.file("missing.npy");
                const ProgramResult run = run_program(driver, name + " " + missing + " --gpus 0");
                CHECK(run.exit_code == 2);
                CHECK(run.err.find(missing) != std::string::npos);
                continue;
            }
            const std::string file = folder.file("a" + suffixes().at(name));
            const std::string line = shrunk(driver + " " + name + " " + file, driver);
            const bool has_points = line.find(" --n ") != std::string::npos;
            const std::string some = driver == "nearfield" ? " --per-box 4"
                                     : has_points          ? ""
                                                           : " --n 300";
            const std::string few = driver == "nbody" ? " --steps 2" : "";
            const bool is_tuned = driver == "pyramid2d" || driver == "laplace3d";
            const std::string fast = is_tuned ? " --tune off" : "";
            REQUIRE(run_in(folder, line + some + few + fast) == 0);
            CHECK(std::filesystem::file_size(file) > 10);
        }
    }
}

TEST_CASE("help: plug_in_kernel always compares, and lacks what its kernel does not have") {
    const std::string help = help_of("plug_in_kernel");
    CHECK(help.find("with --check 0 at 1000 targets") != std::string::npos);
    const ProgramResult run = run_program("plug_in_kernel", "--n 1500 --gpus 0 --cpus 1");
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("exact sums at 1000 targets") != std::string::npos);
    for (const std::string lacking : {"--kernel", "--strengths", "--gradient"}) {
        CHECK(help.find(lacking) == std::string::npos);
    }
}

namespace {

/// Another name for the file `path`, in the way number `way`.
std::string other_name(const std::string& path, const std::string& name, int way) {
    if (way == 0) {
        std::filesystem::create_symlink(path, name);
    } else {
        std::filesystem::create_hard_link(path, name);
    }
    return name;
}

/// The driver refuses `first` and `output` for the same file, and leaves it as it was.
void check_same_file(
    const std::string& driver, const std::string& first, const std::string& output, int way
) {
    const TemporaryFolder folder;
    const std::string suffix =
        is_input(first) ? (driver == "nbody" ? ".hdf5" : ".csv") : suffixes().at(first);
    const std::string path = folder.file("a" + suffix, "precious");
    const std::string name = other_name(path, folder.file("b" + suffixes().at(output)), way);
    const ProgramResult run =
        run_program(driver, first + " " + path + " " + output + " " + name + " --gpus 0");
    CAPTURE(driver);
    CAPTURE(first);
    CAPTURE(output);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.err.find(": is the same file as --") != std::string::npos);
    CHECK(folder.bytes("a" + suffix) == "precious");
}

} // namespace

TEST_CASE("help: no file is written that is read or another output, by whatever name") {
    for (const std::string& driver : drivers()) {
        const auto names = file_options(help_of(driver));
        for (std::size_t i = 0; i < names.size(); ++i) {
            for (std::size_t j = 0; j < names.size(); ++j) {
                const bool goes_on = names[i] == "--restart" && names[j] == "--snapshot";
                const bool is_pair = is_input(names[i]) || i < j;
                if (!is_input(names[j]) && is_pair && !goes_on) {
                    check_same_file(driver, names[i], names[j], 0);
                    check_same_file(driver, names[i], names[j], 1);
                }
            }
        }
    }
}

TEST_CASE("help: drivers offer what is theirs") {
    const std::string plug_in = help_of("plug_in_kernel");
    CHECK(plug_in.find("--kernel") == std::string::npos);
    const ProgramResult other = run_program("plug_in_kernel", "--kernel log2d");
    CHECK(other.exit_code == 2);
    CHECK(other.err == "plug_in_kernel: error: --kernel: unknown option; --help lists all\n");
    const ProgramResult own = run_program("plug_in_kernel", "--n 100 --json /dev/stdout --quiet");
    CHECK(own.exit_code == 0);
    CHECK(own.out.find(R"("kernel": "dipole")") != std::string::npos);
    CHECK(help_of("gravity").find("under mpirun, how ranks exchange") != std::string::npos);
    for (const std::string& driver : drivers()) {
        CHECK(help_of(driver).find("\n  --quiet ") != std::string::npos);
        CHECK(help_of(driver).find("\n  --heartbeat S ") != std::string::npos);
    }
}
