// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/work_in_space.hpp"

#include "core/expansions/truncation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

namespace starfmm {

namespace {

/// Near boxes of a box in the middle of a large level, and the means of squares and cubes of the
/// share of terms.
struct Density {
    double near;
    double share2;
    double share3;
};

/// How many of eight siblings have a parent near to that of the cell i, j, k away from them.
double near_parents(int i, int j, int k, double reach) {
    int n = 0;
    for (int sibling = 0; sibling < 8; ++sibling) {
        const auto above = [&](int offset, int d) {
            return std::floor(0.5 * (offset + (sibling >> d & 1)));
        };
        n += std::hypot(above(i, 0), above(j, 1), above(k, 2)) < reach ? 1 : 0;
    }
    return n;
}

/// Cells that i <= j <= k, none negative, and its reflections and exchanges of axes are.
int n_alike(int i, int j, int k) {
    const int orders = i == j && j == k ? 1 : i == j || j == k ? 3 : 6;
    return orders << ((i > 0 ? 1 : 0) + (j > 0 ? 1 : 0) + (k > 0 ? 1 : 0));
}

/// Counts near and far boxes of a box, which are whole cubes, whatever points they hold: as a mean
/// over eight siblings.
Density count_cells(double theta) {
    constexpr double half_diagonal = 0.86602540378443864676;
    constexpr double farthest = 6; // beyond, all grows with the volume of the ball of near boxes
    const double reach = half_diagonal * (1 + 1 / theta);
    const double counted = std::min(reach, farthest);
    const double radius = reach_of_cells * half_diagonal;
    const double slowest = std::log(radius / (counted - radius));
    const int side = static_cast<int>(2 * counted) + 2;
    double near = 0;
    double far = 0;
    double squares = 0;
    double cubes = 0;
    for (int i = 0; i <= side; ++i) {
        for (int j = i; j <= side; ++j) {
            for (int k = j; k <= side; ++k) {
                const double d = std::sqrt(i * i + j * j + k * k);
                if (d < counted) {
                    near += n_alike(i, j, k);
                    continue;
                }
                const double share = slowest / std::log(radius / (d - radius));
                const double siblings = n_alike(i, j, k) * near_parents(i, j, k, counted);
                far += siblings;
                squares += siblings * share * share;
                cubes += siblings * share * share * share;
            }
        }
    }
    const double grown = std::pow(reach / counted, 3);
    return {near * grown, squares / far, cubes / far};
}

/// Kept, since counting takes longer than all else of a prediction, and predictions for many trees
/// share a few thetas.
const Density& density_of_cells(double theta) {
    constexpr std::size_t most = 64; // of a program that walks through thetas
    static thread_local std::map<double, Density> known;
    if (known.size() >= most && !known.contains(theta)) {
        known.clear();
    }
    const auto [entry, is_new] = known.try_emplace(theta);
    if (is_new) {
        entry->second = count_cells(theta);
    }
    return entry->second;
}

/// Pairs of near boxes of a level `cells` boxes wide. Boxes at its rim have fewer neighbours: of
/// those at a distance of d boxes a share of d / cells is missing, in each direction, and the mean
/// of d grows with the ball that holds them.
double near_pairs_in_space(double cells, double inside) {
    constexpr double mean_distance = 0.223; // over the cube root of a ball's boxes
    const double boxes = cells * cells * cells;
    const double across = std::cbrt(inside);
    if (cells < 0.5 * across) { // no two boxes are far from each other
        return boxes * std::max(1.0, boxes);
    }
    const double neighbours = inside * std::pow(1 - mean_distance * across / cells, 3);
    return boxes * std::clamp(neighbours, 1.0, std::max(1.0, boxes));
}

/// Adds the shares of terms, fitted to counts: in small trees most of what is far is not much
/// farther than it must be. The distribution of shares is alike for all: so is its mean over the
/// root of the mean of squares.
SpaceWork with_shares(const WorkEstimate& counts, const Density& near, double leaves) {
    const double part = near.near / leaves;
    SpaceWork work{counts};
    work.share2 = std::min(1.0, near.share2 * (1 + 0.55 * part));
    work.share3 = std::min(work.share2, near.share3 * (1 + 0.88 * part));
    work.share = std::min(1.0, 0.955 * std::sqrt(work.share2));
    return work;
}

double boxes_of_side(double cells) {
    return std::pow(std::ceil(cells), 3);
}

} // namespace

double cells_a_side(const SpaceTree& tree) {
    const auto cells = static_cast<double>(std::uint64_t(1) << static_cast<unsigned>(tree.levels));
    return tree.roots > min_roots ? cells * tree.roots / 8 : cells;
}

SpaceWork estimate_work_in_space(
    std::size_t n_sources, std::size_t n_targets, const SpaceTree& tree, double theta
) {
    const double side = cells_a_side(tree);
    const double leaves = side * side * side;
    const double sources = static_cast<double>(n_sources) / leaves;
    const double targets = static_cast<double>(n_targets) / leaves;
    const double points = std::max(sources, targets);
    const Density dense = density_of_cells(theta);
    WorkEstimate work{1, 0, 1, 0};
    for (int level = 1; level <= tree.levels; ++level) {
        const double cells = std::ldexp(side, level - tree.levels);
        const double pairs = 64 * work.near; // children of near boxes
        work.near = std::min(pairs, near_pairs_in_space(cells, dense.near));
        work.far += pairs - work.near;
        work.boxes += boxes_of_side(cells);
    }
    // numbers of points of leaves differ: a leaf is near to itself, and near to more if it is full
    const double spread = 1 + 0.6 / points;
    work.pairs = work.near * sources * targets * spread;
    return with_shares(work, dense, leaves);
}

} // namespace starfmm
