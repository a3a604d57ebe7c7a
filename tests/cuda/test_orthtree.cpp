// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/place_counts.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/shapes.hpp"

#include <array>
#include <memory>
#include <numeric>
#include <utility>

namespace {

/// Returns the rows of a list, each in ascending order.
std::vector<Words> rows_of(const starfmm::ListView& list, std::size_t n_rows) {
    std::vector<Words> rows;
    for (std::size_t row = 0; row < n_rows; ++row) {
        rows.emplace_back(list.boxes + list.offsets[row], list.boxes + list.offsets[row + 1]);
        std::sort(rows.back().begin(), rows.back().end());
    }
    return rows;
}

template <class Run>
std::vector<std::vector<Words>> lists_of(Run& run) {
    const starfmm::ListLayout& layout = run.args.lists;
    std::uint32_t* data = run.lists.data();
    return {
        rows_of(layout.far(data), layout.n_boxes),
        rows_of(layout.near(data), layout.n_leaves),
        rows_of(layout.p2l(data), layout.n_leaves),
        rows_of(layout.m2p(data), layout.n_leaves)};
}

template <int D>
void check_orthtree(
    const starfmm::Points<D>& sources, const starfmm::Points<D>& targets, std::uint32_t leaf_size
) {
    const auto cpu_bodies = cpu_geometry<D>();
    const auto gpu_bodies = gpu_geometry<D>();
    OrthtreeRun<Buffers, D> cpu(cpu_bodies, sources, targets, leaf_size);
    OrthtreeRun<DeviceBuffers, D> gpu(gpu_bodies, sources, targets, leaf_size);
    CHECK(gpu.args.orthtree.n_boxes == cpu.args.orthtree.n_boxes);
    const starfmm::Domain<D> of_parts = gpu.domain_of_parts(3);
    CHECK(of_parts.corner == cpu.domain[0].corner);
    CHECK(of_parts.side == cpu.domain[0].side);
    for (int set = 0; set < cpu.n_sets; ++set) {
        CHECK((gpu.points[set] == cpu.points[set]));
        CHECK((gpu.sort_by_cells(set) == cpu.sort_by_cells(set)));
        ChunkCells chunk = cpu.chunk(set);
        CHECK((gpu.chunk(set) == chunk));
        Words cells(starfmm::n_children<D>); // the fullest lie anywhere
        std::iota(cells.begin(), cells.end(), starfmm::n_cells<D> / 2 - cells.size() / 2);
        CHECK((gpu.count_parts(chunk, cells) == cpu.count_parts(chunk, cells)));
        std::vector<starfmm::DeepCode> borders{
            0, cpu.points[set].codes.front(), cpu.points[set].codes.back()};
        CHECK((gpu.deal_runs(chunk, borders) == cpu.deal_runs(chunk, borders)));
    }
    const std::uint64_t n_boxes = cpu.n_boxes();
    constexpr std::uint64_t many = std::uint64_t(1) << 23;
    // all boxes meet within a support
    const std::uint64_t of_few = std::min(n_boxes * n_boxes, many);
    const std::uint64_t room = std::max((D == 2 ? 60 : 600) * n_boxes, of_few) + 10'000;
    const auto n_sources = static_cast<double>(sources.size());
    const double n_targets = cpu.n_sets == 2 ? static_cast<double>(targets.size()) : n_sources;
    constexpr double few_leaves = D == 2 ? 0.002 : 0.05; // wide, a support that opens few rows
    for (const auto& [heavy, support] :
         {std::pair(0.0, 0.0), std::pair(0.2, 0.0), std::pair(0.2, few_leaves)}) {
        CAPTURE(heavy);
        CAPTURE(support);
        cpu.separate_by_share(heavy, n_sources, n_targets);
        gpu.separate_by_share(heavy, n_sources, n_targets);
        cpu.args.kernel.support = support;
        gpu.args.kernel.support = support;
        cpu.connect(room, room);
        gpu.connect(room, room);
        REQUIRE(cpu.counts[0].overflow == 0);
        CHECK(numbers(gpu.counts[0]) == numbers(cpu.counts[0]));
        CHECK(lists_of(gpu) == lists_of(cpu));
    }
}

template <int D>
void check_tree_shapes(TakesTurns& taken) {
    for (const std::string& shape : shape_names) {
        for (const std::size_t n : {1, 2, 300, 5000}) {
            for (const bool two_sets : {false, true}) {
                for (const std::uint32_t leaf_size : {3, 40}) {
                    if (!taken()) {
                        continue;
                    }
                    CAPTURE(D);
                    CAPTURE(shape);
                    CAPTURE(n);
                    starfmm::Points<D> targets;
                    if (two_sets) {
                        targets = make_shape<D>("normal", 1 + n / 3, 2);
                    }
                    check_orthtree(make_shape<D>(shape, n, 1), targets, leaf_size);
                }
            }
        }
    }
}

template <int D>
void check_many_points() {
    for (const char* shape : {"uniform", "normal", "layer"}) {
        CAPTURE(D);
        CAPTURE(shape);
        check_orthtree<D>(make_shape<D>(shape, scene_size(300'000), 1), {}, 45);
    }
}

/// Checks sets of more points than curve ranks by bins, some of them at one place.
template <int D>
void check_radix() {
    const std::size_t n = scene_size(starfmm::radix_points + 1000);
    starfmm::Points<D> points = make_shape<D>("normal", n, 1);
    for (auto& x : points.x) {
        std::fill(x.begin() + 100, x.begin() + 200, x[0]);
    }
    const OrthtreeRun<Buffers, D> cpu(cpu_geometry<D>(), points, {}, 500);
    const OrthtreeRun<DeviceBuffers, D> gpu(gpu_geometry<D>(), points, {}, 500);
    CHECK((gpu.points[0] == cpu.points[0]));
}

template <int D>
void check_too_small_tree_lists() {
    const auto bodies = gpu_geometry<D>();
    OrthtreeRun<DeviceBuffers, D> run(bodies, make_shape<D>("normal", 2000, 1), {}, 10);
    run.connect(1'000'000, 1'000'000);
    const starfmm::ListCounts counts = run.counts[0];
    REQUIRE(counts.overflow == 0);
    run.connect(counts.far - 1, 1'000'000);
    CHECK(run.counts[0].overflow != 0);
    run.connect(counts.far, counts.near / 2);
    CHECK(run.counts[0].overflow != 0);
}

/// The groups of level 1 of a whole tree that have points.
template <class BufferSet, int D>
class LevelOne {
public:
    using Run = OrthtreeRun<BufferSet, D>;

    LevelOne(
        const starfmm::GeometryBodies& bodies,
        const starfmm::Points<D>& sources,
        const starfmm::Points<D>& targets,
        std::uint32_t leaf_size
    )
        : whole_(bodies, sources, targets, leaf_size) {
        std::vector<GroupedPoints> sorted;
        for (int set = 0; set < whole_.n_sets; ++set) {
            sorted.push_back(whole_.sort_by_cells(set));
        }
        for (std::size_t g = 0; g < starfmm::n_children<D>; ++g) {
            if (!sorted.front()[g].codes.empty() || !sorted.back()[g].codes.empty()) {
                groups_.push_back(std::make_unique<Run>(whole_, g, sorted));
            }
        }
    }

    [[nodiscard]] std::size_t size() const { return groups_.size(); }

    [[nodiscard]] Run& group(std::size_t g) { return *groups_[g]; }

    /// Connects a group to the groups that are not well separated from it.
    void connect(std::size_t g) {
        const starfmm::SeparationRule separated =
            starfmm::SeparationRule{whole_.args.theta, D == 3};
        const auto target = group(g).frame(whole_.n_sets - 1, 0);
        std::vector<Run*> slots;
        for (const auto& other : groups_) {
            const auto source = other->frame(0, 0);
            if (source.radius >= 0 && target.radius >= 0 && !separated(source, target)) {
                slots.push_back(other.get());
            }
        }
        group(g).args.is_group = true;
        group(g).args.top_box = g + 1;
        const std::uint64_t room = (D == 2 ? 120 : 1200) * group(g).n_boxes() + 10'000;
        group(g).connect_to(slots, {group(g).n_boxes(), group(g).n_leaves(), room, room});
    }

private:
    Run whole_;
    std::vector<std::unique_ptr<Run>> groups_;
};

template <int D>
void check_group_slots(
    const starfmm::Points<D>& sources, const starfmm::Points<D>& targets, std::uint32_t leaf_size
) {
    LevelOne<Buffers, D> cpu(cpu_geometry<D>(), sources, targets, leaf_size);
    LevelOne<DeviceBuffers, D> gpu(gpu_geometry<D>(), sources, targets, leaf_size);
    REQUIRE(gpu.size() == cpu.size());
    for (std::size_t g = 0; g < cpu.size(); ++g) {
        CAPTURE(g);
        CHECK(gpu.group(g).args.orthtree.n_boxes == cpu.group(g).args.orthtree.n_boxes);
        CHECK((gpu.group(g).points[0] == cpu.group(g).points[0]));
        CHECK((gpu.group(g).targets() == cpu.group(g).targets()));
    }
    const auto n_sources = static_cast<double>(sources.size());
    const auto n_targets = static_cast<double>(std::max<std::size_t>(1, targets.size()));
    std::vector<double> heavies{0};
    if (sources.size() <= 5000) { // rows of more are too long where heavy boxes are opened
        heavies.push_back(0.35);
    }
    for (const double heavy : heavies) {
        for (std::size_t g = 0; g < cpu.size(); ++g) {
            CAPTURE(heavy);
            CAPTURE(g);
            cpu.group(g).separate_by_share(heavy, n_sources, n_targets);
            gpu.group(g).separate_by_share(heavy, n_sources, n_targets);
            cpu.connect(g);
            gpu.connect(g);
            REQUIRE(cpu.group(g).counts[0].overflow == 0);
            CHECK(numbers(gpu.group(g).counts[0]) == numbers(cpu.group(g).counts[0]));
            CHECK(lists_of(gpu.group(g)) == lists_of(cpu.group(g)));
        }
    }
}

template <int D>
void check_groups(TakesTurns& taken) {
    for (const std::string& shape : shape_names) {
        for (const bool two_sets : {false, true}) {
            for (const std::uint32_t leaf_size : {3, 40}) {
                if (!taken()) {
                    continue;
                }
                CAPTURE(D);
                CAPTURE(shape);
                CAPTURE(two_sets);
                starfmm::Points<D> targets;
                if (two_sets) {
                    targets = make_shape<D>("normal", 700, 2);
                }
                check_group_slots(make_shape<D>(shape, 5000, 1), targets, leaf_size);
            }
        }
    }
}

/// Groups that are runs of cells, made by both kinds of worker.
template <class BufferSet>
class RunGroups {
public:
    using Run = OrthtreeRun<BufferSet, 3>;

    RunGroups(Run& whole, const std::vector<starfmm::CellRun>& runs) {
        for (const starfmm::CellRun& run : runs) {
            groups_.push_back(std::make_unique<Run>(
                whole, codes_of(run), std::array{run.shared[0], run.shared[1]}
            ));
        }
    }

    [[nodiscard]] Run& group(std::size_t g) { return *groups_[g]; }

    void connect(std::size_t g) {
        std::vector<Run*> slots;
        for (const auto& other : groups_) {
            slots.push_back(other.get());
        }
        const std::uint64_t room = 1200 * group(g).n_boxes() + 100'000;
        group(g).connect_to(slots, {group(g).n_boxes(), group(g).n_leaves(), room, room});
    }

private:
    std::vector<std::unique_ptr<Run>> groups_;
};

void check_runs(const starfmm::Points<3>& sources, const starfmm::Points<3>& targets) {
    constexpr std::uint32_t leaf_size = 20;
    OrthtreeRun<Buffers, 3> whole(cpu_geometry<3>(), sources, targets, leaf_size);
    OrthtreeRun<DeviceBuffers, 3> whole_gpu(gpu_geometry<3>(), sources, targets, leaf_size);
    const auto n_sources = static_cast<double>(sources.size());
    const double n_targets = whole.n_sets > 1 ? static_cast<double>(targets.size()) : n_sources;
    for (const double heavy : {0.0, 0.35}) {
        whole.separate_by_share(heavy, n_sources, n_targets);
        whole_gpu.separate_by_share(heavy, n_sources, n_targets);
        for (const std::size_t wanted : {2, 5}) {
            const PlaceCounts counts(whole, wanted, true);
            const auto runs = starfmm::cut_cells(counts.of, wanted, leaf_size);
            RunGroups<Buffers> cpu(whole, runs);
            RunGroups<DeviceBuffers> gpu(whole_gpu, runs);
            for (std::size_t g = 0; g < runs.size(); ++g) {
                CAPTURE(heavy);
                CAPTURE(wanted);
                CAPTURE(g);
                CHECK((gpu.group(g).points[0] == cpu.group(g).points[0]));
                CHECK((gpu.group(g).targets() == cpu.group(g).targets()));
                cpu.connect(g);
                gpu.connect(g);
                REQUIRE(cpu.group(g).counts[0].overflow == 0);
                CHECK(numbers(gpu.group(g).counts[0]) == numbers(cpu.group(g).counts[0]));
                CHECK(lists_of(gpu.group(g)) == lists_of(cpu.group(g)));
            }
        }
    }
}

} // namespace

TEST_CASE("orthtree: CUDA grows the CPU's tree bit by bit, and connects the same boxes") {
    TakesTurns taken;
    check_tree_shapes<2>(taken);
    check_tree_shapes<3>(taken);
}

TEST_CASE("orthtree: CUDA grows the CPU's tree of many points") {
    check_many_points<2>();
    check_many_points<3>();
}

TEST_CASE("orthtree: CUDA grows the CPU's groups, and connects them to the same boxes of others") {
    TakesTurns taken;
    check_groups<2>(taken);
    check_groups<3>(taken);
    check_group_slots<2>(make_shape<2>("normal", scene_size(300'000), 1), {}, 45);
    check_group_slots<3>(make_shape<3>("normal", scene_size(300'000), 1), {}, 45);
}

TEST_CASE("orthtree: CUDA grows and connects the CPU's groups that share boxes") {
    for (const std::string& shape : shape_names) {
        CAPTURE(shape);
        check_runs(make_shape<3>(shape, 3000, 1), {});
        check_runs(make_shape<3>(shape, 3000, 1), make_shape<3>("normal", 700, 2));
    }
}

TEST_CASE("orthtree: CUDA sorts more points than it has bins for") {
    check_radix<2>();
    check_radix<3>();
}

TEST_CASE("orthtree: CUDA reports too small lists") {
    check_too_small_tree_lists<2>();
    check_too_small_tree_lists<3>();
}
