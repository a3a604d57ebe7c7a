// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/cell_runs.hpp"
#include "tests/support/orthtree_lists.hpp"
#include "tests/support/place_counts.hpp"
#include "tests/support/shapes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using Run = OrthtreeRun<Buffers, 3>;
using starfmm::CellCounts;
using starfmm::CellRun;

/// An octree in groups that are runs of cells, and the same tree in one piece.
class RunGroups {
public:
    RunGroups(
        const starfmm::Points<3>& sources,
        const starfmm::Points<3>& targets,
        std::uint32_t leaf_size,
        double heavy,
        std::uint64_t crowd = 12
    )
        : whole_(geometry_variants<3>().front().bodies, sources, targets, leaf_size) {
        const std::size_t n_targets = targets.size() > 0 ? targets.size() : sources.size();
        whole_.args.crowd = crowd;
        whole_.separate_by_share(
            heavy, static_cast<double>(sources.size()), static_cast<double>(n_targets)
        );
        whole_.connect(room, room);
        REQUIRE(whole_.counts[0].overflow == 0);
    }

    void cut(std::size_t wanted, bool has_parts) {
        const PlaceCounts counts(whole_, wanted, has_parts);
        groups_.clear();
        runs_ = starfmm::cut_cells(counts.of, wanted, whole_.args.leaf_size);
        for (const CellRun& run : runs_) {
            groups_.push_back(std::make_unique<Run>(
                whole_, codes_of(run), std::array{run.shared[0], run.shared[1]}
            ));
        }
        const std::uint64_t room_of_group = room / std::min<std::size_t>(groups_.size(), 16);
        for (auto& group : groups_) {
            const starfmm::ListLayout layout{
                group->n_boxes(), group->n_leaves(), room_of_group, room_of_group};
            group->connect_to(slots(), layout);
            REQUIRE(group->counts[0].overflow == 0);
        }
    }

    /// Checks that every target meets every source of every group once.
    void check_met() {
        std::vector<MetSources> met;
        for (auto& group : groups_) {
            met.emplace_back(*group);
        }
        for (auto& group : groups_) {
            const Words& offsets = group->targets().offsets;
            for (std::size_t leaf = 0; leaf < group->n_leaves(); ++leaf) {
                if (offsets[leaf] == offsets[leaf + 1]) {
                    continue;
                }
                visit_met<3>(*group, slots(), leaf, [&](const MetBox& box) {
                    met[box.slot].add(box.source);
                });
                for (MetSources& of_group : met) {
                    CHECK(of_group.take_all_once());
                }
            }
        }
    }

    /// Checks that groups have the pairs and, but for shared boxes, the boxes of one tree.
    void check_as_whole() {
        std::uint64_t pairs = 0;
        std::size_t n_boxes = 0;
        for (auto& group : groups_) {
            pairs += group->counts[0].p2p_pairs;
            n_boxes += group->n_boxes();
        }
        // a single group takes the shares of sources for those of their targets
        if (whole_.n_sets == 1 || !whole_.args.by_share.varies()) {
            CHECK(pairs == whole_.counts[0].p2p_pairs);
        }
        CHECK(n_boxes >= whole_.n_boxes());
        CHECK(n_boxes < whole_.n_boxes() + 2UL * starfmm::shared_levels * groups_.size());
    }

    void check_runs(std::size_t wanted) {
        CHECK(runs_.size() <= wanted);
        std::size_t next = 0;
        std::size_t n[2] = {0, 0};
        std::uint32_t last_part = 0;
        for (const CellRun& run : runs_) {
            CHECK(run.places.begin >= next); // places without points may lie between
            next = run.places.end;
            CHECK(run.n[0] + run.n[1] > 0);
            CHECK(run.part.index >= last_part);
            CHECK(run.part.index < run.part.n);
            last_part = run.part.index;
            n[0] += run.n[0];
            n[1] += run.n[1];
        }
        CHECK(n[0] == whole_.points[0].codes.size());
        CHECK(n[1] == (whole_.n_sets > 1 ? whole_.points[1].codes.size() : 0));
    }

private:
    static constexpr std::uint64_t room = 500'000;

    [[nodiscard]] std::vector<Run*> slots() {
        std::vector<Run*> all;
        for (auto& group : groups_) {
            all.push_back(group.get());
        }
        return all;
    }

    Run whole_;
    std::vector<CellRun> runs_;
    std::vector<std::unique_ptr<Run>> groups_;
};

void check(RunGroups& groups, std::size_t wanted, bool has_parts) {
    CAPTURE(wanted);
    CAPTURE(has_parts);
    groups.cut(wanted, has_parts);
    groups.check_runs(wanted);
    groups.check_met();
    groups.check_as_whole();
}

} // namespace

TEST_CASE("cell_runs: groups together have the tree and the pairs of one") {
    for (const std::string& shape : shape_names) {
        for (const bool two_sets : {false, true}) {
            for (const std::uint32_t leaf_size : {2, 30}) {
                for (const double heavy : {0.0, 0.2}) {
                    const auto targets =
                        two_sets ? make_shape<3>("normal", 150, 2) : starfmm::Points<3>();
                    RunGroups groups(make_shape<3>(shape, 500, 1), targets, leaf_size, heavy);
                    CAPTURE(shape);
                    CAPTURE(two_sets);
                    CAPTURE(leaf_size);
                    CAPTURE(heavy);
                    for (const std::size_t wanted : {2, 7, 64}) {
                        check(groups, wanted, false);
                        check(groups, wanted, true);
                    }
                }
            }
        }
    }
}

TEST_CASE("cell_runs: many groups of a crowded tree have the pairs of one") {
    for (const double heavy : {0.0, 0.33}) {
        for (const std::uint64_t crowd : {60, 250}) {
            RunGroups groups(make_shape<3>("plummer", 20'000, 1), {}, 64, heavy, crowd);
            for (const std::size_t wanted : {32, 64}) {
                CAPTURE(heavy);
                CAPTURE(crowd);
                CAPTURE(wanted);
                for (const bool has_parts : {false, true}) {
                    CAPTURE(has_parts);
                    groups.cut(wanted, has_parts);
                    groups.check_runs(wanted);
                    groups.check_as_whole();
                }
            }
        }
    }
}

TEST_CASE("cell_runs: equal shares of the points") {
    constexpr std::size_t n = 100'000;
    for (const std::string shape : {"uniform", "normal", "plummer"}) {
        // side of the points' cube relative to the domain's
        for (const double side : {1.0, 6.0 / 8, 5.0 / 8}) {
            for (const std::size_t wanted : {2, 4, 16}) {
                CAPTURE(shape);
                CAPTURE(side);
                CAPTURE(wanted);
                auto points = make_shape<3>(shape, n, 1);
                for (auto& x : points.x) {
                    std::ranges::for_each(x, [&](double& each) { each *= side; });
                }
                Run whole(geometry_variants<3>().front().bodies, points, {}, 45);
                for (const bool has_parts : {false, true}) {
                    const PlaceCounts counts(whole, wanted, has_parts);
                    const auto runs = starfmm::cut_cells(counts.of, wanted, 45);
                    CHECK(runs.size() == wanted);
                    // without parts a share is off by half a cell of many points on either side
                    std::size_t off = n / (32 * wanted);
                    const Words& cells = counts.of[0].cells;
                    for (std::size_t i = 1; i < cells.size() && !has_parts; ++i) {
                        off = std::max<std::size_t>(off, cells[i] - cells[i - 1]);
                    }
                    for (const CellRun& run : runs) {
                        CHECK(run.n[0] <= n / wanted + off);
                        CHECK(run.n[0] + off >= n / wanted);
                    }
                }
            }
        }
    }
}

TEST_CASE("cell_runs: a crowd in the first cell, or the last, is one run") {
    for (const std::size_t cell : {std::size_t(0), starfmm::n_cells<3> - 1}) {
        for (const std::size_t wanted : {1, 2, 7, 64}) {
            CAPTURE(cell);
            CAPTURE(wanted);
            CellCounts counts[2];
            counts[0].cells.assign(starfmm::n_cells<3> + 1, 0);
            std::fill(
                counts[0].cells.begin() + static_cast<std::ptrdiff_t>(cell) + 1,
                counts[0].cells.end(),
                1000U
            );
            const auto check = [&] {
                const auto runs = starfmm::cut_cells(counts, wanted, 45);
                REQUIRE(runs.size() == 1);
                CHECK(runs.front().n[0] == 1000);
                CHECK(runs.front().shared[0].first[0] == 0);
                CHECK(runs.front().shared[0].last[0] == 0);
            };
            check();
            if (wanted > 1) { // all points lie in one place, the last
                CHECK(starfmm::crowded_cells(counts, wanted) == std::vector{cell});
                counts[0].parts[cell].assign(parts_of_cell, 0);
                check();
            }
        }
    }
}
