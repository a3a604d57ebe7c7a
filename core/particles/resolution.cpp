// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/resolution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace starfmm {

namespace {

using Place = std::array<double, 3>; // in the plane the last one is 0

/// Cube of side `shortest` that a point lies in. A coordinate that is too large for points with
/// another one to be close has a "cube" of its own.
struct Cell {
    std::array<std::int64_t, 3> at;
    std::array<bool, 3> is_small; ///< whether neighbouring cubes are numbered next to it

    friend bool operator==(const Cell&, const Cell&) = default;
};

struct CellHash {
    std::size_t operator()(const Cell& cell) const {
        std::size_t all = 0;
        for (const std::int64_t at : cell.at) {
            all = (all * 0x9e3779b97f4a7c15U) ^ (std::hash<std::int64_t>{}(at) + (all >> 29U));
        }
        return all;
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
            return kept->second != place; // a cube holds one place, else two are close
        }
        return has_close_neighbour(place, cell);
    }

    [[nodiscard]] bool are_close_along(std::size_t d, const Place& a, const Place& b) const {
        return std::abs(std::ldexp(a[d], exponent_) - std::ldexp(b[d], exponent_)) < shortest_;
    }

    [[nodiscard]] bool are_close(const Place& a, const Place& b) const {
        return are_close_along(0, a, b) && are_close_along(1, a, b) && are_close_along(2, a, b);
    }

private:
    [[nodiscard]] Cell cell_of(const Place& place) const {
        Cell cell{};
        for (std::size_t d = 0; d < place.size(); ++d) {
            cell.is_small[d] = is_small(place[d]);
            const double index = std::floor(std::ldexp(place[d], exponent_) / shortest_);
            cell.at[d] = cell.is_small[d] ? static_cast<std::int64_t>(index)
                                          : std::bit_cast<std::int64_t>(place[d]);
        }
        return cell;
    }

    [[nodiscard]] bool has_close_neighbour(const Place& place, const Cell& cell) const {
        constexpr int n_neighbours = 27; // a step along each coordinate is a digit in base 3
        for (int neighbour = 0; neighbour < n_neighbours; ++neighbour) {
            Cell other = cell;
            bool exists = true;
            for (std::size_t d = 0, digits = neighbour; d < place.size(); ++d, digits /= 3) {
                const int step = static_cast<int>(digits % 3) - 1;
                exists = exists && (step == 0 || cell.is_small[d]);
                other.at[d] += step;
            }
            const auto found = exists && other != cell ? places_.find(other) : places_.end();
            if (found != places_.end() && are_close(place, found->second)) {
                return true;
            }
        }
        return false;
    }

    int exponent_;
    double shortest_;
    std::unordered_map<Cell, Place, CellHash> places_;
};

/// Calls visit(place) with each point that another one may be close to, until it returns false.
/// \returns whether it never did
template <class Visit>
bool visit_places(std::span<const PointsRef> sets, const ClosePoints& points, const Visit& visit) {
    for (const PointsRef& set : sets) {
        for (std::size_t i = 0; i < set.size(); ++i) {
            Place place{};
            bool may_be_close = false;
            for (std::size_t d = 0; d < set.x.size(); ++d) {
                place[d] = set.x[d][i] + 0.0; // -0 is 0
                may_be_close = may_be_close || points.is_small(place[d]);
            }
            if (may_be_close && !visit(place)) {
                return false;
            }
        }
    }
    return true;
}

/// Whether no two places are close, by those that follow each other along the first coordinate: a
/// twentieth of the time that cubes take. Nothing if too many of them share it.
std::optional<bool> are_apart_along_x(std::span<const PointsRef> sets, const ClosePoints& points) {
    std::vector<Place> places;
    visit_places(sets, points, [&](const Place& place) {
        places.push_back(place);
        return true;
    });
    std::ranges::sort(places, {}, [](const Place& place) { return place[0]; });
    std::size_t left = 16 * places.size(); // of comparisons
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = i + 1; j < places.size(); ++j) {
            if (!points.are_close_along(0, places[i], places[j])) {
                break;
            }
            if (left-- == 0) {
                return std::nullopt;
            }
            if (places[i] != places[j] && points.are_close(places[i], places[j])) {
                return false;
            }
        }
    }
    return true;
}

} // namespace

bool are_resolved(std::span<const PointsRef> sets, int exponent, double shortest) {
    ClosePoints points(exponent, shortest);
    if (const auto apart = are_apart_along_x(sets, points)) {
        return *apart;
    }
    return visit_places(sets, points, [&](const Place& place) {
        return !points.meets_or_keeps(place);
    });
}

} // namespace starfmm
