// SPDX-License-Identifier: BSD-3-Clause
// This driver sums a kernel that the library does not ship, dipole.hpp, and compares the sums with
// exact ones at --check targets (0: 1000 of them); its exit code is 1 if their L2 error exceeds
// --tol.
#include "examples/cli/driver.hpp"
#include "examples/plug_in/dipole.hpp"
#include "starfmm/plug_in.hpp"

namespace {

const starfmm::DriverText text{
    .name = "plug_in_kernel",
    .summary =
        "Sums of a dipole kernel that this program brings: q_j / (z_j - z_i)^2. They are always\n"
        "compared with exact ones, with --check 0 at 1000 targets.",
    .examples =
        {"--n 1e6 --tol 1e-6 --check 1000",
         "--n 2e4 --distribution normal --sigma 0.1 --mesh mesh.svg",
         "--input points.csv --output potentials.csv",
         "--cpus 2 --gpus 1 --warmup 1 --repeat 5 --trace trace.json"},
    .lacking = {"kernel", "gradient", "strengths"}};

int run(int argc, char** argv) {
    const auto defaults = starfmm::default_options(starfmm::drivers::plane);
    auto options = starfmm::parse_command_line(argc, argv, text, defaults);
    if (!options) {
        return 0;
    }
    options->check = options->check > 0 ? options->check : 1000;
    const bool single = options->precision == starfmm::Precision::single_precision;
    const starfmm::Kernel kernel = single ? starfmm::plug_in<examples::Dipole<float>>()
                                          : starfmm::plug_in<examples::Dipole<double>>();
    const starfmm::Problem problem = starfmm::make_problem(*options);
    std::vector<starfmm::Potentials> phi;
    starfmm::RunReport report = starfmm::run_problem(text.name, *options, kernel, problem, phi);
    report.is_judged_in_l2 = true;
    return starfmm::finish(report, problem, phi);
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
