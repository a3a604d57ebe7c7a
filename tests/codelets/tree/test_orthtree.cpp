// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/orthtree_lists.hpp"
#include "tests/support/shapes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

using starfmm::BoxRange;
using starfmm::Coupling;
using starfmm::DeepCode;
using starfmm::Orthtree;

namespace {

template <int D>
using Run = OrthtreeRun<Buffers, D>;

template <int D>
starfmm::GeometryBodies cpu_bodies() {
    return geometry_variants<D>().front().bodies;
}

/// Points of one shape, and targets of another.
template <int D>
struct Case {
    std::string shape;
    starfmm::Points<D> sources;
    starfmm::Points<D> targets;
};

template <int D>
std::vector<Case<D>> cases(std::size_t n) {
    std::vector<Case<D>> all;
    for (const std::string& shape : shape_names) {
        const auto sources = make_shape<D>(shape, n, 1);
        all.push_back({shape, sources, {}});
        all.push_back({shape + ", targets", sources, make_shape<D>("normal", n / 3, 2)});
    }
    starfmm::Points<D> place;
    place.x.fill(std::vector(n, 0.3));
    place.x[1].assign(n, 0.7);
    all.push_back({"coincident", place, {}});
    return all;
}

template <int D>
void check_points(Run<D>& run, int set, const starfmm::Points<D>& users) {
    const TreePoints& points = run.points[set];
    const std::size_t n = users.size();
    Words sorted = points.permutation;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(sorted[i] == i);
        const std::uint32_t user = points.permutation[i];
        std::array<double, D> point{};
        for (std::size_t d = 0; d < D; ++d) {
            point[d] = users.x[d][user];
            CHECK(points.positions[d * n + i] == point[d]);
        }
        const DeepCode code = starfmm::deep_code_of<D>(run.domain[0], point);
        CHECK(points.codes[i] == code);
        if (i > 0) {
            const bool ascends = points.codes[i - 1] < code ||
                                 (points.codes[i - 1] == code && points.permutation[i - 1] < user);
            CHECK(ascends);
        }
    }
}

/// Checks that groups of the targets, one after the other, are the targets sorted without groups.
template <int D>
void check_order(Run<D>& run, const GroupedPoints& groups) {
    Words permutation;
    std::vector<DeepCode> codes;
    std::vector<double> x;
    for (const TreePoints& group : groups) {
        const std::size_t n = group.codes.size();
        permutation.insert(permutation.end(), group.permutation.begin(), group.permutation.end());
        codes.insert(codes.end(), group.codes.begin(), group.codes.end());
        x.insert(x.end(), group.positions.begin(), group.positions.begin() + std::ptrdiff_t(n));
    }
    const TreePoints& whole = run.targets();
    CHECK(permutation == whole.permutation);
    CHECK(codes == whole.codes);
    CHECK(std::equal(x.begin(), x.end(), whole.positions.begin()));
}

/// Numbers of points by place, and by the box of a level that they are in.
struct Places {
    std::map<DeepCode, int> points;
    std::map<DeepCode, int> boxes;

    void add(DeepCode code, int bits_below) {
        ++points[code];
        ++boxes[code >> bits_below];
    }
};

/// Checks boxes: a box's points have its place, none of the points of its siblings has, and the box
/// is split if it must be.
template <int D>
void check_tree(Run<D>& run) {
    const Orthtree<D> tree = run.tree();
    std::vector<std::vector<BoxRange>> ranges;
    for (int set = 0; set < run.n_sets; ++set) {
        ranges.push_back(run.point_ranges(set));
        CHECK(ranges[set][0].begin == 0);
        CHECK(ranges[set][0].end == run.points[set].codes.size());
    }
    for (int level = 0; level <= tree.last_level(); ++level) {
        for (std::size_t box = tree.offset(level); box < tree.offset(level + 1); ++box) {
            const BoxRange children = tree.children(box);
            bool is_full = false;
            Places places;
            for (int set = 0; set < run.n_sets; ++set) {
                const BoxRange range = ranges[set][box];
                is_full |= range.end - range.begin > run.args.leaf_size;
                for (std::size_t i = range.begin; i < range.end; ++i) {
                    places.add(run.points[set].codes[i], starfmm::bits_below<D>(level));
                }
            }
            CHECK(places.boxes.size() == 1); // nor is any box empty
            const bool is_split =
                is_full && places.points.size() > 1 && level < starfmm::deepest_level<D>;
            CHECK((children.begin < children.end) == is_split);
            CHECK(children.end - children.begin <= starfmm::n_children<D>);
            for (std::size_t child = children.begin; child < children.end; ++child) {
                CHECK(tree.parent(child) == box);
            }
        }
    }
}

/// Checks that the disc of each box holds its points, and that the disc of a box without points
/// says so.
template <int D>
void check_discs(Run<D>& run, int set) {
    const std::vector<double>& positions = run.points[set].positions;
    auto buffer = buffer_of(positions.data(), positions.size(), sizeof(double));
    const auto points = starfmm::PointView<D>::of(&buffer);
    const std::vector<BoxRange> ranges = run.point_ranges(set);
    for (std::size_t box = 0; box < ranges.size(); ++box) {
        const auto disc = run.frame(set, box);
        CHECK((disc.radius < 0) == (ranges[box].begin == ranges[box].end));
        double reach = 0;
        for (std::size_t i = ranges[box].begin; i < ranges[box].end; ++i) {
            reach = std::max(reach, length(points[i] - disc.centre));
        }
        // distances and a parent's radius are rounded, of coordinates up to 1
        CHECK((disc.radius < 0 || reach <= disc.radius + 8 * roundoff<double>));
    }
}

/// Checks that boxes in space are whole cubes of their level, with their points inside.
template <int D>
void check_cubes(Run<D>& run, int set) {
    const double side = run.domain[0].side;
    const std::vector<double>& positions = run.points[set].positions;
    const std::size_t n = run.points[set].codes.size();
    const Orthtree<D> tree = run.tree();
    const std::vector<BoxRange> ranges = run.point_ranges(set);
    for (std::size_t box = 0; box < ranges.size(); ++box) {
        const auto ball = run.frame(set, box);
        const double half = 0.5 * side / std::pow(2.0, tree.level_of(box));
        CHECK((ball.radius < 0 || ball.radius == doctest::Approx(std::sqrt(3.0) * half)));
        for (int d = 0; d < D; ++d) {
            const double places =
                (coordinate(ball.centre, d) - half - run.domain[0].corner[d]) / (2 * half);
            CHECK((ball.radius < 0 || std::abs(places - std::round(places)) < 1e-6));
            for (std::size_t i = ranges[box].begin; i < ranges[box].end; ++i) {
                const double x = positions[static_cast<std::size_t>(d) * n + i];
                CHECK(std::abs(x - coordinate(ball.centre, d)) <= half + 8 * roundoff<double>);
            }
        }
    }
}

/// Whether a box's expansion converges at all targets of a leaf.
template <int D>
bool is_served(Run<D>& run, const MetBox& box, std::size_t leaf) {
    const double theta = D == 3 ? starfmm::theta_of_cells(run.args.theta) : run.args.theta;
    const auto source = run.frame(0, box.source);
    const TreePoints& targets = run.targets();
    const std::size_t n = targets.codes.size();
    bool all = true;
    for (std::size_t i = targets.offsets[leaf]; i < targets.offsets[leaf + 1]; ++i) {
        const auto target = starfmm::make_position<D>([&](int d) {
            return targets.positions[static_cast<std::size_t>(d) * n + i];
        });
        const double distance = starfmm::length(target - source.centre);
        all &= source.radius <= theta * distance * (1 + 16 * roundoff<double>);
    }
    return all;
}

/// Checks that every target leaf meets every source once, and that far boxes satisfy the criterion.
template <int D>
void check_lists(Run<D>& run) {
    const std::vector<Run<D>*> slots{&run};
    const starfmm::SeparationRule separates{run.args.theta, D == 3, run.args.kernel.support};
    MetSources met(run);
    std::uint64_t pairs = 0;
    bool all_far = true;
    bool all_beyond = true;
    bool all_served = true;
    for (std::size_t leaf = 0; leaf < run.n_leaves(); ++leaf) {
        const std::size_t n_targets = run.targets().offsets[leaf + 1] - run.targets().offsets[leaf];
        if (n_targets == 0) {
            continue;
        }
        visit_met<D>(run, slots, leaf, [&](const MetBox& box) {
            const std::size_t n_sources = met.add(box.source);
            pairs += box.how == Coupling::near ? n_targets * n_sources : 0;
            const auto source = run.frame(0, box.source);
            const auto target = run.frame(run.n_sets - 1, box.target);
            all_far &= box.how != Coupling::far || separates(source, target);
            all_beyond &= box.how == Coupling::near || separates.are_beyond(source, target);
            all_served &= box.how != Coupling::m2p || is_served(run, box, leaf);
        });
        CHECK(met.take_all_once());
    }
    CHECK(all_far);
    CHECK((all_beyond || run.args.kernel.support == 0));
    CHECK(all_served);
    CHECK(run.counts[0].p2p_pairs == pairs);
}

template <int D>
void check_trees(std::size_t n) {
    for (const Case<D>& each : cases<D>(n)) {
        CAPTURE(D);
        CAPTURE(each.shape);
        CAPTURE(n);
        Run<D> run(cpu_bodies<D>(), each.sources, each.targets, 5);
        check_points(run, 0, each.sources);
        check_discs(run, 0);
        if (run.n_sets == 2) {
            check_points(run, 1, each.targets);
            check_discs(run, 1);
        }
        check_tree(run);
        for (int set = 0; D == 3 && set < run.n_sets; ++set) {
            check_cubes(run, set);
        }
    }
}

/// Returns the set as a chunk, after checking the places of all points, in the user's order, and
/// the number of points in each cell.
template <int D>
ChunkCells checked_chunk(Run<D>& run) {
    ChunkCells chunk = run.chunk(0);
    const std::vector<DeepCode>& sorted = run.points[0].codes;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        CHECK(chunk.codes[run.points[0].permutation[i]] == sorted[i]);
    }
    for (std::size_t cell = 0; cell < chunk.begin.size(); ++cell) {
        const DeepCode first = DeepCode(cell) << starfmm::bits_below<D>(starfmm::cell_level<D>);
        const auto begin = std::ranges::lower_bound(sorted, first) - sorted.begin();
        CHECK(chunk.begin[cell] == (cell < starfmm::n_cells<D> ? begin : std::ssize(sorted)));
    }
    return chunk;
}

/// Checks the numbers of points in the parts of each fifth cell that has points, and of the last
/// cell.
template <int D>
void check_parts(Run<D>& run, ChunkCells& chunk) {
    Words cells;
    for (std::size_t cell = 0; cell < starfmm::n_cells<D>; ++cell) {
        if (chunk.begin[cell] < chunk.begin[cell + 1] && chunk.begin[cell] % 5 == 0) {
            cells.push_back(static_cast<std::uint32_t>(cell));
        }
    }
    if (cells.empty() || cells.back() + 1 < starfmm::n_cells<D>) {
        cells.push_back(starfmm::n_cells<D> - 1);
    }
    Words expected(cells.size() * starfmm::n_cell_parts<D>);
    for (const DeepCode code : chunk.codes) {
        const DeepCode part = code >> starfmm::bits_below<D>(starfmm::cell_part_level<D>);
        const auto cell = static_cast<std::uint32_t>(part / starfmm::n_cell_parts<D>);
        const auto found = std::ranges::find(cells, cell);
        if (found != cells.end()) {
            const auto row = static_cast<std::size_t>(found - cells.begin());
            ++expected[row * starfmm::n_cell_parts<D> + part % starfmm::n_cell_parts<D>];
        }
    }
    CHECK(run.count_parts(chunk, cells) == expected);
}

/// Checks where points go for groups that begin anywhere among the points.
template <int D>
void check_deal(Run<D>& run, ChunkCells& chunk) {
    const std::vector<DeepCode>& sorted = run.points[0].codes;
    for (const std::size_t n_groups : {1, 2, 7, 64}) {
        std::vector<DeepCode> borders(n_groups);
        for (std::size_t g = 1; g < n_groups; ++g) {
            borders[g] = sorted[sorted.size() * g / n_groups];
        }
        const auto group_of = [&](std::size_t i) {
            return std::ranges::upper_bound(borders, chunk.codes[i]) - borders.begin() - 1;
        };
        Words order(sorted.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, group_of);
        const Words places = run.deal_runs(chunk, borders);
        for (std::size_t i = 0; i < order.size(); ++i) {
            CHECK(places[order[i]] == i);
        }
    }
}

template <int D>
void check_cells() {
    for (const Case<D>& each : cases<D>(700)) {
        CAPTURE(D);
        CAPTURE(each.shape);
        Run<D> run(cpu_bodies<D>(), each.sources, each.targets, 5);
        const auto groups = run.sort_by_cells(run.n_sets - 1);
        check_order(run, groups);
        ChunkCells chunk = checked_chunk(run);
        check_parts(run, chunk);
        check_deal(run, chunk);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (const DeepCode code : groups[g].codes) {
                CHECK((code >> starfmm::bits_below<D>(1)) == g);
            }
        }
    }
}

/// Checks the domain by way of parts, some of which have no points, or one.
template <int D>
void check_domains() {
    for (const std::size_t n : {1, 2, 700}) {
        for (const Case<D>& each : cases<D>(n)) {
            CAPTURE(D);
            CAPTURE(each.shape);
            Run<D> run(cpu_bodies<D>(), each.sources, each.targets, 5);
            for (const std::size_t n_parts : {1, 3, 20}) {
                const starfmm::Domain<D> of_parts = run.domain_of_parts(n_parts);
                CHECK(of_parts.corner == run.domain[0].corner);
                CHECK(of_parts.side == run.domain[0].side);
            }
        }
    }
}

template <int D>
void check_meetings() {
    for (const Case<D>& each : cases<D>(600)) {
        for (const int order : {2, 30}) {
            for (const std::uint32_t leaf_size : {1, 7, 40}) {
                CAPTURE(D);
                CAPTURE(each.shape);
                Run<D> run(cpu_bodies<D>(), each.sources, each.targets, leaf_size);
                run.args.order = order;
                for (const auto& [heavy, support] :
                     {std::pair(0.0, 0.0), std::pair(0.2, 0.0), std::pair(0.2, 0.3)}) {
                    run.separate_by_share(heavy, 600, 600);
                    run.args.kernel.support = support;
                    CAPTURE(run.args.by_share.heavy);
                    CAPTURE(run.args.kernel.support);
                    run.connect(500'000, 500'000);
                    REQUIRE(run.counts[0].overflow == 0);
                    check_lists(run);
                }
            }
        }
    }
}

/// Checks that some of the pairs that are far by theta are near where heavy boxes take less.
template <int D>
void check_shares() {
    Run<D> run(cpu_bodies<D>(), make_shape<D>("normal", 3000, 1), {}, 20);
    run.connect(1'000'000, 1'000'000);
    const std::uint64_t by_theta = run.counts[0].near;
    const Words lists = run.lists;
    run.separate_by_share(0.999, 3000, 3000); // no box takes less than theta
    run.connect(1'000'000, 1'000'000);
    CHECK(run.lists == lists);
    run.separate_by_share(0.1, 3000, 3000);
    run.connect(1'000'000, 1'000'000);
    REQUIRE(run.counts[0].overflow == 0);
    CHECK(run.counts[0].near > by_theta);
}

/// Checks that leaves at the rim get a dense cluster as a few boxes, instead of all its leaves.
void check_crowds() {
    const starfmm::Points<3> crowd = make_shape<3>("normal", 3000, 2);
    starfmm::Points<3> points = make_shape<3>("uniform", 200, 1);
    for (const auto& [d, place] : {std::pair(0, 0.3), std::pair(1, 0.45), std::pair(2, 0.6)}) {
        auto& x = points.x[d];
        for (const double from_centre : crowd.x[d]) {
            x.push_back(place + 0.02 * from_centre);
        }
    }
    Run<3> run(cpu_bodies<3>(), points, {}, 20);
    run.args.order = 4;
    run.args.crowd = std::numeric_limits<std::uint64_t>::max();
    run.connect(1'000'000, 1'000'000);
    const starfmm::ListCounts without = run.counts[0];
    CHECK(without.m2p == 0);
    run.args.crowd = 100;
    run.connect(1'000'000, 1'000'000);
    REQUIRE(run.counts[0].overflow == 0);
    CHECK(run.counts[0].m2p > 0);
    CHECK(run.counts[0].near < without.near);
    CHECK(run.counts[0].p2p_pairs < without.p2p_pairs);
    check_lists(run);
}

template <int D>
void check_too_small_lists() {
    Run<D> run(cpu_bodies<D>(), make_shape<D>("normal", 2000, 1), {}, 10);
    run.connect(1'000'000, 1'000'000);
    const starfmm::ListCounts counts = run.counts[0];
    REQUIRE(counts.overflow == 0);
    run.connect(counts.far - 1, 1'000'000);
    CHECK(run.counts[0].overflow != 0);
    run.connect(counts.far, counts.near / 2);
    CHECK(run.counts[0].overflow != 0);
}

template <int D>
void check_instruction_sets() {
    const auto sources = make_shape<D>("plummer", 3000, 1);
    Run<D> expected(cpu_bodies<D>(), sources, {}, 20);
    expected.connect(1'000'000, 1'000'000);
    for (const GeometryVariant& variant : geometry_variants<D>()) {
        CAPTURE(D);
        CAPTURE(variant.name);
        Run<D> run(variant.bodies, sources, {}, 20);
        run.connect(1'000'000, 1'000'000);
        CHECK(run.points[0] == expected.points[0]);
        CHECK(run.lists == expected.lists);
    }
}

} // namespace

TEST_CASE("orthtree: boxes hold the points of their places, and are split as long as they must be"
) {
    for (const std::size_t n : {1, 2, 40, 700}) {
        check_trees<2>(n);
        check_trees<3>(n);
    }
}

TEST_CASE("orthtree: the corners of parts make the domain of all points") {
    check_domains<2>();
    check_domains<3>();
}

TEST_CASE("orthtree: points of groups come in the same order by way of cells") {
    check_cells<2>();
    check_cells<3>();
}

TEST_CASE("orthtree: every target meets every source once") {
    check_meetings<2>();
    check_meetings<3>();
}

TEST_CASE("orthtree: boxes may be separated by what they hold") {
    check_shares<2>();
    check_shares<3>();
}

TEST_CASE("orthtree: leaves get crowds by M2P") {
    check_crowds();
}

TEST_CASE("orthtree: too small lists are reported") {
    check_too_small_lists<2>();
    check_too_small_lists<3>();
}

TEST_CASE("orthtree: instruction sets grow the same bits, and find the same lists") {
    check_instruction_sets<2>();
    check_instruction_sets<3>();
}
