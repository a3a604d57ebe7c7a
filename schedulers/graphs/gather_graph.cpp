// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/gather_graph.hpp"

#include "schedulers/graphs/deal_graph.hpp"
#include "schedulers/graphs/priorities.hpp"

#include <cstdint>

namespace starfmm {

namespace {

class GatherGraph {
public:
    GatherGraph(Runtime& runtime, KernelSet& kernel, TreeData& data, EvaluationArrays& arrays)
        : runtime_(runtime), geometry_(kernel.geometry), codelets_(kernel.gather), data_(data),
          arrays_(arrays) {}

    void submit() {
        if (data_.has_chunks()) {
            into_chunks();
        } else if (data_.groups.size() == 1) {
            into_results(codelets_.get<GatherAllTask>());
        } else if (runtime_.n_cuda() > 0) {
            // Task by task the results would travel from GPU to GPU.
            runtime_.fuse(codelets_.gather_groups, Priority::gather, [this] { group_by_group(); });
        } else {
            group_by_group();
        }
    }

private:
    using Handles = std::vector<Handle*>;

    void group_by_group() {
        run(codelets_.get<GatherBeginTask>(), with_results({}), data_.groups[0], 1, 0);
        into_results(codelets_.get<GatherTask>());
    }

    void into_results(Codelet& codelet) {
        for (Group& group : data_.groups) {
            GroupPoints& points = group.targets(data_.sets);
            if (points.n > 0) {
                run(codelet,
                    with_results({&group.near, &group.far, &points.permutation}),
                    group,
                    points.n,
                    0);
            }
        }
    }

    /// By way of the pieces of chunks.
    void into_chunks() {
        std::vector<PieceTable> results;
        for (std::size_t part = 0; part < arrays_.potentials.size(); ++part) {
            results.emplace_back(data_);
        }
        for (Group& group : data_.groups) {
            Handles handles{&group.near, &group.far, &group.sources.permutation};
            std::uint32_t n_pieces = 0;
            for (PieceTable& part : results) {
                n_pieces = part.append_of_group(group.tree.root, handles);
            }
            run(codelets_.get<GatherAllTask>(), handles, group, group.sources.n, n_pieces);
        }
        for (std::size_t part = 0; part < results.size(); ++part) {
            EvaluationArrays::Parts& potentials = arrays_.potentials[part];
            collect_values(runtime_, geometry_, data_, results[part], potentials, Priority::gather);
        }
    }

    [[nodiscard]] Handles with_results(Handles handles) {
        for (EvaluationArrays::Parts& potentials : arrays_.potentials) {
            handles.push_back(&potentials.front());
        }
        return handles;
    }

    /// \param n_pieces of each part of the results; 0: the user's whole arrays
    void
    run(Codelet& codelet,
        const Handles& handles,
        const Group& group,
        std::size_t n_points,
        std::uint32_t n_pieces) {
        TaskArgs args = data_.args(group);
        args.n_slots = n_pieces;
        args.columns = arrays_.columns;
        args.work = static_cast<double>(n_points) * arrays_.columns;
        runtime_.submit(codelet, handles, args, Priority::gather);
    }

    Runtime& runtime_;
    GeometrySet& geometry_;
    GatherSet& codelets_;
    TreeData& data_;
    EvaluationArrays& arrays_;
};

} // namespace

void submit_gather(Runtime& runtime, KernelSet& kernel, TreeData& data, EvaluationArrays& arrays) {
    GatherGraph(runtime, kernel, data, arrays).submit();
}

} // namespace starfmm
