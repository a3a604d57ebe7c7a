// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/orthtree_run.hpp"
#include "tests/support/shapes.hpp"

#include <map>

using starfmm::BoxRange;
using starfmm::DeepCode;
using starfmm::Orthtree;

namespace {

using Run = OrthtreeRun<Buffers>;

starfmm::GeometryBodies cpu_bodies() {
    return geometry_variants().front().bodies;
}

/// A shape, and targets of another.
struct Case {
    std::string shape;
    starfmm::Points<2> sources;
    starfmm::Points<2> targets;
};

std::vector<Case> cases(std::size_t n) {
    std::vector<Case> all;
    for (const std::string& shape : shape_names) {
        all.push_back({shape, make_shape(shape, n, 1), {}});
        all.push_back({shape + ", targets", make_shape(shape, n, 1), make_shape("normal", n / 3, 2)}
        );
    }
    all.push_back({"coincident", {{std::vector(n, 0.3), std::vector(n, 0.7)}}, {}});
    return all;
}

/// Points below each box.
std::vector<BoxRange> point_ranges(Run& run, int set) {
    const Orthtree<2> tree = run.tree(set);
    std::vector<BoxRange> ranges(tree.total_boxes());
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        ranges[tree.leaf_box(leaf)] = {tree.leaf_begin[leaf], tree.leaf_begin[leaf + 1]};
    }
    for (std::size_t box = tree.total_boxes(); box-- > 0;) {
        const BoxRange children = tree.children(box);
        if (children.begin < children.end) {
            ranges[box] = {ranges[children.begin].begin, ranges[children.end - 1].end};
        }
    }
    return ranges;
}

void check_points(Run& run, int set, const starfmm::Points<2>& users) {
    const TreePoints& points = run.points[set];
    const std::size_t n = users.size();
    Words sorted = points.permutation;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(sorted[i] == i);
        const std::uint32_t user = points.permutation[i];
        CHECK(points.positions[i] == users.x[0][user]);
        CHECK(points.positions[n + i] == users.x[1][user]);
        const DeepCode code =
            starfmm::deep_code_of<2>(run.domain[0], {users.x[0][user], users.x[1][user]});
        CHECK(points.codes[i] == code);
        if (i > 0) {
            const bool ascends = points.codes[i - 1] < code ||
                                 (points.codes[i - 1] == code && points.permutation[i - 1] < user);
            CHECK(ascends);
        }
    }
}

/// Groups of the targets, one after the other, are as they are without groups.
void check_order(Run& run, const std::array<TreePoints, 4>& groups) {
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

/// A box's points have its place, none of the points of its siblings has, and it is split if it
/// must be.
void check_tree(Run& run) {
    const Orthtree<2> tree = run.tree();
    std::vector<std::vector<BoxRange>> ranges;
    for (int set = 0; set < run.n_sets; ++set) {
        ranges.push_back(point_ranges(run, set));
        CHECK(ranges[set][0].begin == 0);
        CHECK(ranges[set][0].end == run.points[set].codes.size());
    }
    for (int level = 0; level <= tree.last_level(); ++level) {
        for (std::size_t box = tree.offset(level); box < tree.offset(level + 1); ++box) {
            const BoxRange children = tree.children(box);
            bool is_full = false;
            std::map<DeepCode, int> places;
            std::map<DeepCode, int> box_places;
            for (int set = 0; set < run.n_sets; ++set) {
                const BoxRange range = ranges[set][box];
                is_full |= range.end - range.begin > run.args.leaf_size;
                for (std::size_t i = range.begin; i < range.end; ++i) {
                    ++places[run.points[set].codes[i]];
                    ++box_places[run.points[set].codes[i] >> starfmm::bits_below<2>(level)];
                }
            }
            CHECK(box_places.size() == 1); // nor is any box empty
            const bool is_split = is_full && places.size() > 1 && level < starfmm::deepest_level<2>;
            CHECK((children.begin < children.end) == is_split);
            for (std::size_t child = children.begin; child < children.end; ++child) {
                CHECK(tree.parent(child) == box);
            }
        }
    }
}

/// Adds one to each source of a box.
void count_box(const std::vector<BoxRange>& ranges, std::size_t box, Words& met) {
    for (std::size_t i = ranges[box].begin; i < ranges[box].end; ++i) {
        ++met[i];
    }
}

/// Every target leaf meets every source once.
void check_lists(Run& run) {
    const starfmm::ListLayout& layout = run.args.lists;
    const Orthtree<2> tree = run.tree();
    const std::vector<BoxRange> ranges = point_ranges(run, 0);
    const auto far = layout.far(run.lists.data());
    std::uint64_t pairs = 0;
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const std::size_t n_targets = run.targets().offsets[leaf + 1] - run.targets().offsets[leaf];
        if (n_targets == 0) {
            continue;
        }
        Words met(run.points[0].codes.size(), 0);
        for (const bool is_near : {true, false}) {
            const auto list =
                is_near ? layout.near(run.lists.data()) : layout.p2l(run.lists.data());
            for (std::uint32_t i = list.offsets[leaf]; i < list.offsets[leaf + 1]; ++i) {
                const std::size_t box = tree.leaf_box(list.boxes[i]);
                count_box(ranges, box, met);
                pairs += is_near ? n_targets * (ranges[box].end - ranges[box].begin) : 0;
            }
        }
        const auto m2p = layout.m2p(run.lists.data());
        for (std::uint32_t i = m2p.offsets[leaf]; i < m2p.offsets[leaf + 1]; ++i) {
            count_box(ranges, m2p.boxes[i], met);
        }
        for (std::size_t box = tree.leaf_box(leaf);; box = tree.parent(box)) {
            for (std::uint32_t i = far.offsets[box]; i < far.offsets[box + 1]; ++i) {
                count_box(ranges, far.boxes[i], met);
                CHECK(starfmm::are_separated(
                    run.frame(0, far.boxes[i]), run.frame(run.n_sets - 1, box), run.args.theta
                ));
            }
            if (box == 0) {
                break;
            }
        }
        CHECK(std::count(met.begin(), met.end(), 1U) == static_cast<std::ptrdiff_t>(met.size()));
    }
    CHECK(run.counts[0].p2p_pairs == pairs);
}

} // namespace

TEST_CASE("orthtree: boxes hold the points of their places, and are split as long as they must be"
) {
    for (const std::size_t n : {1, 2, 40, 700}) {
        for (const Case& each : cases(n)) {
            CAPTURE(each.shape);
            CAPTURE(n);
            Run run(cpu_bodies(), each.sources, each.targets, 5);
            check_points(run, 0, each.sources);
            if (run.n_sets == 2) {
                check_points(run, 1, each.targets);
            }
            check_tree(run);
        }
    }
}

TEST_CASE("orthtree: points of groups come in the same order by way of cells") {
    for (const Case& each : cases(700)) {
        CAPTURE(each.shape);
        Run run(cpu_bodies(), each.sources, each.targets, 5);
        const auto groups = run.sort_by_cells(run.n_sets - 1);
        check_order(run, groups);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (const DeepCode code : groups[g].codes) {
                CHECK((code >> starfmm::bits_below<2>(1)) == g);
            }
        }
    }
}

TEST_CASE("orthtree: every target meets every source once") {
    for (const Case& each : cases(600)) {
        for (const int order : {2, 30}) {
            for (const std::uint32_t leaf_size : {1, 7, 40}) {
                CAPTURE(each.shape);
                Run run(cpu_bodies(), each.sources, each.targets, leaf_size);
                run.args.order = order;
                run.connect(200'000, 200'000);
                REQUIRE(run.counts[0].overflow == 0);
                check_lists(run);
            }
        }
    }
}

TEST_CASE("orthtree: too small lists are reported") {
    Run run(cpu_bodies(), make_shape("normal", 2000, 1), {}, 10);
    run.connect(1'000'000, 1'000'000);
    const starfmm::ListCounts counts = run.counts[0];
    REQUIRE(counts.overflow == 0);
    run.connect(counts.far - 1, 1'000'000);
    CHECK(run.counts[0].overflow != 0);
    run.connect(counts.far, counts.near / 2);
    CHECK(run.counts[0].overflow != 0);
}

TEST_CASE("orthtree: instruction sets grow the same bits") {
    const auto sources = make_shape("plummer", 3000, 1);
    Run expected(cpu_bodies(), sources, {}, 20);
    for (const GeometryVariant& variant : geometry_variants()) {
        CAPTURE(variant.name);
        Run run(variant.bodies, sources, {}, 20);
        CHECK(run.points[0] == expected.points[0]);
    }
}
