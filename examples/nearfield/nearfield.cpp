// SPDX-License-Identifier: BSD-3-Clause
// This driver sums near fields of a uniform quadtree or octree along the Z-order curve [SL13].
#include "core/error.hpp"
#include "examples/cli/driver.hpp"
#include "examples/nearfield/points_in_boxes.hpp"

#include <algorithm>
#include <vector>

namespace {

using starfmm::DriverOptions;

const starfmm::DriverText text{
    "nearfield",
    "Near fields of a uniform quadtree or octree: every point with those of its box and of the "
    "boxes that touch it.",
    {"--per-box 512 --check 100",
     "--dimension 3 --height 4 --gradient --implementation improved",
     "--kernel log2d --precision double --json run.json --trace trace.json"}};

/// Names that --law had for gradients.
constexpr const char* former_gradients[]{"gravity", "laplace_gradient"};

/// Sets what is left open by the dimension and the precision.
void complete(DriverOptions& options) {
    const bool is_plane = options.dimension == 2;
    if (std::ranges::find(former_gradients, options.kernel) != std::end(former_gradients)) {
        note(options.telling, "--kernel " + options.kernel + " is laplace3d with --gradient now");
        options.kernel = "laplace3d";
        options.gradient = true;
    }
    if (options.kernel.empty()) {
        options.kernel = is_plane ? "harmonic2d" : "laplace3d";
    }
    if (options.plan.levels < 0) {
        options.plan.levels = is_plane ? 7 : 4;
    }
}

void check(const DriverOptions& options, const starfmm::Kernel& kernel) {
    const auto dimension = static_cast<std::size_t>(options.dimension);
    if (kernel.shape().dimension != options.dimension) {
        throw starfmm::InputError(
            "--kernel " + options.kernel + ": is not of dimension " + std::to_string(dimension)
        );
    }
    starfmm::check_range("height", options.plan.levels, 0, dimension == 2 ? 12 : 8);
    options.plan.validate(options.dimension);
    options.runtime.validate();
    const std::size_t n_boxes = std::size_t(1)
                                << (dimension * static_cast<std::size_t>(options.plan.levels));
    const std::string per_box = "--per-box " + std::to_string(options.per_box);
    if (options.per_box > starfmm::max_points / n_boxes) {
        throw starfmm::InputError(
            per_box + ": must be <= " + std::to_string(starfmm::max_points / n_boxes) + " in " +
            std::to_string(n_boxes) + " boxes (indices are 32 bits)"
        );
    }
    const auto n = static_cast<double>(n_boxes * options.per_box);
    starfmm::check_room(per_box, static_cast<double>(dimension + 1) * sizeof(double) * n);
}

starfmm::Problem problem_of(const DriverOptions& options) {
    using starfmm::points_in_boxes, starfmm::StrengthSign, starfmm::StrengthType;
    const int height = options.plan.levels;
    const auto seed = options.seed;
    starfmm::Problem problem;
    if (options.dimension == 2) {
        problem.sources = points_in_boxes<2>(height, options.per_box, seed);
    } else {
        problem.sources = points_in_boxes<3>(height, options.per_box, seed);
    }
    const std::size_t n = problem.sources.size();
    problem.strengths = {
        starfmm::make_strengths(n, StrengthSign::random, StrengthType::real, seed)};
    return problem;
}

int run(int argc, char** argv) {
    DriverOptions options = starfmm::default_options(starfmm::drivers::near);
    const auto given = starfmm::read_options(argc, argv, text, options);
    if (!given) {
        return 0;
    }
    complete(options);
    // of the sum, which is of all pairs: what rounding should not exceed; only the check has another
    const double usual = options.precision == starfmm::Precision::double_precision ? 1e-11 : 1e-3;
    const double asked = options.plan.tolerance > 0 ? options.plan.tolerance : usual;
    options.plan.tolerance = usual;
    const starfmm::Kernel kernel = starfmm::kernel_for(starfmm::named_kernels(), options);
    check(options, kernel);
    check_files(*given, options);
    const starfmm::Problem problem = problem_of(options);
    std::vector<starfmm::Potentials> potentials;
    starfmm::RunReport report = run_problem(text.name, options, kernel, problem, potentials);
    report.options.plan.tolerance = asked;
    return finish(report, problem, potentials);
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
