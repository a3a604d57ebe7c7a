// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/pairs/gravity_model.hpp"

#include <algorithm>
#include <cmath>

namespace starfmm {

namespace {

constexpr std::size_t ceiling(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

/// Returns the number of parts of the sources for which the blocks fill the device.
std::size_t source_splits(const GravityMachine& machine, std::size_t n_targets) {
    const std::size_t tiles = ceiling(n_targets, machine.block_targets);
    const std::size_t slots = machine.multiprocessors * machine.resident;
    return std::clamp<std::size_t>(ceiling(slots, tiles), 1, machine.most_source_splits);
}

} // namespace

double gravity_cycles(
    const GravityMachine& machine, double pair_cycles, std::size_t n_targets, std::size_t n_sources
) {
    const std::size_t splits = source_splits(machine, n_targets);
    const std::size_t blocks = ceiling(n_targets, machine.block_targets) * splits;
    const std::size_t rounds = ceiling(blocks, machine.multiprocessors); // Eq 4
    const std::size_t hidden = rounds / machine.resident;
    const std::size_t remaining = rounds - hidden * machine.resident;
    const double sources = static_cast<double>(n_sources) / static_cast<double>(splits);
    const double passes = sources / static_cast<double>(machine.lanes);
    const double work = static_cast<double>(machine.block_targets) * pair_cycles;
    const double ends = 2 * machine.latency;
    // Eq 5; with one resident block nothing hides the latency
    const double overlapped =
        machine.resident > 1 ? std::max(machine.latency, work) : machine.latency + work;
    return static_cast<double>(hidden) *
               (static_cast<double>(machine.resident) * passes * overlapped + ends) +
           static_cast<double>(remaining) * (passes * (machine.latency + work) + ends);
}

GravityFit
fit_gravity(const GravityMachine& machine, double start_s, std::size_t n, double time_s) {
    // cycles are linear in pair_cycles but for max(L, ...), which large blocks do not reach
    const double fixed = gravity_cycles(machine, 0, n, n);
    const double slope = gravity_cycles(machine, 1, n, n) - fixed;
    const double cycles = std::max(time_s - start_s, 0.0) * machine.clock;
    GravityFit fit{cycles / std::max(slope, 1.0), start_s};
    for (int i = 0; i < 50; ++i) { // the few cycles that hiding the latency changes
        const double now = gravity_cycles(machine, fit.pair_cycles, n, n);
        fit.pair_cycles *= now > 0 ? cycles / now : 1;
    }
    return fit;
}

double gravity_time(
    const GravityMachine& machine, const GravityFit& fit, std::size_t n, std::size_t n_devices
) {
    const std::size_t targets = ceiling(n, n_devices);
    return fit.start_s + gravity_cycles(machine, fit.pair_cycles, targets, n) / machine.clock;
}

} // namespace starfmm
