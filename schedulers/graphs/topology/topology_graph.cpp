// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/topology_graph.hpp"

#include "codelets/task/arrival.hpp"
#include "codelets/task/spin.hpp"
#include "codelets/tree/connect.hpp"
#include "codelets/tree/cut.hpp"
#include "codelets/tree/powers.hpp"
#include "codelets/tree/root.hpp"
#include "codelets/tree/sort/sort_targets.hpp"
#include "core/tree/geometry.hpp"
#include "schedulers/graphs/priorities.hpp"
#include "schedulers/graphs/target_groups.hpp"
#include "schedulers/graphs/topology/deal_graph.hpp"
#include "schedulers/graphs/topology/orthtree_graph.hpp"
#include "schedulers/graphs/topology/point_check.hpp"
#include "schedulers/graphs/topology/sort_graph.hpp"
#include "schedulers/graphs/topology/top_connect.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <list>
#include <memory>

namespace starfmm {

class Topology::Builder {
public:
    Builder(Runtime& runtime, GeometrySet& codelets, TreeData& data)
        : runtime_(runtime), codelets_(codelets), data_(data), sorting_(runtime, codelets, data),
          orthtree_(runtime, codelets, data) {}

    /// Says who looks at the user's points. GPUs order all numbers, NaN too, by their bits;
    /// targets' arrays are taken later.
    [[nodiscard]] PointCheck::By who_looks() const {
        constexpr std::size_t many = std::size_t(1) << 22U; // fewer points are looked at in no time
        const auto& [n_cpu, n_cuda] = runtime_.engaged();
        const bool beside =
            n_cpu == 0 && n_cuda > 0 && data_.sets == PointSets::one && data_.n_sources >= many;
        return beside ? PointCheck::By::thread : PointCheck::By::caller;
    }

    /// Submits the tasks that sort sources and targets into an orthtree.
    void grow(PointArrays& sources, PointArrays& targets, PointCheck& check) {
        orthtree_.take(sources, targets, [&] { check.finish(); });
        for (UserInput& part : sources.field) {
            field_.push_back(part.parts(std::max<std::size_t>(1, data_.chunks.size())));
        }
        orthtree_.grow();
        std::ranges::for_each(orthtree_.inputs(), [&](auto& x) { keep_inputs(x); });
    }

    /// Takes the caller's steps until boxes are counted.
    void use_growth(const std::function<bool()>& step) { orthtree_.use_growth(step); }

    /// Connects the orthtree's boxes once the host knows how many there are, unless groups wait for
    /// the top.
    void connect_grown() {
        for (std::size_t g = 0; g < data_.groups.size(); ++g) {
            orthtree_.finish(g);
            Group& group = data_.groups[g];
            data_.make_orthtree_lists(group);
            bounds(group, group.sources);
            bounds(group, group.own_targets);
        }
        drop_bounds();
        if (!field_.empty()) {
            powers();
        }
        if (!data_.has_top()) {
            connect_groups();
        }
    }

    /// Makes the lists of each group and replaces those that it has.
    void connect_groups() {
        for (Group& group : data_.groups) {
            if (group.targets(data_.sets).n == 0) {
                continue;
            }
            connect(group);
        }
    }

    void take_sources(PointArrays& points, PointCheck& check) {
        const std::size_t n = std::max<std::size_t>(1, data_.chunks.size());
        SortGraph::Coordinates x = parts_of(points, n);
        sorting_.take(x, check);
        keep_inputs(x);
    }

    /// Submits the tasks that sort sources and targets into a pyramid and make its lists, unless
    /// groups wait for the host.
    void build_pyramid(PointArrays& sources, PointArrays& targets, PointCheck& check) {
        const auto take = [&] { take_sources(sources, check); };
        const auto finish = [&] { sort_and_connect(targets); };
        switch (data_.fusion) {
        case Fusion::none:
            take();
            finish();
            break;
        case Fusion::after_rank:
            take();
            runtime_.fuse(codelets_.topology, Priority::topology, finish);
            break;
        case Fusion::all:
            runtime_.fuse(codelets_.topology, Priority::topology, [&] {
                take();
                finish();
            });
            break;
        }
    }

    /// Sorts, and connects unless groups do not know their neighbours before the host has looked.
    void sort_and_connect(PointArrays& targets) {
        if (is_cut()) {
            sort_and_cut();
        } else {
            sort_sources();
        }
        if (data_.fusion == Fusion::none) {
            sorting_.release_ranks(); // StarPU frees them once the last task is done
        }
        if (data_.sets == PointSets::two) {
            sort_targets(targets);
        }
        drop_bounds();
        if (!data_.has_top()) {
            connect_groups();
        }
    }

    /// Waits for the groups' roots and connects the groups.
    void connect_below_top() {
        connect_top(runtime_, codelets_, data_);
        rethrow_task_error();
        for (Group& group : data_.groups) {
            group.sources.root = {};
            group.own_targets.root = {};
        }
        connect_groups();
    }

    /// Waits until tasks have taken the user's points, and releases what only sort reads.
    void release_inputs() {
        if (runtime_.spins()) {
            std::ranges::for_each(inputs_, &Handle::spin_until_unused);
        }
        inputs_.clear();
        sorting_.release();
    }

    /// Reads the counts of all groups' lists, in the order in which they are done where GPUs wait
    /// for them.
    void read_counts(const std::function<void(Group&)>& use) {
        if (runtime_.engaged().n_cuda == 0) {
            for (Group& group : data_.groups) {
                read_counts(group);
                use(group);
            }
            return;
        }
        std::list<Awaited> awaited;
        for (Group& group : data_.groups) {
            awaited.emplace_back(group);
        }
        const std::chrono::milliseconds patience(runtime_.spins() ? 20 : 0);
        while (!awaited.empty()) {
            auto next = awaited.end();
            const auto find_next = [&] {
                next = std::ranges::find_if(awaited, &Arrival::is_there, &Awaited::counts);
                return next != awaited.end();
            };
            spin_until(find_next, patience);
            Group& group = next->group;
            awaited.erase(next);
            read_counts(group);
            use(group);
        }
    }

    void read_counts(Group& group) {
        if (!group.counts) {
            return;
        }
        read(group.counts, group.list_counts);
        while (group.list_counts.overflow != 0) {
            group.list_layout.far_capacity *= 2;
            group.list_layout.near_capacity *= 2;
            connect_again(group);
            read(group.counts, group.list_counts);
        }
    }

private:
    /// A group whose lists are being written.
    struct Awaited {
        explicit Awaited(Group& of) : group(of), counts(of.counts.starpu()) {}

        Group& group;
        Arrival counts;
    };

    void drop_bounds() {
        for (Group& group : data_.groups) {
            group.sources.bounds = {};
            group.own_targets.bounds = {};
            group.planes = {};
            group.nodes = {};
        }
    }

    /// Whether one GPU makes the tree of all groups at once: one group's tree would leave most of
    /// the GPU idle, and the host busy with launches.
    [[nodiscard]] bool is_cut() const {
        // bytes with the scratch of sort, and the groups' arrays
        constexpr std::size_t bytes_a_point = 256;
        return data_.has_groups() && !data_.has_chunks() && data_.sets == PointSets::one &&
               runtime_.engaged().n_cuda == 1 && data_.n_sources >= data_.groups.size() &&
               bytes_a_point * data_.n_sources <= runtime_.gpu_memory();
    }

    void sort_and_cut() {
        Group whole;
        whole.tree = {data_.dimension, {0, data_.levels, 0}};
        whole.sources.n = data_.n_sources;
        sorting_.sort_whole(whole);
        frames(whole, whole.sources);
        cut(whole);
    }

    void cut(Group& whole) {
        GroupPoints& all = whole.sources;
        std::vector<Handle*> handles{&all.positions, &all.permutation, &all.boxes, &all.bounds};
        for (Group& group : data_.groups) {
            GroupPoints& points = group.sources;
            points.positions = data_.doubles(data_.coordinates(points.n));
            points.permutation = data_.indices(points.n);
            points.offsets = data_.indices(group.tree.leaves() + 1);
            points.boxes = data_.doubles(frame_doubles(data_.dimension, group.tree.total_boxes()));
            points.root = root_of_group();
            const std::array<Handle*, 5> arrays{
                &points.positions,
                &points.permutation,
                &points.offsets,
                &points.boxes,
                &points.root};
            handles.insert(handles.end(), arrays.begin(), arrays.end());
        }
        TaskArgs args = data_.args(whole.tree, {});
        args.split_levels = data_.group_level;
        args.n_slots = static_cast<std::uint32_t>(data_.groups.size());
        args.work = static_cast<double>(all.n);
        runtime_.submit(codelets_.get<CutTask>(), handles, args, Priority::bounds);
    }

    void sort_sources() {
        sorting_.sort();
        for (Group& group : data_.groups) {
            bounds(group, group.sources);
        }
    }

    void sort_targets(PointArrays& points);

    static SortGraph::Coordinates parts_of(PointArrays& points, std::size_t n_parts = 1) {
        SortGraph::Coordinates coordinates;
        for (UserInput& x : points.x) {
            coordinates.push_back(x.parts(n_parts));
        }
        return coordinates;
    }

    void keep_inputs(SortGraph::Coordinates& coordinates) {
        for (std::vector<Handle>& handles : coordinates) {
            std::ranges::move(handles, std::back_inserter(inputs_));
        }
    }

    void bounds(Group& group, GroupPoints& points) {
        if (points.n == 0) {
            return;
        }
        frames(group, points);
        if (data_.has_top()) {
            root(group, points);
        }
    }

    /// Submits the task that makes the boxes of points.
    void frames(Group& group, GroupPoints& points) {
        const std::size_t n = data_.box_room(group);
        const int dimension = data_.dimension;
        points.boxes = data_.doubles(
            data_.has_orthtree() ? orthtree_doubles(dimension, n) : frame_doubles(dimension, n)
        );
        const auto bounds_size = [](auto d) { return sizeof(Bounds<double, d()>); };
        points.bounds = data_.temporary(n, with_dimension(dimension, bounds_size));
        TaskArgs args = args_of_boxes(group, points);
        std::vector<Handle*> handles{
            &points.boxes, &points.bounds, &points.positions, &points.offsets};
        if (data_.has_orthtree()) {
            handles.push_back(&group.nodes);
            handles.push_back(&orthtree_.domain_of_tree());
        }
        runtime_.submit(codelets_.get<BoundsTask>(), handles, args, Priority::bounds);
    }

    /// Submits the tasks that find what separations need to know of the bodies in groups' boxes.
    void powers() {
        std::vector<PieceTable> dealt;
        for (std::size_t part = 0; part < field_.size() && data_.has_pieces(); ++part) {
            dealt.push_back(deal_values(runtime_, codelets_, data_, field_[part], Priority::bounds)
            );
        }
        for (Group& group : data_.groups) {
            if (group.sources.n > 0) {
                powers(group, dealt);
            }
        }
        field_.clear(); // the next sums, by handles of their own, overwrite the arrays
    }

    void powers(Group& group, std::vector<PieceTable>& dealt) {
        GroupPoints& points = group.sources;
        const std::size_t n = data_.box_room(group);
        points.reaches = data_.array(n, sizeof(OwnReach));
        Handle scratch = data_.temporary(n, sizeof(BoxPowers));
        TaskArgs args = args_of_boxes(group, points);
        std::vector<Handle*> handles{
            &points.reaches, &scratch, &points.boxes, &points.positions, &points.permutation};
        for (std::size_t part = 0; part < field_.size(); ++part) {
            if (data_.has_pieces()) {
                args.n_slots = dealt[part].append_of_group(data_.index_of(group), handles);
            } else {
                handles.push_back(&field_[part].front());
            }
        }
        runtime_.submit(codelets_.get<PowersTask>(), handles, args, Priority::bounds);
    }

    /// Makes the arguments of tasks that make boxes of points.
    [[nodiscard]] TaskArgs args_of_boxes(const Group& group, const GroupPoints& points) const {
        TaskArgs args = data_.args(group.tree, {});
        args.part = data_.has_groups() ? group.part : ProblemPart{};
        args.orthtree = group.orthtree;
        args.shared[0] = points.shared;
        args.work = static_cast<double>(points.n);
        return args;
    }

    /// Makes the datum of a group's root, which the host waits for.
    [[nodiscard]] Handle root_of_group() const {
        Handle root = data_.temporary(1, sizeof(Root));
        root.write_through();
        return root;
    }

    void root(const Group& group, GroupPoints& points) {
        points.root = root_of_group();
        TaskArgs args = args_of_boxes(group, points);
        args.work = 0;
        const std::array<Handle*, 3> handles{&points.root, &points.boxes, &points.bounds};
        runtime_.submit(codelets_.get<RootTask>(), handles, args, Priority::bounds);
    }

    void connect(Group& group);

    void connect_again(Group& group) {
        if (data_.fusion == Fusion::none) {
            connect(group);
        } else {
            runtime_.fuse(codelets_.topology, Priority::topology, [&] { connect(group); });
        }
    }

    void read(Handle& counts, ListCounts& out) {
        if (runtime_.spins()) {
            counts.spin_until_home();
        }
        counts.read(std::span(&out, 1));
        rethrow_task_error();
    }

    Runtime& runtime_;
    GeometrySet& codelets_;
    TreeData& data_;
    SortGraph sorting_;
    OrthtreeGraph orthtree_;
    std::vector<Handle> inputs_;
    /// What the bodies have besides places, by part and chunk, until task `powers` has read it.
    SortGraph::Coordinates field_;
};

void Topology::Builder::sort_targets(PointArrays& points) {
    const std::size_t m = points.size();
    const std::size_t n_leaves = data_.n_boxes(data_.levels);
    Handle positions = data_.temporary(data_.coordinates(m), sizeof(double));
    Handle permutation = data_.temporary(m, sizeof(std::uint32_t));
    Handle offsets = data_.temporary(n_leaves + 1, sizeof(std::uint32_t));
    Handle scratch = data_.scratch(sort_targets_scratch_bytes * m);
    SortGraph::Coordinates x = parts_of(points);
    std::vector<Handle*> handles{&positions, &permutation, &offsets, &scratch};
    for (std::vector<Handle>& coordinate : x) {
        handles.push_back(&coordinate.front());
    }
    handles.push_back(&sorting_.top_planes());
    for (Group& group : data_.groups) {
        handles.push_back(&group.planes);
    }
    TaskArgs args = data_.args({0, data_.levels, 0}, {});
    args.split_levels = data_.group_level;
    args.n_slots = static_cast<std::uint32_t>(data_.groups.size());
    args.n_targets = m;
    args.work = static_cast<double>(m) * (1 + data_.levels);
    runtime_.submit(codelets_.get<SortTargetsTask>(), handles, args, Priority::topology);
    distribute_targets(data_, positions, permutation, offsets);
    for (Group& group : data_.groups) {
        bounds(group, group.own_targets);
    }
    keep_inputs(x);
}

void Topology::Builder::connect(Group& group) {
    GroupPoints& targets = group.targets(data_.sets);
    group.lists = data_.indices(data_.list_room(group).words());
    group.counts = {&group.list_counts, 1, sizeof(ListCounts), data_.home};
    group.counts.write_through(); // the host waits for the counts
    std::vector<Handle*> slots;
    std::uint64_t slot_boxes = 0;
    for (const std::uint32_t neighbour : group.neighbours) {
        slots.push_back(&data_.groups[neighbour].sources.boxes);
        slot_boxes += data_.box_room(data_.groups[neighbour]);
    }
    Handle scratch = data_.temporary(
        connect_scratch_words(
            data_.list_room(group),
            data_.has_groups() ? slot_boxes : 0,
            data_.options.heavy_theta > 0
        ),
        sizeof(std::uint32_t)
    );
    std::vector<Handle*> handles{
        &group.lists, &group.counts, &scratch, &targets.boxes, &targets.offsets};
    handles.insert(handles.end(), slots.begin(), slots.end());
    for (const std::uint32_t neighbour : group.neighbours) {
        if (data_.has_reaches()) {
            handles.push_back(&data_.groups[neighbour].sources.reaches);
        }
    }
    TaskArgs args = data_.args(group);
    args.work = static_cast<double>(group.total_boxes());
    args.takers = data_.options.lists == Team::cores ? Takers::cores : Takers::builders;
    runtime_.submit(codelets_.get<ConnectTask>(), handles, args, Priority::topology);
}

Topology::Topology(Runtime& runtime, GeometrySet& codelets, TreeData& data)
    : data_(data), builder_(std::make_unique<Builder>(runtime, codelets, data)) {}

Topology::~Topology() = default;

bool Topology::build(PointArrays sources, PointArrays targets, const Meanwhile& meanwhile) {
    PointCheck check(
        [&] {
            const bool sources_in = sources.check();
            return (data_.sets == PointSets::one || targets.check()) && sources_in;
        },
        builder_->who_looks()
    );
    if (data_.has_orthtree()) {
        builder_->grow(sources, targets, check);
        if (data_.has_groups() && !data_.has_pieces()) { // with pieces, strengths come first
            finish_boxes();
        }
    } else {
        builder_->build_pyramid(sources, targets, check);
        stage_ = Stage::boxes;
    }
    const bool all_in = check.finish(); // tasks run meanwhile
    if (all_in && meanwhile.lists) {
        builder_->use_growth(meanwhile.boxes);
        finish_boxes();
        const double theta = data_.options.theta;
        meanwhile.lists();
        if (data_.options.theta != theta) {
            builder_->connect_groups();
        }
    }
    builder_->release_inputs();
    return all_in;
}

bool Topology::finish_boxes() {
    if (stage_ != Stage::points) {
        return false;
    }
    stage_ = Stage::boxes;
    builder_->connect_grown();
    return true;
}

void Topology::finish_top() {
    if (stage_ >= Stage::top) {
        return;
    }
    finish_boxes();
    if (data_.has_top()) {
        builder_->connect_below_top();
    }
    stage_ = Stage::top;
}

void Topology::finish_lists(const std::function<void(Group&)>& use) {
    finish_top();
    if (stage_ == Stage::lists) {
        std::ranges::for_each(data_.groups, use);
        return;
    }
    builder_->read_counts(use);
    stage_ = Stage::lists;
    finished_ = Clock::now();
}

} // namespace starfmm
