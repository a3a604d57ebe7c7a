// SPDX-License-Identifier: BSD-3-Clause
// Softened gravity by an octree and Cartesian Taylor expansions.
#include "examples/cli/cli.hpp"
#include "examples/cli/cli_common.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "examples/gravity_tree/tree_driver.hpp"

#include <string_view>

namespace {

using starfmm::GravityDriverOptions;

constexpr starfmm::OptionOf<GravityDriverOptions> tree_table[]{
    {"precision",
     "NAME",
     "double, single, or mixed: pairs in single, all else in double (default: single)",
     [](auto& o, const auto& a) {
         o.tree.precision =
             static_cast<starfmm::GravityPrecision>(a.choice({"double", "single", "mixed"}));
     }},
    {"softening",
     "LAW",
     "plummer, or spline: Newton's beyond 2.8 epsilon (default: plummer)",
     [](auto& o, const auto& a) {
         o.tree.softening = static_cast<starfmm::Softening>(a.choice({"plummer", "spline"}));
     }},
    {"tol",
     "T",
     "median relative error of accelerations: theta, order and ncrit follow (default: 2.6e-3)",
     [](auto& o, const auto& a) { o.tolerance = a.positive(); }},
    {"tol99",
     "T",
     "that of the error which 99 of 100 bodies keep, too (default: 1: any)",
     [](auto& o, const auto& a) { o.tree.tolerance99 = a.positive(); }},
    {"theta",
     "T",
     "separation, larger than 0 and less than 1 (default: by the tolerances)",
     [](auto& o, const auto& a) { o.tree.plan.theta = a.positive(); }},
    {"heavy-theta",
     "T",
     "that of a box of all bodies: a share m of them takes T m^(-1/(order + 2)), up to theta "
     "(default: by the tolerances; with theta or order: theta for all)",
     [](auto& o, const auto& a) { o.tree.plan.heavy_theta = a.positive(); }},
    {"own-error",
     "E",
     "most that a pair of boxes leaves out of a body's acceleration, relative to what attracts it "
     "by a first sum, larger than 0 and less than 1 (default: by theta alone where masses are "
     "alike)",
     [](auto& o, const auto& a) { o.tree.own_error = a.positive(); }},
    {"order",
     "P",
     "order of expansions, 1 to 8 (default: by the tolerances)",
     [](auto& o, const auto& a) {
         o.tree.plan.order = static_cast<int>(a.integer(1, starfmm::largest_cartesian_order));
     }},
    {"ncrit",
     "N",
     "most bodies of a leaf (default: by the order)",
     [](auto& o, const auto& a) {
         o.tree.plan.leaf_size = static_cast<double>(a.integer(1, 1'000'000));
     }},
    {"groups",
     "K",
     "tasks an operator: 1 to 64, or auto (default: auto)",
     [](auto& o, const auto& a) {
         o.tree.plan.groups = static_cast<int>(a.integer_or_auto(1, 64, 0));
     }},
    {"lists",
     "WHO",
     "with GPUs and cores: gpus or cores find the interaction lists, cores while GPUs sum by those "
     "there are, or auto (default: auto: gpus)",
     [](auto& o, const auto& a) {
         o.tree.plan.lists = static_cast<starfmm::Team>(a.choice({"auto", "gpus", "cores"}));
     }},
    starfmm::opencl_option<GravityDriverOptions>,
};

/// Options of direct sums alone, which this driver does not have.
constexpr std::string_view lacking_options[]{
    "precision", "potential", "summation", "target-block", "source-block", "team", "tol"};

const starfmm::DriverText text{
    "gravity_tree",
    "Gravity of every body on every other, by an octree and Cartesian Taylor expansions.",
    {"--n 1e6 --tol 1e-3 --check 1000",
     "--n 1e5 --precision double --order 6 --theta 0.633 --ncrit 100",
     "--input bodies.csv --epsilon 0.01 --tol99 1e-2 --output results.npy",
     "--n 1e6 --warmup 1 --repeat 5 --json run.json --trace run.html"}};

int run(int argc, char** argv) {
    const auto options =
        starfmm::parse_gravity_options(argc, argv, text, {{"Tree", tree_table}}, lacking_options);
    if (!options) {
        return 0;
    }
    static_cast<void>(starfmm::tree_options(*options)); // refused before files are read
    const starfmm::Bodies bodies = starfmm::make_bodies(*options);
    starfmm::Accelerations results;
    const auto report = starfmm::run_gravity_tree(*options, bodies, results);
    return starfmm::finish(report, results);
}

} // namespace

int main(int argc, char** argv) {
    constexpr starfmm::FieldOption own[]{{"leaf_size", "ncrit"}};
    return starfmm::run_driver(argc, argv, run, own);
}
