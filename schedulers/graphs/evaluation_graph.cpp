// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/evaluation_graph.hpp"

#include "schedulers/graphs/deal_graph.hpp"
#include "schedulers/graphs/gather_graph.hpp"
#include "schedulers/graphs/priorities.hpp"
#include "schedulers/graphs/topology_graph.hpp"

#include <array>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

class EvaluationGraph {
public:
    EvaluationGraph(Runtime& runtime, KernelSet& kernel, TreeData& data, EvaluationArrays& arrays)
        : runtime_(runtime), kernel_(kernel), data_(data), arrays_(arrays) {}

    void submit() {
        if (!data_.has_chunks()) { // the topology's tasks are still running
            for (std::size_t part = 0; part < n_strengths(); ++part) {
                runtime_.prefetch(arrays_.strengths[part].front());
            }
        }
        if (data_.connect_grown) {
            finish_growing(data_);
            runtime_.check_memory(data_.n_bytes(kernel_.traits)); // only now its boxes are counted
        }
        maybe_fused(kernel_.upward, Priority::upward, [this] { upward(); });
        // What follows depends on the lists; what came before keeps the workers busy meanwhile.
        finish_topology(runtime_, kernel_.geometry, data_);
        maybe_fused(kernel_.downward, Priority::downward, [this] { downward(); });
    }

private:
    using Handles = std::vector<Handle*>;

    template <class Submit>
    void maybe_fused(FusedCodelet& codelet, int priority, const Submit& submit_tasks) {
        if (data_.fusion == Fusion::none) {
            submit_tasks();
        } else {
            runtime_.fuse(codelet, priority, submit_tasks);
        }
    }

    void upward() {
        if (data_.has_chunks()) {
            for (std::size_t part = 0; part < n_strengths(); ++part) {
                dealt_strengths_.push_back(deal_values(
                    runtime_, kernel_.geometry, data_, arrays_.strengths[part], Priority::strengths
                ));
            }
        }
        for (Group& group : data_.groups) {
            strengths(group);
            p2m(group);
            m2m(group);
        }
    }

    void downward() {
        if (data_.has_top()) {
            top();
        }
        for (Group& group : data_.groups) {
            if (targets(group).n > 0) {
                m2l(group);
                p2l(group);
                l2l(group);
                p2p(group);
                l2p(group);
                m2p(group);
            }
        }
        submit_gather(runtime_, kernel_, data_, arrays_.potentials);
    }

    GroupPoints& targets(Group& group) const { return group.targets(data_.sets); }

    void run(Codelet& codelet, const Handles& handles, TaskArgs args, double work, int priority) {
        args.work = work;
        runtime_.submit(codelet, handles, args, priority);
    }

    /// Arrays of one evaluation serve the next.
    template <class Make>
    static void keep(Handle& handle, const Make& make) {
        if (!handle) {
            handle = make();
        }
    }

    /// Buffers of the slots of `group`: two handles of each neighbour.
    template <class First, class Second>
    Handles with_slots(Handles handles, const Group& group, First first, Second second) {
        for (const std::uint32_t neighbour : group.neighbours) {
            handles.push_back(&first(data_.groups[neighbour]));
            handles.push_back(&second(data_.groups[neighbour]));
        }
        return handles;
    }

    /// As above, of points: where the leaves of an orthtree begin among them is known to its boxes.
    Handles with_points(Handles handles, Group& group) {
        handles = with_slots(std::move(handles), group, sources_of, strengths_of);
        if (data_.has_orthtree()) {
            handles.push_back(&group.sources.boxes);
        }
        return handles;
    }

    static Handle& sources_of(Group& group) { return group.sources.positions; }

    static Handle& strengths_of(Group& group) { return group.strengths; }

    static Handle& multipoles_of(Group& group) { return group.multipoles; }

    static Handle& boxes_of(Group& group) { return group.sources.boxes; }

    /// Arguments of tasks that read no neighbours.
    [[nodiscard]] TaskArgs alone(const Group& group) const {
        TaskArgs args = data_.args(group);
        args.n_slots = 0;
        return args;
    }

    /// Of an operator of the far field, which P2P does not need.
    static TaskArgs beside_near_field(TaskArgs args) {
        args.is_aside = true;
        return args;
    }

    /// Multiplications of `n` translations.
    [[nodiscard]] double shifts(std::uint64_t n) const {
        return static_cast<double>(n) * data_.order * data_.order;
    }

    [[nodiscard]] std::size_t n_strengths() const {
        return kernel_.traits.complex_strength ? 2 : 1;
    }

    [[nodiscard]] std::size_t n_values() const {
        return static_cast<std::size_t>(kernel_.traits.n_values);
    }

    [[nodiscard]] double terms(std::uint64_t n) const {
        return static_cast<double>(n) * data_.order;
    }

    void strengths(Group& group) {
        keep(group.strengths, [&] { return data_.reals(n_strengths() * group.sources.n); });
        Handles handles{&group.strengths, &group.sources.permutation};
        TaskArgs args = alone(group);
        for (std::size_t part = 0; part < n_strengths(); ++part) {
            if (data_.has_chunks()) {
                args.n_slots = dealt_strengths_[part].append_of_group(group.tree.root, handles);
            } else {
                handles.push_back(&arrays_.strengths[part].front());
            }
        }
        const auto work = static_cast<double>(group.sources.n);
        run(kernel_.gather.get<StrengthsTask>(), handles, args, work, Priority::strengths);
    }

    void p2m(Group& group) {
        keep(group.multipoles, [&] { return data_.coefficients(group.total_boxes()); });
        run(kernel_.get<P2MTask>(),
            {&group.multipoles, &group.sources.boxes, &group.sources.positions, &group.strengths},
            alone(group),
            terms(group.sources.n),
            Priority::upward);
    }

    void m2m(Group& group) {
        Handles handles{&group.multipoles, &group.sources.boxes};
        TaskArgs args = alone(group);
        if (data_.has_top()) { // which would need all multipoles otherwise
            keep(group.root_multipole, [&] { return data_.coefficients(1); });
            handles.push_back(&group.root_multipole);
            args.n_slots = 1;
        }
        run(kernel_.get<M2MTask>(), handles, args, shifts(group.total_boxes()), Priority::upward);
    }

    /// Levels above the groups, whose finest level repeats the groups' roots.
    void top() {
        Top& top = data_.top;
        keep(top.multipoles, [&] { return data_.coefficients(top.tree.total_boxes()); });
        keep(top.locals, [&] { return data_.coefficients(top.tree.total_boxes()); });
        TaskArgs args = data_.args(top.tree, top.list_layout);
        Handles handles{&top.multipoles, &top.source_boxes};
        for (Group& group : data_.groups) {
            handles.push_back(&group.root_multipole);
        }
        args.n_slots = static_cast<std::uint32_t>(data_.groups.size());
        run(kernel_.get<M2MTopTask>(), handles, args, shifts(top.tree.total_boxes()), Priority::top
        );
        args.n_slots = 1;
        run(kernel_.get<M2LTask>(),
            {&top.locals, &top.lists, &top.target_boxes, &top.multipoles, &top.source_boxes},
            args,
            shifts(top.list_counts.far),
            Priority::top);
        args.n_slots = 0;
        run(kernel_.get<L2LTask>(),
            {&top.locals, &top.target_boxes},
            args,
            shifts(top.tree.total_boxes()),
            Priority::top);
    }

    void m2l(Group& group) {
        keep(group.locals, [&] { return data_.coefficients(group.total_boxes()); });
        run(kernel_.get<M2LTask>(),
            with_slots(
                {&group.locals, &group.lists, &targets(group).boxes}, group, multipoles_of, boxes_of
            ),
            beside_near_field(data_.args(group)),
            shifts(group.list_counts.far),
            Priority::m2l);
    }

    void p2l(Group& group) {
        if (group.list_counts.p2l == 0) {
            return;
        }
        run(kernel_.get<P2LTask>(),
            with_points({&group.locals, &group.lists, &targets(group).boxes}, group),
            beside_near_field(data_.args(group)),
            terms(group.list_counts.p2l_pairs),
            Priority::downward);
    }

    void l2l(Group& group) {
        Handles handles{&group.locals, &targets(group).boxes};
        TaskArgs args = alone(group);
        if (data_.has_top()) {
            handles.push_back(&data_.top.locals);
            args.n_slots = 1;
        }
        run(kernel_.get<L2LTask>(),
            handles,
            beside_near_field(args),
            shifts(group.total_boxes()),
            Priority::downward);
    }

    [[nodiscard]] Handle values(std::size_t n) const { return data_.reals(n_values() * n); }

    void l2p(Group& group) {
        GroupPoints& points = targets(group);
        keep(group.far, [&] { return values(points.n); });
        run(kernel_.get<L2PTask>(),
            {&group.far, &group.locals, &points.boxes, &points.positions, &points.offsets},
            beside_near_field(alone(group)),
            terms(points.n),
            Priority::downward);
    }

    void m2p(Group& group) {
        if (group.list_counts.m2p == 0) {
            return;
        }
        GroupPoints& points = targets(group);
        run(kernel_.get<M2PTask>(),
            with_slots(
                {&group.far, &group.lists, &points.positions, &points.offsets},
                group,
                multipoles_of,
                boxes_of
            ),
            beside_near_field(data_.args(group)),
            terms(group.list_counts.m2p_pairs),
            Priority::downward);
    }

    void p2p(Group& group) {
        GroupPoints& points = targets(group);
        keep(group.near, [&] { return values(points.n); });
        run(kernel_.get<P2PTask>(),
            with_points({&group.near, &group.lists, &points.positions, &points.offsets}, group),
            data_.args(group),
            static_cast<double>(group.list_counts.p2p_pairs),
            Priority::p2p(runtime_.n_cuda()));
    }

    Runtime& runtime_;
    KernelSet& kernel_;
    TreeData& data_;
    EvaluationArrays& arrays_;
    std::vector<PieceTable> dealt_strengths_; ///< if there are chunks
};

} // namespace

void submit_evaluation(
    Runtime& runtime, KernelSet& kernel, TreeData& data, EvaluationArrays& arrays
) {
    EvaluationGraph(runtime, kernel, data, arrays).submit();
}

} // namespace starfmm
