// SPDX-License-Identifier: BSD-3-Clause
// This driver sums a kernel that the library does not ship, dipole.hpp, and compares the sums with
// exact ones at --check targets (0: 1000 of them); its exit code is 1 if their L2 error exceeds
// --tol.
#include "core/io/point_file.hpp"
#include "examples/cli/driver.hpp"
#include "examples/cli/record.hpp"
#include "examples/plug_in/dipole.hpp"
#include "starfmm/plug_in.hpp"

#include <cstdio>
#include <string_view>

namespace {

constexpr std::string_view lacking_options[]{"kernel", "gradient", "strengths"};

const starfmm::DriverText text{
    "plug_in_kernel",
    "Sums of a dipole kernel that this program brings: q_j / (z_j - z_i)^2. They are always\n"
    "compared with exact ones, with --check 0 at 1000 targets.",
    {"--n 1e6 --tol 1e-6 --check 1000",
     "--n 2e4 --distribution normal --sigma 0.1 --mesh mesh.svg",
     "--input points.csv --output potentials.csv",
     "--cpus 2 --gpus 1 --warmup 1 --repeat 5 --trace trace.json"}};

int run(int argc, char** argv) {
    auto options = starfmm::parse_command_line(argc, argv, text, lacking_options);
    if (!options) {
        return 0;
    }
    options->check = options->check > 0 ? options->check : 1000;
    const bool single = options->precision == starfmm::Precision::single_precision;
    const starfmm::Kernel kernel = single ? starfmm::plug_in<examples::Dipole<float>>()
                                          : starfmm::plug_in<examples::Dipole<double>>();
    const starfmm::Problem problem = starfmm::make_problem(*options);
    std::vector<starfmm::Potentials> phi;
    const auto report = starfmm::run_problem("plug_in_kernel", *options, kernel, problem, phi);
    if (!options->output.empty()) {
        starfmm::write_potentials(options->output, phi);
    }
    if (!options->json.empty()) {
        starfmm::write_record(options->json, starfmm::record_of(report));
    }
    if (!options->telling.quiet) {
        const char* const line = "dipole: %zu sources, %zu targets, order %d, levels %d, %.4f s\n";
        const double time = starfmm::median(report.times.total);
        std::printf(line, report.n, report.m, report.plan.order, report.plan.levels, time);
    }
    const bool passes = report.errors->parts.front().l2 <= options->plan.tolerance;
    if (!passes || !options->telling.quiet) {
        starfmm::print_errors(*report.errors);
    }
    return passes ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
