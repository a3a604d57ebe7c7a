// SPDX-License-Identifier: BSD-3-Clause
// L2P evaluates the local expansion of each leaf at its targets [GE12 Sec 3.3.4].
// O(targets * order).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"

#include <cmath>

#ifndef __CUDACC__
#include "codelets/simd/lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>
#endif

namespace starfmm {

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
    static void cpu(const L2PTask& task);
    static void cuda(const L2PTask& task);
};

/// Returns the unit in which a leaf's coefficients are rounded: a power of two, so that scaling is
/// exact, there and back.
/// \param largest  largest of their magnitudes
STARFMM_HOST_DEVICE inline double unit_of_local(double largest) {
    constexpr double least = 0x1p-1000; // whose inverse is finite
    return largest >= least ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

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

/// The targets of one leaf after the other.
template <class K, class Isa>
class LeafTargets {
public:
    static constexpr int D = dimension_of<K>;
    using Coefficient = typename L2PTask<K>::Coefficient;
    using B = Batch<typename K::Real, Isa>;

    explicit LeafTargets(const L2PTask<K>& task) : task_(task), local_(task.args.kernel) {}

    void take(const Coefficient* local, const Frame<double, D>& frame) {
        local_.take(task_.args.order, local);
        frame_ = frame;
    }

    /// Sets the values of `count` targets from `i`; lanes beyond are not used.
    void set(std::size_t i, std::size_t count) const {
        const auto z = load_points<B>(task_.targets, i, count, frame_.centre, frame_.centre);
        const auto own = same_frame<B>(centred<typename K::Real>(frame_));
        const LaneValue<K, B> value = local_.at(own, z);
        store_values<K, B>(task_.far, i, count, value, Store::overwrite);
    }

private:
    const L2PTask<K>& task_;
    LeafLocal<K> local_;
    Frame<double, D> frame_{};
};

/// Sets the same values in single precision.
template <class K, class Isa>
requires rounds_locals<K>

class LeafTargets<K, Isa> {
public:
    static constexpr int D = dimension_of<K>;
    using Single = AtTargets<K>;
    using B = Batch<float, Isa>;

    explicit LeafTargets(const L2PTask<K>& task) : task_(task), local_(task.args.kernel) {}

    void take(const double* local, const Frame<double, D>& frame) {
        const int n = K::n_coefficients(task_.args.order);
        double largest = 0;
        for (int k = 0; k < n; ++k) {
            largest = std::max(largest, std::abs(local[k]));
        }
        unit_ = unit_of_local(largest);
        const double per_unit = 1 / unit_;
        rounded_.resize(static_cast<std::size_t>(n));
        for (int k = 0; k < n; ++k) {
            rounded_[k] = static_cast<float>(per_unit * local[k]);
        }
        local_.take(task_.args.order, rounded_.data());
        centre_ = frame.centre;
        inverse_radius_ = 1 / frame.radius;
    }

    void set(std::size_t i, std::size_t count) const {
        const auto z = make_position<D>([&](int d) {
            alignas(64) float lanes[B::size];
            for (std::size_t k = 0; k < B::size; ++k) {
                const double side =
                    task_.targets.x[d][k < count ? i + k : i] - coordinate(centre_, d);
                lanes[k] = static_cast<float>(inverse_radius_ * side);
            }
            return B::load_aligned(lanes);
        });
        const Frame<B, D> unit_ball{make_position<D>([](int) { return B(0); }), B(1)};
        const LaneValue<Single, B> value = local_.at(unit_ball, z);
        visit_components(value, [&](int c, const B& sums) {
            alignas(64) float lanes[B::size];
            sums.store_aligned(lanes);
            const double unit = c == 0 ? unit_ : unit_ * inverse_radius_; // a gradient's
            for (std::size_t k = 0; k < std::min(count, B::size); ++k) {
                task_.far.of_component[c][i + k] = unit * static_cast<double>(lanes[k]);
            }
        });
    }

private:
    const L2PTask<K>& task_;
    LeafLocal<Single> local_;
    std::vector<float> rounded_;
    double unit_ = 1;
    Position<D, double> centre_{};
    double inverse_radius_ = 1;
};

template <class K>
template <class Isa>
void L2PTask<K>::cpu(const L2PTask& task) {
    const auto tree = task.boxes.tree(task.args);
    const int n = K::n_coefficients(task.args.order);
    LeafTargets<K, Isa> targets(task);
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const std::size_t box = tree.leaf_box(leaf);
        const std::size_t end = task.target_offsets[leaf + 1];
        targets.take(task.locals + box * n, expansion_frame<typename K::Real>(task.boxes, box));
        constexpr std::size_t step = LeafTargets<K, Isa>::B::size;
        for (std::size_t i = task.target_offsets[leaf]; i < end; i += step) {
            targets.set(i, end - i);
        }
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/l2p.cuh"
#endif
