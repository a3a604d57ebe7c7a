// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/tree/bounds.hpp"
#include "tests/support/orthtree_lists.hpp"
#include "tests/support/shapes.hpp"

#include <memory>
#include <numeric>

namespace {

template <int D>
using Run = OrthtreeRun<Buffers, D>;

/// An orthtree whose groups are the boxes of level 1 that have points, and the top above them.
template <int D>
class Groups {
public:
    Groups(
        const starfmm::Points<D>& sources,
        const starfmm::Points<D>& targets,
        std::uint32_t leaf_size,
        double heavy
    )
        : bodies_(geometry_variants<D>().front().bodies),
          whole_(bodies_, sources, targets, leaf_size) {
        const std::size_t n_targets = targets.size() > 0 ? targets.size() : sources.size();
        whole_.separate_by_share(
            heavy, static_cast<double>(sources.size()), static_cast<double>(n_targets)
        );
        std::vector<GroupedPoints> sorted(static_cast<std::size_t>(whole_.n_sets));
        for (int set = 0; set < whole_.n_sets; ++set) {
            sorted[static_cast<std::size_t>(set)] = whole_.sort_by_cells(set);
        }
        for (std::size_t g = 0; g < starfmm::n_children<D>; ++g) {
            if (!sorted.front()[g].codes.empty() || !sorted.back()[g].codes.empty()) {
                groups_.push_back(std::make_unique<Run<D>>(whole_, g, sorted));
            }
        }
        connect_top();
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            connect(g);
        }
    }

    /// Checks that every target meets every source of every group once.
    void check_lists() {
        std::vector<MetSources> met;
        for (const auto& group : groups_) {
            met.emplace_back(*group);
        }
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            Run<D>& group = *groups_[g];
            const Words& offsets = group.targets().offsets;
            for (std::size_t leaf = 0; leaf < group.n_leaves(); ++leaf) {
                if (offsets[leaf] == offsets[leaf + 1]) {
                    continue;
                }
                visit_met<D>(group, slots(g), leaf, [&](const MetBox& box) {
                    met[near_groups(g)[box.slot]].add(box.source);
                });
                for (const std::uint32_t far : far_groups(g)) {
                    met[far].add(0);
                }
                for (MetSources& of_group : met) {
                    CHECK(of_group.take_all_once());
                }
            }
        }
    }

    [[nodiscard]] std::size_t size() const { return groups_.size(); }

    /// Checks that group `g` by itself is as one tree would have it: the boxes below one of level
    /// 1.
    void check_trees() {
        std::size_t n_leaves = 0;
        for (const auto& group : groups_) {
            n_leaves += group->n_leaves();
            for (std::size_t leaf = 0; leaf < group->n_leaves(); ++leaf) {
                const Words& offsets = group->points[0].offsets;
                CHECK(offsets[leaf] <= offsets[leaf + 1]);
            }
        }
        const bool is_split = whole_.n_boxes() > 1;
        CHECK((!is_split || n_leaves == whole_.n_leaves()));
    }

private:
    /// Makes the boxes of the top, with its arrays: the root, and below it the groups' roots.
    [[nodiscard]] std::vector<double> top_boxes(int set) {
        const std::size_t n = groups_.size() + 1;
        std::vector<double> boxes(starfmm::orthtree_doubles(D, n));
        auto buffer = buffer_of(boxes.data(), boxes.size(), sizeof(double));
        const auto view = starfmm::BoxView<D>::of(&buffer, top_args());
        const auto tree = view.orthtree();
        *tree.size = top_args().orthtree;
        std::iota(tree.leaf_boxes, tree.leaf_boxes + groups_.size(), 1U);
        std::fill_n(tree.child_begin, n + 1, static_cast<std::uint32_t>(n));
        tree.child_begin[0] = 1;
        tree.level_begin[1] = 1;
        tree.level_begin[2] = static_cast<std::uint32_t>(n);
        std::vector<starfmm::Bounds<double, D>> bounds(n, starfmm::Bounds<double, D>::nothing());
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            tree.leaf_begin[g + 1] =
                tree.leaf_begin[g] + static_cast<std::uint32_t>(groups_[g]->points[0].codes.size());
            const auto disc = groups_[g]->frame(set, 0);
            view.set(g + 1, disc);
            for (int d = 0; d < D && disc.radius >= 0; ++d) { // a square about the disc will do
                bounds[g + 1].add(d, coordinate(disc.centre, d) - disc.radius);
                bounds[g + 1].add(d, coordinate(disc.centre, d) + disc.radius);
            }
        }
        view.set(0, starfmm::parent_disc(view, bounds.data(), {1, n}, bounds[0]));
        return boxes;
    }

    [[nodiscard]] starfmm::TaskArgs top_args() const {
        const auto n = static_cast<std::uint32_t>(groups_.size());
        starfmm::TaskArgs args = whole_.args;
        args.tree = {};
        args.orthtree = {n + 1, n, 1, 0};
        args.n_slots = 1;
        args.order = 0; // neither P2L nor M2P between groups
        args.lists = {n + 1, n, std::uint64_t(n + 1) * (n + 1), std::uint64_t(n + 1) * (n + 1)};
        return args;
    }

    void connect_top() {
        const starfmm::TaskArgs args = top_args();
        top_lists_.assign(args.lists.words(), 0);
        Words scratch(starfmm::connect_scratch_words(args.lists, 0, args.by_share.varies()));
        Words offsets(groups_.size() + 1, 0);
        std::vector<starfmm::ListCounts> counts(1);
        auto targets = top_boxes(whole_.n_sets - 1);
        auto sources = top_boxes(0);
        call(
            body<starfmm::ConnectTask>(bodies_),
            args,
            top_lists_,
            counts,
            scratch,
            targets,
            offsets,
            sources
        );
        REQUIRE(counts[0].overflow == 0);
    }

    void connect(std::size_t g) {
        Run<D>& group = *groups_[g];
        group.args.is_group = true;
        group.args.top_box = g + 1;
        group.connect_to(slots(g), {group.n_boxes(), group.n_leaves(), 500'000, 500'000});
        REQUIRE(group.counts[0].overflow == 0);
    }

    [[nodiscard]] static Words row(const starfmm::ListView& list, std::size_t i) {
        return {list.boxes + list.offsets[i], list.boxes + list.offsets[i + 1]};
    }

    [[nodiscard]] Words near_groups(std::size_t g) {
        return row(top_args().lists.near(top_lists_.data()), g);
    }

    [[nodiscard]] Words far_groups(std::size_t g) {
        Words groups = row(top_args().lists.far(top_lists_.data()), g + 1);
        for (std::uint32_t& group : groups) {
            --group; // box to group
        }
        return groups;
    }

    [[nodiscard]] std::vector<Run<D>*> slots(std::size_t g) {
        std::vector<Run<D>*> all;
        for (const std::uint32_t group : near_groups(g)) {
            all.push_back(groups_[group].get());
        }
        return all;
    }

    starfmm::GeometryBodies bodies_;
    Run<D> whole_;
    std::vector<std::unique_ptr<Run<D>>> groups_;
    Words top_lists_;
};

template <int D>
void check_groups() {
    for (const std::string& shape : shape_names) {
        for (const bool two_sets : {false, true}) {
            for (const std::uint32_t leaf_size : {2, 30}) {
                for (const double heavy : {0.0, 0.2}) {
                    CAPTURE(D);
                    CAPTURE(shape);
                    CAPTURE(two_sets);
                    CAPTURE(heavy);
                    const auto targets =
                        two_sets ? make_shape<D>("normal", 150, 2) : starfmm::Points<D>();
                    Groups<D> groups(make_shape<D>(shape, 500, 1), targets, leaf_size, heavy);
                    CHECK(groups.size() > 1);
                    groups.check_trees();
                    groups.check_lists();
                }
            }
        }
    }
}

} // namespace

TEST_CASE("orthtree: targets of every group meet every source once") {
    check_groups<2>();
    check_groups<3>();
}
