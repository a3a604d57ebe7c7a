// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/resolution.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace starfmm {

namespace {

using Place = std::array<double, 2>;

/// Square of side `shortest` that a point lies in. A coordinate that is too large for points with
/// another one to be close has a "square" of its own.
struct Cell {
    std::array<std::int64_t, 2> at;
    std::array<bool, 2> is_small; ///< whether neighbouring squares are numbered next to it

    friend bool operator==(const Cell&, const Cell&) = default;
};

struct CellHash {
    std::size_t operator()(const Cell& cell) const {
        const std::size_t x = std::hash<std::int64_t>{}(cell.at[0]);
        const std::size_t y = std::hash<std::int64_t>{}(cell.at[1]);
        return (x * 0x9e3779b97f4a7c15U) ^ (y + (x >> 29U));
    }
};

class ClosePoints {
public:
    ClosePoints(int exponent, double shortest) : exponent_(exponent), shortest_(shortest) {}

    /// Whether a coordinate is so small that another may be close to it.
    [[nodiscard]] bool is_small(double x) const {
        return std::abs(std::ldexp(x, exponent_)) < shortest_ * 0x1p53;
    }

    /// Whether another place is close to `place`; else keeps it.
    [[nodiscard]] bool meets_or_keeps(const Place& place) {
        const Cell cell = cell_of(place);
        const auto [kept, is_new] = places_.try_emplace(cell, place);
        if (!is_new) {
            return kept->second != place; // a square holds one place, else two are close
        }
        return has_close_neighbour(place, cell);
    }

private:
    [[nodiscard]] Cell cell_of(const Place& place) const {
        Cell cell{};
        for (int d = 0; d < 2; ++d) {
            cell.is_small[d] = is_small(place[d]);
            const double index = std::floor(std::ldexp(place[d], exponent_) / shortest_);
            cell.at[d] = cell.is_small[d] ? static_cast<std::int64_t>(index)
                                          : std::bit_cast<std::int64_t>(place[d]);
        }
        return cell;
    }

    [[nodiscard]] bool has_close_neighbour(const Place& place, const Cell& cell) const {
        for (int dx = cell.is_small[0] ? -1 : 0; dx <= (cell.is_small[0] ? 1 : 0); ++dx) {
            for (int dy = cell.is_small[1] ? -1 : 0; dy <= (cell.is_small[1] ? 1 : 0); ++dy) {
                Cell other = cell;
                other.at[0] += dx;
                other.at[1] += dy;
                const auto found = places_.find(other);
                if ((dx != 0 || dy != 0) && found != places_.end() &&
                    are_close(place, found->second)) {
                    return true;
                }
            }
        }
        return false;
    }

    [[nodiscard]] bool are_close(const Place& a, const Place& b) const {
        const auto apart = [&](int d) {
            return std::abs(std::ldexp(a[d], exponent_) - std::ldexp(b[d], exponent_));
        };
        return apart(0) < shortest_ && apart(1) < shortest_;
    }

    int exponent_;
    double shortest_;
    std::unordered_map<Cell, Place, CellHash> places_;
};

} // namespace

bool are_resolved(std::span<const Points<2>* const> sets, int exponent, double shortest) {
    ClosePoints points(exponent, shortest);
    for (const Points<2>* set : sets) {
        for (std::size_t i = 0; i < set->size(); ++i) {
            const Place place{set->x[0][i] + 0.0, set->x[1][i] + 0.0}; // -0 is 0
            const bool may_be_close = points.is_small(place[0]) || points.is_small(place[1]);
            if (may_be_close && points.meets_or_keeps(place)) {
                return false;
            }
        }
    }
    return true;
}

} // namespace starfmm
