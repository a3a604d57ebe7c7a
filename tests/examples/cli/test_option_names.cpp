// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/options.hpp"
#include "examples/cli/option_names.hpp"
#include "schedulers/plan/gravity_tree.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using starfmm::in_options;
using starfmm::name_now;
using starfmm::nearest_option;

namespace {

std::string message_of(const std::function<void()>& use) {
    try {
        use();
    } catch (const starfmm::InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("option_names: fields of the library are named as their options") {
    CHECK(in_options("leaf_size = 0.5: must be in [1, 2]") == "--leaf-size 0.5: must be in [1, 2]");
    CHECK(
        in_options("own_error and heavy_theta: either") == "--own-error and --heavy-theta: either"
    );
    CHECK(in_options("own_error: of a tree") == "--own-error: of a tree");
    CHECK(
        in_options("cpus = 0 and gpus = 0: at least one worker is needed") ==
        "--cpus 0 and --gpus 0: at least one worker is needed"
    );
    CHECK(
        in_options("few boxes: a larger leaf_size, or groups = 1") ==
        "few boxes: a larger --leaf-size, or --groups 1"
    );
    CHECK(in_options("a: is 4; Space::open takes it") == "a: is 4; --open takes it");
}

TEST_CASE("option_names: those of the last version are known by what they are called now") {
    CHECK(name_now("ncrit") == "leaf-size");
    CHECK(name_now("ndirect") == "leaf-size");
    CHECK(name_now("log") == "log2d");
    CHECK(name_now("harmonic") == "harmonic2d");
    for (const std::string other : {"leaf-size", "--ncrit", "ncrit=3", "log2d", "n", ""}) {
        CHECK(name_now(other).empty());
    }
}

TEST_CASE("option_names: words, files and options stay as they are") {
    for (const std::string text :
         {"no order serves: use a larger tolerance, a smaller theta, or an order of your own",
          "leaf_size.csv: cannot be read",
          "/tmp/own_error/a.csv:3: a finite number is expected",
          "--tol 2: must be in (0, 1)",
          "STARPU_NCPU = 0: no worker is left",
          "extent = 3: must be at least 4",
          "'leaf_size' is a name",
          ""}) {
        CHECK(in_options(text) == text);
    }
}

TEST_CASE("option_names: what the library refuses is said of options alone") {
    const auto refused = [](const std::function<void(starfmm::PlanOptions&)>& change) {
        return in_options(message_of([&change] {
            starfmm::PlanOptions options;
            change(options);
            options.validate(3);
        }));
    };
    CHECK(refused([](auto& o) { o.tolerance = 2; }) == "--tol 2: must be in (0, 1)");
    CHECK(refused([](auto& o) { o.leaf_size = -1; }) == "--leaf-size -1: must be in [1, 1e+06]");
    CHECK(refused([](auto& o) { o.heavy_theta = 2; }) == "--heavy-theta 2: must be in (0, 1)");
    CHECK(refused([](auto& o) { o.groups = 99; }) == "--groups 99: must be in [0, 64]");
    const auto tree = [](const std::function<void(starfmm::GravityTreeOptions&)>& change) {
        return in_options(message_of([&change] {
            starfmm::GravityTreeOptions options;
            change(options);
            options.validate();
        }));
    };
    CHECK(tree([](auto& o) { o.tolerance99 = 2; }) == "--tol99 2: must be in (0, 1]");
    CHECK(tree([](auto& o) { o.own_error = 2; }) == "--own-error 2: must be in (0, 1)");
}

TEST_CASE("option_names: the nearest name is a synonym's, else that of the fewest slips") {
    const std::vector<std::string> offered{
        "cpus", "tol", "kernel", "targets", "n", "leaf-size", "json"};
    CHECK(nearest_option("threads", offered) == "cpus");
    CHECK(nearest_option("tolerance", offered) == "tol");
    CHECK(nearest_option("bodies", offered) == "n");
    CHECK(nearest_option("leaf_size", offered) == "leaf-size");
    CHECK(nearest_option("kernal", offered) == "kernel");
    CHECK(nearest_option("target", offered) == "targets");
    CHECK(nearest_option("jsn", offered) == "json");
    for (const std::string far : {"foo", "m", "targ", "verbose", ""}) {
        CHECK(nearest_option(far, offered).empty());
    }
    CHECK(nearest_option("threads", std::vector<std::string>{"tol"}).empty());
}
