// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/floors/operator_floors.hpp"

#include <array>
#include <span>
#include <string_view>

namespace starfmm {

namespace {

/// The most work that an operator does in a second.
struct Floor {
    std::string_view op;
    std::string_view variant; ///< kernel and precision; empty: all
    double work_per_s;
};

struct Unit {
    std::string_view mark; ///< part of the unit's name
    std::span<const Floor> floors;
};

// Rates of an H200 from gpu_floors.hpp. The work of P2M and L2P is points times order, of M2M and
// L2L boxes times order squared, of M2L translations times order squared, of P2P pairs.
constexpr double h200_flops = 32.7e12;
constexpr double h200_matrix_flops = 66.3e12;
constexpr double h200_bytes = 3.9e12;

constexpr std::array<Floor, 13> h200{
    {{"p2p", "harmonic_double", 1.36e12},
     {"m2l", "harmonic_double", h200_matrix_flops / 4},
     {"p2m", "harmonic_double", h200_flops / 10},
     {"l2p", "harmonic_double", h200_flops / 10},
     {"m2m", "harmonic_double", h200_flops / 4},
     {"l2l", "harmonic_double", h200_flops / 4},
     {"rank", "double", 1e7 / 0.37e-3},
     {"sort", "double", h200_bytes / 16},
     {"sort_group", "double", h200_bytes / 16},
     {"bounds", "double", h200_bytes / 16},
     {"strengths", "double", h200_bytes / 20},
     {"gather", "double", h200_bytes / 52},
     {"gather_all", "double", h200_bytes / 52}}};

// A Zen 5 core with AVX-512 does 6.4e10 multiply-adds a second, and 16 vector instructions for 8
// pairs. About half of the terms of M2L count, by the distance of the boxes.
constexpr double zen5_multiply_adds = 6.4e10;

constexpr std::array<Floor, 6> zen5{
    {{"p2p", "harmonic_double", 8e9},
     {"m2l", "harmonic_double", 2 * zen5_multiply_adds},
     {"p2m", "harmonic_double", zen5_multiply_adds / 6},
     {"l2p", "harmonic_double", zen5_multiply_adds / 4},
     {"m2m", "harmonic_double", zen5_multiply_adds / 2},
     {"l2l", "harmonic_double", zen5_multiply_adds / 2}}};

constexpr std::array<Unit, 2> units{{{"NVIDIA H200", h200}, {"AuthenticAMD family 26", zen5}}};

std::span<const Floor> floors_of(const TraceWorker& worker) {
    for (const Unit& unit : units) {
        if (worker.unit.find(unit.mark) != std::string::npos) {
            return unit.floors;
        }
    }
    return {};
}

} // namespace

std::optional<double> floor_rate(const TraceOperator& op, const TraceWorker& worker) {
    for (const Floor& floor : floors_of(worker)) {
        if (floor.op == op.name && floor.variant == op.variant) {
            return floor.work_per_s;
        }
    }
    return std::nullopt;
}

bool has_floors(const TraceWorker& worker) {
    return !floors_of(worker).empty();
}

std::string unit_of(const std::string& worker, const std::string& core) {
    if (worker.starts_with("CPU")) {
        return core;
    }
    const std::size_t begin = worker.find('(');
    const std::size_t end = worker.rfind(')');
    const bool has_unit = begin != std::string::npos && end != std::string::npos && end > begin;
    return has_unit ? worker.substr(begin + 1, end - begin - 1) : std::string();
}

} // namespace starfmm
