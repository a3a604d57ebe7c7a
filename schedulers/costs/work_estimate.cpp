// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/work_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace starfmm {

namespace {

/// Boxes near to one in the middle of a large level: among leaves, whose discs are drawn tightly,
/// and above them.
struct Neighbourhood {
    double theta;
    double leaves;
    double boxes;
};

/// Counted in trees of 30 and 70 uniform points a leaf.
constexpr Neighbourhood counted[]{
    {0.3, 23.6, 25.3},
    {0.4, 16.7, 17.8},
    {0.5, 11.0, 12.3},
    {0.55, 9.5, 10.0},
    {0.6, 9.0, 8.9},
    {0.65, 8.8, 8.8},
    {0.7, 8.6, 8.8},
    {0.8, 7.7, 8.8}};

/// Linear between the counted ones. Below them, the area of the disc of near boxes, whose radius is
/// 1 + 1 / theta box radii; above them, constant.
Neighbourhood neighbourhood(double theta) {
    const Neighbourhood& first = counted[0];
    if (theta <= first.theta) {
        const double ratio = (1 + 1 / theta) / (1 + 1 / first.theta);
        return {theta, first.leaves * ratio * ratio, first.boxes * ratio * ratio};
    }
    const auto* const upper =
        std::find_if(std::begin(counted), std::end(counted), [=](const Neighbourhood& entry) {
            return entry.theta >= theta;
        });
    if (upper == std::end(counted)) {
        return *std::prev(upper);
    }
    const Neighbourhood& lower = *std::prev(upper);
    const double t = (theta - lower.theta) / (upper->theta - lower.theta);
    return {
        theta, std::lerp(lower.leaves, upper->leaves, t), std::lerp(lower.boxes, upper->boxes, t)};
}

/// Pairs of near boxes of a level of `boxes` boxes. The level's rim, of relative length
/// 1 / sqrt(boxes), has fewer neighbours; the factor is fitted to the counts.
double near_pairs(double boxes, double inside) {
    constexpr double rim = 1.1;
    const double neighbours = inside * std::max(0.0, 1 - rim / std::sqrt(boxes));
    return boxes * std::clamp(neighbours, 1.0, boxes);
}

} // namespace

WorkEstimate estimate_work(std::size_t n_sources, std::size_t n_targets, int levels, double theta) {
    const Neighbourhood inside = neighbourhood(theta);
    WorkEstimate work{1, 0, 1, 0};
    double boxes = 1;
    for (int level = 1; level <= levels; ++level) {
        boxes *= 4;
        const double pairs = 16 * work.near; // children of near boxes
        work.near =
            std::min(pairs, near_pairs(boxes, level < levels ? inside.boxes : inside.leaves));
        work.far += pairs - work.near;
        work.boxes += boxes;
    }
    work.pairs = work.near * (static_cast<double>(n_sources) / boxes) *
                 (static_cast<double>(n_targets) / boxes);
    return work;
}

} // namespace starfmm
