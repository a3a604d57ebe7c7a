// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/work_in_space.hpp"

#include "core/expansions/truncation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace starfmm {

namespace {

/// Near boxes of a box in the middle of a large level, and squares and cubes of the share of terms.
struct Surroundings {
    double leaves;  ///< near boxes of a leaf, whose ball ends at its farthest point
    double parents; ///< near boxes of a box a level above
    double share2;
    double share3;
};

/// Points a leaf of a column: twice those of the one before it.
constexpr double fewest_points = 8;
constexpr int n_columns = 7;

struct Row {
    double theta;
    double boxes; ///< near to a box far above the leaves, which is full of points
    Surroundings of[n_columns];
};

/// Counted in trees of 16^3 leaves of uniform points.
constexpr Row counted_in_space[]{
    {0.4,
     123,
     {{45.3, 88.7, 0.331, 0.205},
      {66.0, 91.0, 0.353, 0.225},
      {77.2, 92.1, 0.369, 0.238},
      {81.1, 92.3, 0.386, 0.255},
      {82.6, 92.7, 0.401, 0.270},
      {85.0, 93.9, 0.410, 0.280},
      {88.4, 96.0, 0.415, 0.285}}},
    {0.45,
     81,
     {{32.6, 80.5, 0.276, 0.160},
      {47.1, 80.6, 0.303, 0.183},
      {59.8, 80.6, 0.316, 0.193},
      {68.9, 80.6, 0.324, 0.198},
      {77.1, 80.6, 0.330, 0.202},
      {80.6, 80.6, 0.338, 0.209},
      {81.0, 80.6, 0.347, 0.218}}},
    {0.5,
     81,
     {{26.2, 67.9, 0.230, 0.125},
      {34.7, 73.9, 0.251, 0.142},
      {41.9, 79.3, 0.260, 0.150},
      {49.8, 80.5, 0.266, 0.154},
      {57.0, 80.6, 0.271, 0.157},
      {61.1, 80.6, 0.277, 0.162},
      {66.3, 80.6, 0.279, 0.163}}},
    {0.55,
     57,
     {{22.3, 55.1, 0.194, 0.099},
      {28.9, 57.5, 0.217, 0.117},
      {32.2, 57.8, 0.237, 0.134},
      {35.0, 57.8, 0.251, 0.147},
      {39.8, 57.8, 0.259, 0.154},
      {47.4, 57.8, 0.259, 0.153},
      {54.1, 57.8, 0.257, 0.148}}},
    {0.6,
     57,
     {{19.7, 34.5, 0.183, 0.094},
      {26.1, 35.7, 0.205, 0.110},
      {28.7, 38.5, 0.217, 0.120},
      {30.7, 45.4, 0.214, 0.118},
      {32.5, 53.8, 0.208, 0.115},
      {33.1, 57.3, 0.213, 0.120},
      {33.5, 57.8, 0.222, 0.129}}},
    {0.64,
     33,
     {{17.8, 33.4, 0.151, 0.073},
      {24.1, 33.6, 0.172, 0.086},
      {26.9, 33.6, 0.188, 0.098},
      {28.2, 33.6, 0.204, 0.111},
      {30.0, 33.6, 0.216, 0.121},
      {32.1, 33.6, 0.225, 0.128},
      {32.8, 33.6, 0.234, 0.136}}},
    {0.7,
     33,
     {{15.1, 28.6, 0.114, 0.051},
      {21.2, 30.0, 0.126, 0.057},
      {24.5, 32.1, 0.131, 0.059},
      {26.6, 33.4, 0.136, 0.062},
      {27.1, 33.6, 0.146, 0.069},
      {27.4, 33.6, 0.157, 0.078},
      {28.1, 33.6, 0.164, 0.084}}},
    {0.75,
     33,
     {{13.2, 27.0, 0.085, 0.036},
      {19.1, 27.0, 0.095, 0.040},
      {21.8, 27.0, 0.105, 0.046},
      {24.4, 27.0, 0.109, 0.047},
      {26.5, 27.1, 0.111, 0.047},
      {27.0, 27.3, 0.118, 0.052},
      {27.0, 27.6, 0.125, 0.057}}}};

Surroundings between(const Surroundings& a, const Surroundings& b, double t) {
    return {
        std::lerp(a.leaves, b.leaves, t),
        std::lerp(a.parents, b.parents, t),
        std::lerp(a.share2, b.share2, t),
        std::lerp(a.share3, b.share3, t)};
}

/// What a separation and a size of leaves imply.
struct Density {
    double boxes;
    Surroundings near;
};

/// Linear between columns, whose ends hold beyond them.
Density density_of(const Row& row, double points) {
    const double column = std::clamp(std::log2(points / fewest_points), 0.0, n_columns - 1.0);
    const int left = std::min(static_cast<int>(column), n_columns - 2);
    return {row.boxes, between(row.of[left], row.of[left + 1], column - left)};
}

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

/// Counts near and far boxes of a box where boxes count as whole cells, whatever points they hold:
/// as a mean over eight siblings.
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
    return {near * grown, {near * grown, near * grown, squares / far, cubes / far}};
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

/// Linear between rows. Before the first, the volume of the ball of near boxes, whose radius is
/// 1 + 1 / theta box radii; behind the last, constant.
Density density(double theta, double points) {
    const Row& first = counted_in_space[0];
    if (theta <= first.theta) {
        Density scaled = density_of(first, points);
        const double grown = std::pow((1 + 1 / theta) / (1 + 1 / first.theta), 3);
        scaled.boxes *= grown;
        scaled.near.leaves *= grown;
        scaled.near.parents *= grown;
        return scaled;
    }
    const auto* const upper =
        std::find_if(std::begin(counted_in_space), std::end(counted_in_space), [=](const Row& row) {
            return row.theta >= theta;
        });
    if (upper == std::end(counted_in_space)) {
        return density_of(*std::prev(upper), points);
    }
    const Row& lower = *std::prev(upper);
    const double t = (theta - lower.theta) / (upper->theta - lower.theta);
    const Density a = density_of(lower, points);
    const Density b = density_of(*upper, points);
    return {std::lerp(a.boxes, b.boxes, t), between(a.near, b.near, t)};
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

/// Median splits give boxes of more shapes than cubes: their lists are those of larger leaves.
double points_alike(double points) {
    return 1.7 * points;
}

/// Adds the shares of terms, fitted to counts: in small trees most of what is far is not much
/// farther than it must be. The distribution of shares is alike for all: so is its mean over the
/// root of the mean of squares.
SpaceWork with_shares(const WorkEstimate& counts, const Surroundings& near, double leaves) {
    const double part = near.parents / leaves;
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
    const Density dense = tree.kind == TreeKind::orthtree ? density_of_cells(theta)
                                                          : density(theta, points_alike(points));
    WorkEstimate work{1, 0, 1, 0};
    for (int level = 1; level <= tree.levels; ++level) {
        const double cells = std::ldexp(side, level - tree.levels);
        const double pairs = 64 * work.near; // children of near boxes
        const int above = tree.levels - level;
        const double inside = above == 0   ? dense.near.leaves
                              : above == 1 ? dense.near.parents
                                           : dense.boxes;
        work.near = std::min(pairs, near_pairs_in_space(cells, inside));
        work.far += pairs - work.near;
        work.boxes += boxes_of_side(cells);
    }
    // numbers of points of leaves differ: a leaf is near to itself, and near to more if it is full
    const double spread = tree.kind == TreeKind::orthtree ? 1 + 0.6 / points : 1.0;
    work.pairs = work.near * sources * targets * spread;
    return with_shares(work, dense.near, leaves);
}

} // namespace starfmm
