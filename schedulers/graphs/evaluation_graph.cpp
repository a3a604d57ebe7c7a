// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/evaluation_graph.hpp"

#include "core/tree/morton.hpp"
#include "schedulers/graphs/gather_graph.hpp"
#include "schedulers/graphs/group_order.hpp"
#include "schedulers/graphs/priorities.hpp"
#include "schedulers/graphs/topology/deal_graph.hpp"
#include "schedulers/graphs/topology/topology_graph.hpp"
#include "schedulers/runtime/placement.hpp"

#include <array>
#include <deque>
#include <set>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

/// What M2L by plane waves takes of a GPU's time a box, in translations of coefficients.
constexpr std::uint64_t shifts_of_waves = 10;

class EvaluationGraph {
public:
    EvaluationGraph(
        Runtime& runtime, KernelSet& kernel, Topology& topology, std::span<EvaluationArrays> columns
    )
        : runtime_(runtime), kernel_(kernel), topology_(topology), data_(topology.data()),
          columns_(columns), order_(runtime, topology.data(), kernel.traits, columns.size()) {}

    void submit() {
        data_.make_columns(columns_.size());
        for (const EvaluationArrays& arrays : columns_) {
            prefetch(arrays);
        }
        if (data_.has_pieces()) { // GPUs exchange while they make boxes
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                strengths_of_pieces(c);
            }
        }
        if (topology_.finish_boxes()) { // only now they are counted
            runtime_.check_memory(data_.n_bytes(kernel_.traits, columns_.size()));
        }
        maybe_fused(kernel_.upward, Priority::upward, [this] { upward(); });
        if (data_.has_orthtree() && exchanges_early()) {
            send_near_sources();
        }
        // What follows depends on the lists; what came before keeps the workers busy meanwhile.
        if (data_.fusion == Fusion::none) {
            topology_.finish_top();
            if (!data_.has_orthtree() && exchanges_early()) { // neighbours are known only now
                send_near_sources();
            }
        } else {
            topology_.finish_lists();
        }
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

    void prefetch(const EvaluationArrays& arrays) {
        if (!data_.has_pieces()) { // the topology's tasks are still running
            for (std::size_t part = 0; part < n_strengths(); ++part) {
                runtime_.prefetch(arrays.strengths[part].front());
            }
        }
    }

    /// Whether several GPUs have room for what they take from each other before they need it.
    /// \param times how much there will be of what is known: more before boxes are counted
    [[nodiscard]] bool exchanges_early(std::size_t times = 1) const {
        const WorkerCounts& workers = runtime_.engaged();
        return data_.has_groups() && workers.n_cuda > 1 && workers.n_cpu == 0 &&
               times * data_.n_bytes(kernel_.traits, columns_.size()) <= runtime_.gpu_memory();
    }

    /// Sends each GPU the points and strengths of neighbours on other GPUs: P2P waits for them
    /// longest. They travel while connect runs, behind the boxes that it waits for.
    void send_near_sources() {
        const auto n_gpus = static_cast<std::size_t>(runtime_.engaged().n_cuda);
        std::set<std::pair<std::size_t, std::uint32_t>> sent; // to a GPU, of a group
        for (const Group& group : data_.groups) {
            const std::size_t gpu = gpu_of(group.part, n_gpus);
            for (const std::uint32_t neighbour : group.neighbours) {
                Group& other = data_.groups[neighbour];
                if (other.sources.n == 0 || gpu == gpu_of(other.part, n_gpus) ||
                    !sent.emplace(gpu, neighbour).second) {
                    continue;
                }
                Handles handles{&other.sources.boxes, &other.sources.positions};
                for (std::size_t c = 0; c < columns_.size(); ++c) {
                    handles.push_back(&other.columns[c].strengths);
                }
                runtime_.send(handles, group.part);
            }
        }
    }

    /// Sends the pieces of a group to its GPU: they travel while points are sorted.
    void send_pieces(const Group& group, std::vector<PieceTable>& dealt) {
        Handles pieces;
        for (PieceTable& table : dealt) {
            table.append_of_group(data_.index_of(group), pieces);
        }
        runtime_.send(pieces, group.part);
    }

    /// Sends points and strengths of `group` to the GPUs of groups that touch it if all boxes were
    /// halved in the same directions, as most are: which of them need its points, the boxes tell
    /// only when all are sorted.
    void send_ahead(Group& group, std::size_t c) {
        const auto n_gpus = static_cast<std::size_t>(runtime_.engaged().n_cuda);
        const std::size_t g = data_.index_of(group);
        Handles handles{&group.columns[c].strengths};
        if (c == 0) {
            handles.push_back(&group.sources.positions);
        }
        std::set<std::size_t> gpus{gpu_of(group.part, n_gpus)};
        for (int k = 0; k < n_stencil<2>; ++k) {
            const ZCode other = z_neighbour<2>(static_cast<ZCode>(g), data_.group_level, k);
            if (other == no_box) {
                continue;
            }
            const ProblemPart& part = data_.groups[other].part;
            if (gpus.insert(gpu_of(part, n_gpus)).second) {
                runtime_.send(handles, part);
            }
        }
    }

    /// An orthtree's fill the gaps that exchanges leave while it grows.
    void strengths_of_pieces(std::size_t c) {
        const bool are_early = exchanges_early(4);
        const bool is_ahead = are_early && !data_.has_orthtree();
        const int priority = is_ahead ? Priority::early_strengths : Priority::strengths;
        std::vector<PieceTable>& dealt = dealt_.emplace_back(deal_strengths(columns_[c], priority));
        for (Group& group : data_.groups) {
            if (group.sources.n > 0) {
                if (are_early) {
                    send_pieces(group, dealt);
                }
                strengths(group, c, priority, &dealt);
                if (is_ahead) {
                    send_ahead(group, c);
                }
            }
        }
    }

    void upward() {
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            for (Group& group : data_.groups) {
                if (group.sources.n > 0) {
                    if (!data_.has_pieces()) {
                        strengths(group, c, Priority::strengths);
                    }
                    if (!data_.is_near_field()) {
                        p2m(group, group.columns[c]);
                        m2m(group, group.columns[c]);
                    }
                }
            }
        }
    }

    void downward() {
        for (std::uint32_t c = 0; c < columns_.size(); ++c) {
            if (data_.has_top()) {
                top(c);
            }
            topology_.finish_lists([&](Group& group) { // those of the others hide behind its sums
                if (targets(group).n > 0 && !data_.is_near_field()) {
                    far_field(group, c);
                } else if (targets(group).n > 0 && c == 0) {
                    p2p(group);
                }
            });
            submit_gather(runtime_, kernel_, data_, {n_columns(), c}, columns_[c].potentials);
        }
    }

    /// Submits the far field of right-hand side `c`, and with the first one the near field of all.
    void far_field(Group& group, std::size_t c) {
        m2l(group, c);
        p2l(group, c);
        l2l(group, c);
        if (c == 0) {
            p2p(group);
        }
        l2p(group, group.columns[c]);
        m2p(group, c);
    }

    /// Pieces of the chunks' strengths.
    std::vector<PieceTable> deal_strengths(EvaluationArrays& arrays, int priority) {
        std::vector<PieceTable> dealt;
        for (std::size_t part = 0; part < n_strengths(); ++part) {
            dealt.push_back(
                deal_values(runtime_, kernel_.geometry, data_, arrays.strengths[part], priority)
            );
        }
        return dealt;
    }

    GroupPoints& targets(Group& group) const { return group.targets(data_.sets); }

    void run(Codelet& codelet, const Handles& handles, TaskArgs args, double work, int priority) {
        args.work = work;
        args.takers = args.plane_waves ? Takers::gpus : Takers::all;
        runtime_.submit(codelet, handles, args, priority);
    }

    /// Arrays of one evaluation serve the next.
    template <class Make>
    static void keep(Handle& handle, const Make& make) {
        if (!handle) {
            handle = make();
        }
    }

    /// Buffers of the slots of `group`: multipoles and boxes of each neighbour.
    Handles with_multipoles(Handles handles, const Group& group, std::size_t c) {
        for (const std::uint32_t neighbour : group.neighbours) {
            handles.push_back(&data_.groups[neighbour].columns[c].multipoles);
            handles.push_back(&data_.groups[neighbour].sources.boxes);
        }
        return handles;
    }

    /// Buffers of the slots of `group`: points of each neighbour, with the strengths of the columns
    /// [c, c_end). Boxes of an orthtree come with them, which know where leaves begin among the
    /// points.
    Handles with_points(Handles handles, Group& group, std::size_t c, std::size_t c_end) {
        for (const std::uint32_t neighbour : group.neighbours) {
            handles.push_back(&data_.groups[neighbour].sources.positions);
            for (std::size_t column = c; column < c_end; ++column) {
                handles.push_back(&data_.groups[neighbour].columns[column].strengths);
            }
        }
        if (data_.has_orthtree()) {
            for (const std::uint32_t neighbour : group.neighbours) {
                handles.push_back(&data_.groups[neighbour].sources.boxes);
            }
        }
        return handles;
    }

    /// Arguments of tasks that read no neighbours.
    [[nodiscard]] TaskArgs alone(const Group& group) const {
        TaskArgs args = data_.args(group);
        args.n_slots = 0;
        return args;
    }

    /// Arguments of an operator of the far field, which P2P does not need.
    static TaskArgs beside_near_field(TaskArgs args) {
        args.is_aside = true;
        return args;
    }

    /// Multiplications of `n` translations.
    [[nodiscard]] double shifts(std::uint64_t n) const {
        return static_cast<double>(n) * data_.order * data_.order;
    }

    [[nodiscard]] std::uint32_t n_columns() const {
        return static_cast<std::uint32_t>(columns_.size());
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

    /// Brings the strengths of column `c` into the order of the group's tree.
    /// \param dealt pieces of the chunks' strengths; null where there are no chunks
    void
    strengths(Group& group, std::size_t c, int priority, std::vector<PieceTable>* dealt = nullptr) {
        Handle& own = group.columns[c].strengths;
        keep(own, [&] { return data_.reals(n_strengths() * group.sources.n); });
        Handles handles{&own, &group.sources.permutation};
        TaskArgs args = alone(group);
        for (std::size_t part = 0; part < n_strengths(); ++part) {
            if (dealt != nullptr) {
                args.n_slots = (*dealt)[part].append_of_group(data_.index_of(group), handles);
            } else {
                handles.push_back(&columns_[c].strengths[part].front());
            }
        }
        args.work = static_cast<double>(group.sources.n);
        runtime_.submit(kernel_.gather.get<StrengthsTask>(), handles, args, priority);
    }

    void p2m(Group& group, GroupColumn& column) {
        keep(column.multipoles, [&] { return data_.coefficients(data_.box_room(group)); });
        run(kernel_.get<P2MTask>(),
            {&column.multipoles, &group.sources.boxes, &group.sources.positions, &column.strengths},
            alone(group),
            terms(group.sources.n),
            order_.upward());
    }

    void m2m(Group& group, GroupColumn& column) {
        Handles handles{&column.multipoles, &group.sources.boxes};
        TaskArgs args = alone(group);
        if (data_.has_top()) { // which would need all multipoles otherwise
            keep(column.root_multipole, [&] { return data_.coefficients(1); });
            handles.push_back(&column.root_multipole);
            args.n_slots = 1;
        }
        run(kernel_.get<M2MTask>(), handles, args, shifts(group.total_boxes()), order_.upward());
    }

    /// Boxes above the groups, whose leaves repeat the groups' roots.
    void top(std::size_t c) {
        Top& top = data_.top;
        TopColumn& column = top.columns[c];
        keep(column.multipoles, [&] { return data_.coefficients(top.total_boxes()); });
        keep(column.locals, [&] { return data_.coefficients(top.total_boxes()); });
        TaskArgs args = data_.args_of_top();
        Handles handles{&column.multipoles, &top.source_boxes};
        for (std::size_t g = 0; g < data_.groups.size(); ++g) {
            if (data_.groups[g].sources.n > 0) {
                handles.push_back(&data_.groups[g].columns[c].root_multipole);
                args.slots[args.n_slots++] = static_cast<std::uint32_t>(g);
            }
        }
        run(kernel_.get<M2MTopTask>(), handles, args, shifts(top.total_boxes()), Priority::top);
        args.n_slots = 1;
        run(kernel_.get<M2LTask>(),
            {&column.locals, &top.lists, &top.target_boxes, &column.multipoles, &top.source_boxes},
            args,
            shifts(top.list_counts.far),
            Priority::top);
        args.n_slots = 0;
        run(kernel_.get<L2LTask>(),
            {&column.locals, &top.target_boxes},
            args,
            shifts(top.total_boxes()),
            Priority::top);
    }

    void m2l(Group& group, std::size_t c) {
        Handle& locals = group.columns[c].locals;
        keep(locals, [&] { return data_.coefficients(data_.box_room(group)); });
        TaskArgs args = beside_near_field(data_.args(group));
        args.plane_waves = data_.takes_waves(group);
        run(kernel_.get<M2LTask>(),
            with_multipoles({&locals, &group.lists, &targets(group).boxes}, group, c),
            args,
            shifts(
                args.plane_waves ? shifts_of_waves * group.total_boxes() : group.list_counts.far
            ),
            Priority::m2l);
    }

    void p2l(Group& group, std::size_t c) {
        if (group.list_counts.p2l == 0) {
            return;
        }
        Handle& locals = group.columns[c].locals;
        run(kernel_.get<P2LTask>(),
            with_points({&locals, &group.lists, &targets(group).boxes}, group, c, c + 1),
            beside_near_field(data_.args(group)),
            terms(group.list_counts.p2l_pairs),
            Priority::downward);
    }

    void l2l(Group& group, std::size_t c) {
        Handles handles{&group.columns[c].locals, &targets(group).boxes};
        TaskArgs args = alone(group);
        if (data_.has_top()) {
            handles.push_back(&data_.top.columns[c].locals);
            args.n_slots = 1;
        }
        run(kernel_.get<L2LTask>(),
            handles,
            beside_near_field(args),
            shifts(group.total_boxes()),
            Priority::downward);
    }

    [[nodiscard]] Handle values(std::size_t n) const { return data_.reals(n_values() * n); }

    void l2p(Group& group, GroupColumn& column) {
        GroupPoints& points = targets(group);
        keep(column.far, [&] { return values(points.n); });
        run(kernel_.get<L2PTask>(),
            {&column.far, &column.locals, &points.boxes, &points.positions, &points.offsets},
            beside_near_field(alone(group)),
            terms(points.n),
            results(group, Priority::downward));
    }

    void m2p(Group& group, std::size_t c) {
        if (group.list_counts.m2p == 0) {
            return;
        }
        GroupPoints& points = targets(group);
        run(kernel_.get<M2PTask>(),
            with_multipoles(
                {&group.columns[c].far, &group.lists, &points.positions, &points.offsets}, group, c
            ),
            beside_near_field(data_.args(group)),
            terms(group.list_counts.m2p_pairs),
            results(group, Priority::downward));
    }

    void p2p(Group& group) {
        GroupPoints& points = targets(group);
        Handle& near = group.near[n_columns() - 1];
        keep(near, [&] { return values(n_columns() * points.n); });
        TaskArgs args = data_.args(group);
        args.columns = n_columns();
        Codelet& p2p = n_columns() > 1 ? kernel_.get<P2PColumnsTask>() : kernel_.get<P2PTask>();
        Handles handles = with_points(
            {&near, &group.lists, &points.positions, &points.offsets}, group, 0, n_columns()
        );
        if (exchanges_early() && group.sources.n > 0 &&
            !data_.is_near_field()) { // behind M2M, which other GPUs wait for
            handles.push_back(&group.columns[0].multipoles);
        }
        run(p2p,
            handles,
            args,
            static_cast<double>(group.list_counts.p2p_pairs * n_columns()),
            results(group, Priority::p2p(runtime_.engaged(), n_columns())));
    }

    [[nodiscard]] int results(const Group& group, int usual) const {
        return order_.results(data_.index_of(group), usual);
    }

    Runtime& runtime_;
    KernelSet& kernel_;
    Topology& topology_;
    TreeData& data_;
    std::span<EvaluationArrays> columns_;
    GroupOrder order_;
    std::deque<std::vector<PieceTable>> dealt_; ///< strengths of each column, if there are chunks
};

} // namespace

void submit_evaluation(
    Runtime& runtime, KernelSet& kernel, Topology& topology, std::span<EvaluationArrays> columns
) {
    EvaluationGraph(runtime, kernel, topology, columns).submit();
}

} // namespace starfmm
