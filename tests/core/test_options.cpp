// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/options.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using starfmm::InputError;
using starfmm::PlanOptions;
using starfmm::RuntimeOptions;

namespace {

template <class Options, class Set>
void check_rejected(Set set, const std::string& message) {
    Options options;
    set(options);
    CAPTURE(message);
    CHECK_THROWS_WITH_AS(options.validate(), message.c_str(), InputError);
}

template <class Set>
void check_plan(Set set, const std::string& message) {
    check_rejected<PlanOptions>(set, message);
}

} // namespace

TEST_CASE("options: defaults are valid") {
    CHECK_NOTHROW(PlanOptions{}.validate());
    CHECK_NOTHROW(RuntimeOptions{}.validate());
}

TEST_CASE("options: what is in range is accepted, ends included") {
    for (const int groups : {0, 1, 4, 16, 64}) {
        PlanOptions options;
        options.groups = groups;
        CHECK_NOTHROW(options.validate());
    }
    PlanOptions options;
    options.order = 64;
    options.levels = 15;
    options.leaf_size = 1;
    options.theta = 1e-3;
    options.tolerance = 1e-16;
    CHECK_NOTHROW(options.validate());
}

TEST_CASE("options: what is not given is automatic") {
    const PlanOptions options;
    CHECK(options.method == starfmm::Method::automatic);
    CHECK(options.tuning == starfmm::Tuning::measured);
    CHECK(options.theta == -1);
    CHECK(options.order == 0);
    CHECK(options.levels == -1);
    CHECK(options.leaf_size == 0);
}

TEST_CASE("options: a tree that is left open is an octree in space, and no other serves there") {
    using starfmm::TreeKind;
    CHECK(PlanOptions{}.with_tree(2).tree == TreeKind::pyramid);
    CHECK(PlanOptions{}.with_tree(3).tree == TreeKind::orthtree);
    CHECK(PlanOptions{.levels = 3}.with_tree(3).tree == TreeKind::orthtree);
    CHECK(PlanOptions{.tree = TreeKind::orthtree}.with_tree(2).tree == TreeKind::orthtree);
    CHECK_THROWS_WITH_AS(
        PlanOptions{.tree = TreeKind::pyramid}.validate(3),
        "tree = pyramid: of the plane; in space an octree serves",
        starfmm::InputError
    );
    CHECK_THROWS_WITH_AS(
        PlanOptions{.levels = 3}.validate(3),
        "levels = 3: of a pyramid; in space an octree serves, which is as deep as leaf_size makes "
        "it",
        starfmm::InputError
    );
    CHECK_NOTHROW(PlanOptions{.roots = 5}.validate(3));
    CHECK_NOTHROW(PlanOptions{.groups = 7}.validate(3)); // runs along the curve
    CHECK_THROWS_AS(PlanOptions{.groups = 65}.validate(3), starfmm::InputError);
    check_plan(
        [](PlanOptions& o) { o.roots = 5; },
        "roots = 5: of an octree; a pyramid divides points at medians"
    );
}

TEST_CASE("options: OpenCL devices work beside cores alone") {
    const auto check = [](int cpus, int gpus, int opencl, const std::string& message) {
        check_rejected<RuntimeOptions>(
            [=](RuntimeOptions& o) {
                o.cpus = cpus;
                o.gpus = gpus;
                o.opencl = opencl;
            },
            message
        );
    };
    check(0, -1, 1, "cpus = 0 and opencl = 1: trees, and most of their operators, need a core");
    check(1, 1, 1, "gpus = 1 and opencl = 1: OpenCL devices work beside cores alone");
    check(1, 0, 9, "opencl = 9: must be in [0, 8]");
    check(1, 0, -1, "opencl = -1: must be in [0, 8]");
}

TEST_CASE("options: tolerance and theta are in (0, 1)") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string range = ": must be in (0, 1)";
    check_plan([](PlanOptions& o) { o.tolerance = 0; }, "tolerance = 0" + range);
    check_plan([](PlanOptions& o) { o.tolerance = -1e-6; }, "tolerance = -1e-06" + range);
    check_plan([](PlanOptions& o) { o.tolerance = 1; }, "tolerance = 1" + range);
    check_plan([=](PlanOptions& o) { o.tolerance = nan; }, "tolerance = nan" + range);
    check_plan([](PlanOptions& o) { o.theta = 0; }, "theta = 0" + range);
    check_plan([](PlanOptions& o) { o.theta = 1; }, "theta = 1" + range);
    check_plan([](PlanOptions& o) { o.theta = -0.5; }, "theta = -0.5" + range);
    check_plan([=](PlanOptions& o) { o.theta = nan; }, "theta = nan" + range);
}

TEST_CASE("options: order, leaf size, levels and groups have ranges") {
    check_plan([](PlanOptions& o) { o.order = 65; }, "order = 65: must be in [0, 64]");
    check_plan([](PlanOptions& o) { o.order = -1; }, "order = -1: must be in [0, 64]");
    check_plan([](PlanOptions& o) { o.leaf_size = 0.5; }, "leaf_size = 0.5: must be in [1, 1e+06]");
    check_plan([](PlanOptions& o) { o.levels = 16; }, "levels = 16: must be in [-1, 15]");
    check_plan([](PlanOptions& o) { o.epsilon = -1; }, "epsilon = -1: must be in [0, 1e+150]");
    const auto check_quadtree = [](auto change, const std::string& message) {
        check_plan(
            [&](PlanOptions& o) {
                o.tree = starfmm::TreeKind::orthtree;
                change(o);
            },
            message
        );
    };
    check_quadtree(
        [](PlanOptions& o) { o.levels = 3; },
        "levels = 3: of a pyramid; a quadtree is as deep as leaf_size makes it"
    );
    check_plan([](PlanOptions& o) { o.levels = -2; }, "levels = -2: must be in [-1, 15]");
    check_plan(
        [](PlanOptions& o) { o.groups = 3; }, "groups = 3: must be 1, 4, 16 or 64 (or 0: automatic)"
    );
}

TEST_CASE("options: a runtime has a worker") {
    check_rejected<RuntimeOptions>(
        [](RuntimeOptions& o) { o.cpus = o.gpus = 0; },
        "cpus = 0 and gpus = 0: at least one worker is needed"
    );
    check_rejected<RuntimeOptions>(
        [](RuntimeOptions& o) { o.cpus = -2; }, "cpus = -2: must be in [-1, 1024]"
    );
    check_rejected<RuntimeOptions>(
        [](RuntimeOptions& o) { o.gpus = 65; }, "gpus = 65: must be in [-1, 64]"
    );
    check_rejected<RuntimeOptions>(
        [](RuntimeOptions& o) { o.streams = 0; }, "streams = 0: must be in [1, 8]"
    );
}
