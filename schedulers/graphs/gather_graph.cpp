// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/gather_graph.hpp"

#include "schedulers/graphs/group_order.hpp"
#include "schedulers/graphs/priorities.hpp"
#include "schedulers/graphs/topology/deal_graph.hpp"

#include <cstdint>

namespace starfmm {

namespace {

class GatherGraph {
public:
    using Parts = std::array<std::vector<Handle>, most_components>;

    GatherGraph(
        Runtime& runtime, KernelSet& kernel, TreeData& data, ColumnOf column, Parts& potentials
    )
        : runtime_(runtime), geometry_(kernel.geometry), codelets_(kernel.gather), data_(data),
          column_(column), potentials_(potentials), order_(runtime, data, kernel.traits, column.n),
          n_parts_(static_cast<std::size_t>(kernel.traits.n_values)) {}

    void submit() {
        if (data_.has_pieces()) {
            into_chunks();
        } else if (data_.groups.size() == 1) {
            into_results(codelets_.get<GatherAllTask>());
        } else if (runtime_.engaged().n_cuda > 0) {
            // A task for each group would make the results travel from GPU to GPU.
            runtime_.fuse(codelets_.gather_groups, Priority::gather, [this] { group_by_group(); });
        } else {
            group_by_group();
        }
    }

private:
    using Handles = std::vector<Handle*>;

    void group_by_group() {
        Group& any = data_.groups[0];
        run(codelets_.get<GatherBeginTask>(), with_results({}), any, args_of(any, 1));
        into_results(codelets_.get<GatherTask>());
    }

    void into_results(Codelet& codelet) {
        for (Group& group : data_.groups) {
            GroupPoints& points = group.targets(data_.sets);
            if (points.n > 0) {
                run(codelet,
                    with_results({&near(group), &far(group), &points.permutation}),
                    group,
                    args_of(group, points.n));
            }
        }
    }

    /// Gathers by way of the chunks' pieces. Where a GPU has only one group, a component travels
    /// while the next is gathered. Of several groups, each one's data would come to the GPU once
    /// for each component.
    void into_chunks() {
        const auto n_gpus = static_cast<std::size_t>(runtime_.engaged().n_cuda);
        const std::size_t step = data_.groups.size() <= n_gpus ? 1 : n_parts_;
        for (std::size_t first = 0; first < n_parts_; first += step) {
            std::vector<PieceTable> results;
            for (std::size_t part = 0; part < step; ++part) {
                results.emplace_back(data_);
            }
            for (Group& group : data_.groups) {
                Handles handles{&near(group), &far(group), &group.sources.permutation};
                TaskArgs args = args_of(group, group.sources.n);
                for (PieceTable& part : results) {
                    args.n_slots = part.append_of_group(data_.index_of(group), handles);
                }
                args.component =
                    step < n_parts_ ? static_cast<std::uint32_t>(first) : all_components;
                run(codelets_.get<GatherAllTask>(), handles, group, args);
            }
            for (std::size_t part = 0; part < step; ++part) {
                std::vector<Handle>& values = potentials_[first + part];
                collect_values(runtime_, geometry_, data_, results[part], values, Priority::gather);
            }
        }
    }

    /// Near results of all right-hand sides.
    [[nodiscard]] Handle& near(Group& group) const { return group.near[column_.n - 1]; }

    [[nodiscard]] Handle& far(Group& group) const {
        return data_.is_near_field() ? data_.no_far : group.columns[column_.index].far;
    }

    [[nodiscard]] Handles with_results(Handles handles) {
        for (std::size_t part = 0; part < n_parts_; ++part) {
            handles.push_back(&potentials_[part].front());
        }
        return handles;
    }

    [[nodiscard]] TaskArgs args_of(const Group& group, std::size_t n_points) const {
        TaskArgs args = data_.args(group);
        args.n_slots = 0; // the user's whole arrays
        args.columns = column_.n;
        args.column = column_.index;
        args.work = static_cast<double>(n_points);
        return args;
    }

    void run(Codelet& codelet, const Handles& handles, const Group& group, const TaskArgs& args) {
        const int priority = order_.results(data_.index_of(group), Priority::gather);
        runtime_.submit(codelet, handles, args, priority);
    }

    Runtime& runtime_;
    GeometrySet& geometry_;
    GatherSet& codelets_;
    TreeData& data_;
    ColumnOf column_;
    Parts& potentials_;
    GroupOrder order_;
    std::size_t n_parts_;
};

} // namespace

void submit_gather(
    Runtime& runtime,
    KernelSet& kernel,
    TreeData& data,
    ColumnOf column,
    std::array<std::vector<Handle>, most_components>& potentials
) {
    GatherGraph(runtime, kernel, data, column, potentials).submit();
}

} // namespace starfmm
