// SPDX-License-Identifier: BSD-3-Clause
// L2P: local expansion of each leaf at its targets [GE12 Sec 3.3.4]. O(targets * order).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"

#ifndef __CUDACC__
#include "codelets/simd/lanes.hpp"

#include <string_view>
#include <vector>
#endif

namespace starfmm {

template <class K>
struct L2PTask;
template <class K, class Isa>
void l2p_cpu(const L2PTask<K>& task);
template <class K>
void l2p_cuda(const L2PTask<K>& task);

template <class K>
struct L2PTask {
    static constexpr std::string_view name = "l2p";
    static constexpr Color color = Color::teal;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    TaskArgs args;
    ValueView<K> far;                    ///< W  results, tree order
    const Coefficient* locals;           ///< R  [total_boxes][n_coefficients]
    BoxView<D> boxes;                    ///< R
    PointView<D> targets;                ///< R
    const std::uint32_t* target_offsets; ///< R  [leaves + 1]

    template <class Buffers>
    static L2PTask of(Buffers& buffers) {
        return {
            buffers.args(),
            buffers.template write<ValueView<K>>(),
            buffers.template read<Coefficient>(),
            buffers.template read<BoxView<D>>(),
            buffers.template read<PointView<D>>(),
            buffers.template read<std::uint32_t>()};
    }

    template <class Isa>
    static void cpu(const L2PTask& task) {
        l2p_cpu<K, Isa>(task);
    }

    static void cuda(const L2PTask& task) { l2p_cuda<K>(task); }
};

#ifndef __CUDACC__
/// The local expansion of one leaf at a time, as its kernel evaluates it.
template <class K>
class LeafLocal {
public:
    using Coefficient = typename L2PTask<K>::Coefficient;

    explicit LeafLocal(const KernelParameters& parameters) : kernel_(kernel_of<K>(parameters)) {}

    void take(int order, const Coefficient* local) {
        order_ = order;
        local_ = local;
        if constexpr (DerivingKernel<K>) {
            derived_.resize(K::n_derived(order));
            K::derive_local(order, local, derived_.data());
        }
    }

    template <class T>
    auto at(const Frame<T, dimension_of<K>>& box, const Position<dimension_of<K>, T>& z) const {
        if constexpr (DerivingKernel<K>) {
            return K::l2p_derived(order_, box, derived_.data(), z);
        } else {
            return kernel_.l2p(order_, box, local_, z);
        }
    }

private:
    K kernel_;
    int order_ = 0;
    const Coefficient* local_ = nullptr;
    std::vector<Coefficient> derived_;
};

template <class K, class Isa>
void l2p_cpu(const L2PTask<K>& task) {
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;
    const auto tree = task.boxes.tree(task.args);
    const int n = K::n_coefficients(task.args.order);
    LeafLocal<K> local(task.args.kernel);
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const std::size_t box = tree.leaf_box(leaf);
        const auto frame = expansion_frame<Real>(task.boxes, box);
        const std::size_t end = task.target_offsets[leaf + 1];
        local.take(task.args.order, task.locals + box * n);
        for (std::size_t i = task.target_offsets[leaf]; i < end; i += B::size) {
            const auto z = load_points<B>(task.targets, i, end - i, frame.centre, frame.centre);
            const auto own = same_frame<B>(centred<Real>(frame));
            const LaneValue<K, B> value = local.at(own, z);
            store_values<K, B>(task.far, i, end - i, value, Store::overwrite);
        }
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/l2p.cuh"
#endif
