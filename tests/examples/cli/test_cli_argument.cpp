// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/command_line.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("cli_argument: texts that are not the number expected are rejected") {
    for (const std::string text : {"ten", "10x", "1e", "0x10", "nan", "inf", "1 0", "+"}) {
        check_message({"--n=" + text}, "--n " + text + ": must be a number");
        check_message({"--tol=" + text}, "--tol " + text + ": must be a number");
    }
    check_message({"--n", "1.5"}, "--n 1.5: must be a whole number");
    check_message({"--order", "1e-3"}, "--order 1e-3: must be a whole number");
}

TEST_CASE("cli_argument: numbers of points out of range are rejected") {
    check_message({"--n", "-5"}, "--n -5: must be >= 1");
    check_message({"--n", "0"}, "--n 0: must be >= 1");
    const std::string large = ": must be <= 4294967295 (indices are 32 bits)";
    check_message({"--n", "4294967296"}, "--n 4294967296" + large);
    check_message({"--n", "1e10"}, "--n 1e10" + large);
    check_message({"--n", "1e300"}, "--n 1e300" + large);
    check_message({"--n", "99999999999999999999"}, "--n 99999999999999999999" + large);
    check_message({"--targets", "-1"}, "--targets -1: must be >= 0");
    check_message({"--targets", "5e9"}, "--targets 5e9" + large);
}

TEST_CASE("cli_argument: other numbers out of range are rejected") {
    check_message({"--seed", "-1"}, "--seed -1: must be >= 0");
    check_message({"--order", "0"}, "--order 0: must be >= 1");
    check_message({"--order", "65"}, "--order 65: must be <= 64");
    check_message({"--levels", "16"}, "--levels 16: must be <= 15");
    check_message({"--leaf-size", "0"}, "--leaf-size 0: must be >= 1");
    check_message({"--repeat", "0"}, "--repeat 0: must be >= 1");
    check_message({"--warmup", "-1"}, "--warmup -1: must be >= 0");
    check_message({"--check", "-1"}, "--check -1: must be >= 0");
    check_message({"--cpus", "-1"}, "--cpus -1: must be >= 0");
    check_message({"--gpus", "65"}, "--gpus 65: must be <= 64");
    check_message({"--tol", "0"}, "tolerance = 0: must be in (0, 1)");
    check_message({"--theta", "1"}, "theta = 1: must be in (0, 1)");
    check_message(
        {"--cpus", "0", "--gpus", "0"}, "cpus = 0 and gpus = 0: at least one worker is needed"
    );
}

TEST_CASE("cli_argument: what may be automatic says so") {
    CHECK(parse({"--method", "fmm"}).plan.method == starfmm::Method::fmm);
    CHECK(parse({"--method", "auto"}).plan.method == starfmm::Method::automatic);
    CHECK(parse({"--theta", "auto"}).plan.theta == -1);
    CHECK(parse({"--tune", "auto"}).plan.tuning == starfmm::Tuning::measured);
    CHECK(parse({"--tune", "off"}).plan.tuning == starfmm::Tuning::builtin);
    CHECK(parse({"--tune", "again"}).plan.tuning == starfmm::Tuning::again);
    CHECK(parse({}).plan.theta == -1);
    CHECK(parse({}).plan.tuning == starfmm::Tuning::measured);
}

TEST_CASE("cli_argument: unknown names are rejected with the allowed ones") {
    check_message({"--method", "fast"}, "--method fast: must be fmm, direct or auto");
    check_message({"--precision", "half"}, "--precision half: must be double or single");
    check_message({"--strengths", "quaternion"}, "--strengths quaternion: must be real or complex");
    check_message({"--sign", "negative"}, "--sign negative: must be random or positive");
    check_message({"--groups", "8"}, "--groups 8: must be auto, 1, 4, 16 or 64");
    check_message({"--groups", "0"}, "--groups 0: must be auto, 1, 4, 16 or 64");
    check_message(
        {"--distribution", "gauss"},
        "distribution 'gauss': must be uniform, normal, layer, circle, plummer or lattice"
    );
}

TEST_CASE("cli_argument: missing, superfluous and repeated values are rejected") {
    check_message({"--n"}, "--n: a value is expected");
    check_message({"--n="}, "--n: a value is expected");
    check_message({"--n", "--tol", "1e-3"}, "--n: a value is expected");
    check_message({"--n", ""}, "--n '': must be a number");
    check_message({"--json", ""}, "--json '': must be the name of a file");
    check_message({"--help=3"}, "--help: takes no value");
    check_message({"--n", "10", "--n", "20"}, "--n: given twice");
}
