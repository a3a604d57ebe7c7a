// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "examples/cli/cli.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

using starfmm::Distribution;
using starfmm::DriverOptions;
using starfmm::InputError;
using starfmm::Method;
using starfmm::OutputError;
using starfmm::parse_command_line;
using starfmm::Precision;
using starfmm::run_driver;
using starfmm::StrengthSign;
using starfmm::StrengthType;

namespace {

std::string printed(const std::string& option) {
    CommandLine line({option});
    const Captured output(std::cout);
    CHECK_FALSE(parse_command_line(line.argc(), line.argv(), test_driver, {}).has_value());
    return output.text();
}

} // namespace

TEST_CASE("cli: without options the defaults of the library hold") {
    const DriverOptions options = parse({});
    CHECK(options.n == 1'000'000);
    CHECK(options.targets == 0);
    CHECK(options.distribution == Distribution::uniform);
    CHECK(options.sigma == 0.1);
    CHECK(options.kernel == "harmonic2d");
    CHECK(options.plan.method == Method::automatic);
    CHECK(options.plan.tolerance == 1e-6);
    CHECK(options.plan.order == 0);
    CHECK(options.plan.levels == -1);
    CHECK(options.runtime.cpus == -1);
    CHECK(options.precision == Precision::double_precision);
    CHECK(options.repeat == 1);
    CHECK(options.warmup == 0);
    CHECK(options.check == 0);
}

TEST_CASE("cli: in space the kernel is Laplace's and the tree an octree") {
    const DriverOptions options = parse({}, 3);
    CHECK(options.dimension == 3);
    CHECK(options.kernel == "laplace3d");
    CHECK(options.plan.with_tree(3).tree == starfmm::TreeKind::orthtree);
    CHECK(parse({}).dimension == 2);
    CHECK(parse({"--gradient"}, 3).gradient);
    CHECK(parse({"--distribution", "sphere"}, 3).distribution == Distribution::circle);
    CHECK(parse({"--tree", "octree"}, 3).plan.tree == starfmm::TreeKind::orthtree);
    CHECK(parse({"--groups", "7"}, 3).plan.groups == 7);
}

TEST_CASE("cli: what only the other dimension has is rejected") {
    const std::string rest = ": must be ";
    check_message({"--tree", "octree"}, "--tree octree" + rest + "pyramid or quadtree");
    check_message({"--tree", "quadtree"}, "--tree quadtree" + rest + "pyramid or octree", 3);
    check_message({"--groups", "8"}, "--groups 8" + rest + "auto, 1, 4, 16 or 64");
    check_message({"--groups", "65"}, "--groups 65: must be <= 64", 3);
    const std::string serves = "of the plane; in space an octree serves";
    check_message({"--tree", "pyramid"}, "tree = pyramid: " + serves, 3);
    check_message({"--tree", "pyramid", "--levels", "3"}, "tree = pyramid: " + serves, 3);
    check_message(
        {"--levels", "2"},
        "levels = 2: of a pyramid; in space an octree serves, which is as deep as leaf_size makes "
        "it",
        3
    );
    check_message(
        {"--distribution", "circle"},
        "distribution 'circle': must be uniform, normal, layer, sphere, plummer or lattice",
        3
    );
    check_message({"--gradient", "--strengths", "complex"}, "--gradient: needs real strengths", 3);
}

TEST_CASE("cli: options of points reach the driver") {
    const DriverOptions options = parse(
        {"--n",
         "1e6",
         "--targets=25e1",
         "--distribution",
         "circle",
         "--sigma",
         "0.25",
         "--seed",
         "18446744073709551615",
         "--strengths",
         "complex",
         "--sign",
         "positive"}
    );
    CHECK(options.n == 1'000'000);
    CHECK(options.targets == 250);
    CHECK(options.distribution == Distribution::circle);
    CHECK(options.sigma == 0.25);
    CHECK(options.seed == 18446744073709551615ULL);
    CHECK(options.strength_type == StrengthType::complex);
    CHECK(options.strength_sign == StrengthSign::positive);
    CHECK(parse({"--n", "4294967295"}).n == 4294967295);
    CHECK(parse({"--n", "+7"}).n == 7);
}

TEST_CASE("cli: options of the method reach the plan") {
    const DriverOptions options = parse(
        {"--kernel",
         "log2d",
         "--method",
         "direct",
         "--precision",
         "single",
         "--tol",
         "1e-3",
         "--order",
         "12",
         "--theta",
         "0.6",
         "--leaf-size",
         "45.5"}
    );
    CHECK(options.kernel == "log2d");
    CHECK(options.plan.method == Method::direct);
    CHECK(options.precision == Precision::single_precision);
    CHECK(options.plan.tolerance == 1e-3);
    CHECK(options.plan.order == 12);
    CHECK(options.plan.theta == 0.6);
    CHECK(options.plan.leaf_size == 45.5);
    CHECK(parse({"--levels", "0"}).plan.levels == 0);
    CHECK(parse({"--order", "auto"}).plan.order == 0);
}

TEST_CASE("cli: options of the run reach the runtime") {
    const DriverOptions options = parse(
        {"--cpus",
         "2",
         "--gpus",
         "0",
         "--scheduler",
         "dmdas",
         "--groups",
         "16",
         "--repeat",
         "5",
         "--warmup",
         "1",
         "--check",
         "1e3"}
    );
    CHECK(options.runtime.cpus == 2);
    CHECK(options.runtime.gpus == 0);
    CHECK(options.runtime.scheduler == "dmdas");
    CHECK(options.plan.groups == 16);
    CHECK(options.repeat == 5);
    CHECK(options.warmup == 1);
    CHECK(options.check == 1000);
    CHECK(parse({"--groups", "auto"}).plan.groups == 0);
    CHECK(parse({"--groups", "64"}).plan.groups == 64);
    CHECK(parse({"--cpus", "auto", "--gpus", "auto"}).runtime.gpus == -1);
}

TEST_CASE("cli: names of files reach the driver, and no file is left behind") {
    const TemporaryFolder folder;
    const DriverOptions options = parse(
        {"--input",
         "a.npy",
         "--target-input",
         "b.csv",
         "--output",
         folder.file("c.npy"),
         "--json",
         folder.file("d"),
         "--trace",
         folder.file("e"),
         "--mesh",
         folder.file("f.svg")}
    );
    CHECK(options.input == "a.npy");
    CHECK(options.target_input == "b.csv");
    CHECK(options.output == folder.file("c.npy"));
    CHECK(options.json == folder.file("d"));
    CHECK(options.trace == folder.file("e"));
    CHECK(options.mesh == folder.file("f.svg"));
    CHECK(folder.n_files() == 0);
    CHECK(parse({"--json", "/dev/null", "--trace", "/dev/null"}).json == "/dev/null");
}

TEST_CASE("cli: unknown options, abbreviations and other words are rejected") {
    check_message({"--foo"}, "--foo: unknown option; --help lists all");
    check_message({"--foo=3"}, "--foo: unknown option; --help lists all");
    check_message({"--targ", "3"}, "--targ: unknown option; --help lists all");
    const auto meant = [](const std::string& name, const std::string& option) {
        const std::string unknown = "--" + name + ": unknown option: did you mean --" + option;
        check_message({"--" + name, "3"}, unknown + "?; --help lists all");
    };
    meant("target", "targets");
    meant("kernal", "kernel");
    meant("threads", "cpus");
    meant("tolerance", "tol");
    check_message({"10"}, "'10': unexpected argument; options start with --");
    check_message({"-n", "10"}, "'-n': unexpected argument; options start with --");
    check_message({"--n", "10", "20"}, "'20': unexpected argument; options start with --");
}

TEST_CASE("cli: options that contradict each other are rejected, others are not") {
    const std::string only_one = ": only one can be given";
    check_message({"--leaf-size", "45", "--levels", "3"}, "--leaf-size and --levels" + only_one);
    check_message({"--input", "a.npy", "--n", "5"}, "--input and --n" + only_one);
    check_message(
        {"--input", "a.npy", "--strengths", "real"}, "--input and --strengths" + only_one
    );
    check_message({"--input", "a.npy", "--sign", "random"}, "--input and --sign" + only_one);
    check_message(
        {"--target-input", "a.npy", "--targets", "5"}, "--target-input and --targets" + only_one
    );
    const DriverOptions both = parse({"--order", "10", "--tol", "1e-4"});
    CHECK(both.plan.order == 10);
    CHECK(both.plan.tolerance == 1e-4);
}

TEST_CASE("cli: files that cannot be read or written by name are rejected at once") {
    const TemporaryFolder folder;
    const auto same = [](const std::string& first,
                         const std::string& a,
                         const std::string& output,
                         const std::string& b) {
        check_message(
            {first, a, output, b},
            output + " " + b + ": is the same file as " + first + " " + a + ": choose another name"
        );
    };
    const std::string path = folder.file("a.csv");
    same("--input", path, "--output", path);
    same("--target-input", path, "--output", path);
    same("--output", path, "--json", path);
    same("--output", path, "--json", folder.file("./a.csv")); // neither is there yet
    std::filesystem::create_directory_symlink(folder.file(""), folder.file("here"));
    same("--output", path, "--json", folder.file("here/a.csv"));
    same("--input", folder.file("here/here/a.csv"), "--output", path);
    std::filesystem::remove(folder.file("here"));
    for (const std::string option : {"--input", "--target-input", "--output"}) {
        check_message(
            {option, "a.txt"}, "a.txt: unknown extension '.txt': .npy or .csv is expected"
        );
    }
    for (const std::string name : {"a.trace", "a.paje"}) {
        check_message({"--trace", name}, "--trace " + name + ": must end in .json, .html or .txt");
    }
    for (const std::string option : {"--output", "--json", "--trace", "--mesh"}) {
        const std::string missing =
            folder.file("no") + (option == "--output" ? "/a.csv" : "/a.json");
        const std::string message = option + " " + missing + ": cannot be written: folder " +
                                    folder.file("no") + " does not exist";
        CHECK_THROWS_WITH_AS(parse({option, missing}), message.c_str(), OutputError);
    }
    CHECK(folder.n_files() == 0);
}

TEST_CASE("cli: help lists every option, its default and the examples") {
    const std::string help = printed("--help");
    CHECK(help.starts_with("Usage: driver [options]\n"));
    for (const std::string option :
         {"n N",
          "targets M",
          "distribution NAME",
          "sigma S",
          "seed S",
          "strengths TYPE",
          "sign SIGN",
          "input FILE",
          "target-input FILE",
          "output FILE",
          "json FILE",
          "trace FILE",
          "mesh FILE",
          "kernel NAME",
          "method NAME",
          "precision NAME",
          "tol T",
          "order P",
          "theta T",
          "leaf-size N",
          "levels L",
          "tune HOW",
          "cpus C",
          "gpus G",
          "scheduler NAME",
          "groups K",
          "repeat R",
          "warmup W",
          "check K",
          "quiet ",
          "heartbeat S",
          "help ",
          "version "}) {
        CAPTURE(option);
        CHECK(help.find("  --" + option) != std::string::npos);
    }
    std::size_t n_examples = 0;
    for (std::size_t at = 0; (at = help.find("\n  driver --", at)) != std::string::npos; ++at) {
        ++n_examples;
    }
    CHECK(n_examples == 2);
    CHECK(printed("-h") == help);
}

TEST_CASE("cli: flags take no value, and options that a driver lacks are unknown") {
    CHECK(parse({"--quiet"}).telling.quiet);
    CHECK_FALSE(parse({}).telling.quiet);
    CHECK(parse({"--heartbeat", "2.5"}).telling.heartbeat_s == 2.5);
    CHECK(parse({}).telling.heartbeat_s == 60);
    check_message({"--quiet=1"}, "--quiet: takes no value");
    check_message({"--quiet", "1"}, "'1': unexpected argument; options start with --");
    check_message({"--heartbeat=-1"}, "--heartbeat -1: must be >= 0");
    starfmm::DriverText driver = test_driver;
    driver.lacking = {"json", "kernel"};
    CommandLine line({"--json", "a.json"});
    CHECK_THROWS_WITH_AS(
        (void)parse_command_line(line.argc(), line.argv(), driver, {}),
        "--json: unknown option; --help lists all",
        InputError
    );
    CommandLine help({"--help"});
    const Captured output(std::cout);
    CHECK_FALSE(parse_command_line(help.argc(), help.argv(), driver, {}).has_value());
    CHECK(output.text().find("--json") == std::string::npos);
    CHECK(output.text().find("--kernel") == std::string::npos);
    CHECK(output.text().find("--trace") != std::string::npos);
}

TEST_CASE("cli: help prevails over wrong values, version is one line") {
    CommandLine line({"--n", "0", "--help"});
    const Captured output(std::cout);
    CHECK_FALSE(parse_command_line(line.argc(), line.argv(), test_driver, {}).has_value());
    const std::string version = printed("--version");
    CHECK(version.starts_with("driver (starfmm) "));
    CHECK(version.back() == '\n');
}

TEST_CASE("cli: exit codes and messages follow the kind of failure") {
    CommandLine line({});
    const auto exit_of = [&line](int (*body)(int, char**), const std::string& message) {
        const Captured output(std::cerr);
        const int exit_code = run_driver(line.argc(), line.argv(), body);
        CHECK(output.text() == message);
        return exit_code;
    };
    CHECK(exit_of([](int, char**) { return 0; }, "") == 0);
    CHECK(exit_of([](int, char**) { return 1; }, "") == 1);
    CHECK(exit_of([](int argc, char**) { return argc + 41; }, "") == 42);
    const std::string start = "driver: error: ";
    CHECK(exit_of([](int, char**) -> int { throw InputError("i"); }, start + "i\n") == 2);
    CHECK(exit_of([](int, char**) -> int { throw OutputError("o"); }, start + "o\n") == 2);
    CHECK(exit_of([](int, char**) -> int { throw starfmm::WriteError("w"); }, start + "w\n") == 3);
    CHECK(exit_of([](int, char**) -> int { throw starfmm::MemoryError("m"); }, start + "m\n") == 3);
    CHECK(exit_of([](int, char**) -> int { throw starfmm::CudaError("c"); }, start + "c\n") == 3);
    CHECK(exit_of([](int, char**) -> int { throw std::logic_error("l"); }, start + "l\n") == 3);
    CHECK(
        exit_of(
            [](int, char**) -> int { throw std::bad_alloc(); },
            start + "out of memory: fewer points need less\n"
        ) == 3
    );
}

TEST_CASE("cli: standard output that cannot be written is a failure") {
    CommandLine line({});
    const Captured errors(std::cerr);
    const Captured output(std::cout);
    const int exit_code = run_driver(line.argc(), line.argv(), [](int, char**) {
        std::cout.setstate(std::ios::badbit); // as on a full disk
        return 0;
    });
    std::cout.clear();
    CHECK(exit_code == 3);
    CHECK(errors.text() == "driver: error: standard output: cannot be written\n");
}
