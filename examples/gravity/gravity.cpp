// SPDX-License-Identifier: BSD-3-Clause
// This driver sums softened gravity directly, and compares its times with a performance model.
#include "examples/cli/cli.hpp"
#include "examples/gravity/gravity_driver.hpp"

namespace {

constexpr starfmm::OptionOf<starfmm::GravityDriverOptions> model_options[]{
    {"model",
     "N",
     "instead of a run, measured and predicted times of 1024 bodies to N (default: 0)",
     [](auto& o, const auto& a) { o.model = a.integer(0, starfmm::max_points); }},
};

const starfmm::DriverText text{
    "gravity",
    "Gravity of every body on every other, by direct summation.",
    {"--n 1e5 --precision single --check 100",
     "--n 1e6 --precision single --gpus 4 --warmup 1 --repeat 5 --json run.json",
     "--input bodies.csv --epsilon 0 --potential yes --output results.npy",
     "--model 1e5 --repeat 3"}};

int run(int argc, char** argv) {
    const auto options =
        starfmm::parse_gravity_options(argc, argv, text, {{"Model", model_options}});
    if (!options) {
        return 0;
    }
    if (options->model > 0) {
        starfmm::print_model(*options);
        return 0;
    }
    const starfmm::Bodies bodies = starfmm::make_bodies(*options);
    starfmm::Accelerations results;
    const auto report = starfmm::run_gravity(*options, bodies, results);
    return starfmm::finish(report, results);
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
