// SPDX-License-Identifier: BSD-3-Clause
// M2L adds the multipoles of each row's far boxes to the box's local expansion, on all levels of
// the subtree [GE12 Sec 3.3.3]. O(far entries * order^2).
#pragma once

#include "codelets/opencl/m2l.hpp"
#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"
#include "core/expansions/truncation.hpp"
#include "core/tree/interaction_lists.hpp"

#ifndef __CUDACC__
#include "codelets/simd/lanes.hpp"
#endif

#include <algorithm>
#include <numeric>
#include <string_view>

namespace starfmm {

template <class K>
struct M2LTask {
    static constexpr std::string_view name = "m2l";
    static constexpr Color color = Color::green;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    TaskArgs args;
    Coefficient* locals;                      ///< W  [total_boxes][n_coefficients]
    const std::uint32_t* lists;               ///< R
    BoxView<D> boxes;                         ///< R  boxes of the targets
    const Coefficient* multipoles[max_slots]; ///< R  multipoles of each slot
    BoxView<D> sources[max_slots];            ///< R  boxes of each slot

    template <class Buffers>
    static M2LTask of(Buffers& buffers) {
        M2LTask task{
            buffers.args(),
            buffers.template write<Coefficient>(),
            buffers.template read<std::uint32_t>(),
            buffers.template read<BoxView<D>>(),
            {},
            {}};
        void** slots = buffers.read_rest();
        for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
            void** pair = slots + std::size_t(2) * slot;
            task.multipoles[slot] = buffer_data<const Coefficient>(pair[0]);
            task.sources[slot] = BoxView<D>::of(pair[1], task.args);
        }
        return task;
    }

    template <class Isa>
    static void cpu(const M2LTask& task);
    static void cuda(const M2LTask& task);

    static void opencl(void* buffers[], const TaskArgs& args) requires(TraceableM2L<K>) {
        m2l_opencl(opencl_m2l<K>(args.order), buffers, args, traced_parameter<K>(args.kernel));
    }

    STARFMM_HOST_DEVICE ListView far() const {
        return args.lists.far(const_cast<std::uint32_t*>(lists));
    }

    /// Returns the number of boxes that a slot may have.
    [[nodiscard]] std::size_t n_source_boxes(std::uint32_t slot) const {
        const bool is_own = sources[slot].radius == boxes.radius;
        return is_own ? n_boxes_of<D>(args) : sources[slot].capacity();
    }

    /// Returns how the entries of a row of `level` name boxes.
    STARFMM_HOST_DEVICE FarReferences references(int level) const {
        return far_references<D>(args, level);
    }
};

/// Returns the terms that pairs take.
template <class K>
STARFMM_HOST_DEVICE TruncationOrders truncation_orders(const TaskArgs& args) {
    return args.terms == PairTerms::all
               ? TruncationOrders::none(args.order)
               : TruncationOrders::of<K>(args.theta, args.order, has_cells<dimension_of<K>>(args));
}

#ifndef __CUDACC__
/// One target row with its far boxes, one a lane. Where the terms that a pair needs depend on the
/// pair, boxes are taken in the order of these, so that the lanes of a batch need about as many;
/// each lane stops at its own, which makes the sum independent of the batches.
template <class K, class Isa>
class FarRow {
public:
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    using B = Batch<Real, Isa>;

    explicit FarRow(const M2LTask<K>& task)
        : task_(task), kernel_(kernel_of<K>(task.args.kernel)),
          n_(K::n_coefficients(task.args.order)), orders_(truncation_orders<K>(task.args)) {
        set_zero(multipole_, coefficient_room<K>);
        set_zero(sum_, coefficient_room<K>);
        std::iota(sorted_, sorted_ + chunk, std::uint16_t(0));
        std::fill_n(terms_, chunk, static_cast<float>(task.args.order));
    }

    /// Adds all far boxes. The function is inlined: its arrays take 3 % longer as another function
    /// sees them.
    [[gnu::always_inline]] void translate(const FarReferences& named, std::size_t row) {
        const ListView far = task_.far();
        const BoxReference* begin = far.boxes + far.offsets[row];
        const BoxReference* const end = far.boxes + far.offsets[row + 1];
        const auto target = expansion_frame<Real>(task_.boxes, row);
        int highest = -1;
        for (; begin < end; begin += chunk) {
            const std::size_t n = std::min<std::size_t>(chunk, end - begin);
            load(named, begin, n, target.centre);
            if constexpr (truncates_by_distance<K>()) {
                count_terms(target.radius, n);
                sort_by_terms(n);
            }
            highest = std::max(highest, static_cast<int>(terms_[sorted_[0]]));
            for (std::size_t i = 0; i < n; i += B::size) {
                translate_batch(
                    centred<Real>(target), sorted_ + i, std::min<std::size_t>(B::size, n - i)
                );
            }
        }
        Coefficient* local = task_.locals + row * n_;
        set_zero(local, n_);
        if (highest >= 0) {
            reduce_add(sum_, K::n_coefficients(highest), local);
            set_zero(sum_, K::n_coefficients(highest));
        }
    }

private:
    static constexpr std::size_t chunk = 256;

    void load(
        const FarReferences& named,
        const BoxReference* references,
        std::size_t n,
        const Position<D, double>& origin
    ) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t slot = named.slot(references[i]);
            const std::size_t box = named.box(references[i]);
            const auto frame =
                seen_from<double>(origin, expansion_frame<Real>(task_.sources[slot], box));
            for (int d = 0; d < D; ++d) {
                x_[d][i] = coordinate(frame.centre, d);
            }
            radius_[i] = frame.radius;
            rows_[i] = task_.multipoles[slot] + box * n_;
        }
    }

    /// Counts the terms in double precision, so that every body counts the same.
    void count_terms(double radius, std::size_t n) {
        const TruncationOrders orders = orders_; // a copy: its members are no terms_
        for (std::size_t i = 0; i < n; ++i) {
            const auto centre = make_position<D>([&](int d) { return x_[d][i]; });
            terms_[i] = orders.terms(radius_[i], radius, length(centre));
        }
    }

    /// Sorts by counting, most terms first.
    void sort_by_terms(std::size_t n) {
        const int order = task_.args.order;
        std::uint32_t next[max_order + 2];
        std::fill_n(next, order + 2, 0U);
        for (std::size_t i = 0; i < n; ++i) {
            ++next[order - static_cast<int>(terms_[i]) + 1];
        }
        for (int k = 1; k <= order; ++k) {
            next[k] += next[k - 1];
        }
        for (std::size_t i = 0; i < n; ++i) {
            sorted_[next[order - static_cast<int>(terms_[i])]++] = static_cast<std::uint16_t>(i);
        }
    }

    void
    translate_batch(const Frame<Real, D>& target, const std::uint16_t* which, std::size_t count) {
        alignas(64) Real x[D][B::size];
        alignas(64) Real radius[B::size];
        alignas(64) Real terms[B::size];
        const Coefficient* rows[B::size];
        for (std::size_t lane = 0; lane < B::size; ++lane) {
            // Idle lanes repeat the first box with no terms at all.
            const std::size_t i = which[lane < count ? lane : 0];
            for (int d = 0; d < D; ++d) {
                x[d][lane] = static_cast<Real>(x_[d][i]);
            }
            radius[lane] = static_cast<Real>(radius_[i]);
            rows[lane] = rows_[i];
            terms[lane] = lane < count ? static_cast<Real>(terms_[i]) : Real(-1);
        }
        const int order = static_cast<int>(terms_[which[0]]);
        gather_rows(rows, K::n_coefficients(order), multipole_);
        const Frame<B, D> source{
            make_position<D>([&](int d) { return B::load_aligned(x[d]); }),
            B::load_aligned(radius)};
        const B lane_terms = B::load_aligned(terms);
        if constexpr (truncates_by_distance<K>()) {
            kernel_.m2l_truncated(
                order, lane_terms, source, multipole_, same_frame<B>(target), sum_
            );
        } else {
            if (count < B::size) {
                clear_idle(lane_terms, K::n_coefficients(order));
            }
            kernel_.m2l(order, source, multipole_, same_frame<B>(target), sum_);
        }
    }

    void clear_idle(const B& lane_terms, int n) {
        for (int k = 0; k < n; ++k) {
            visit_components(multipole_[k], [&](int /*c*/, B& part) {
                part = zero_if_greater(part, B(0), lane_terms);
            });
        }
    }

    const M2LTask<K>& task_;
    K kernel_;
    int n_;
    TruncationOrders orders_;
    alignas(64) double x_[D][chunk]; ///< sources as seen from the target
    alignas(64) double radius_[chunk];
    alignas(64) float terms_[chunk];
    const Coefficient* rows_[chunk];
    std::uint16_t sorted_[chunk];
    CoefficientOf<K, B> multipole_[coefficient_room<K>];
    CoefficientOf<K, B> sum_[coefficient_room<K>];
};

template <class K>
template <class Isa>
void M2LTask<K>::cpu(const M2LTask& task) {
    FarRow<K, Isa> row(task);
    const auto tree = task.boxes.tree(task.args);
    for (int level = tree.first_level(); level <= tree.last_level(); ++level) {
        const FarReferences named = task.references(level);
        const std::size_t end = tree.offset(level + 1);
        for (std::size_t box = tree.offset(level); box < end; ++box) {
            row.translate(named, box);
        }
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/m2l.cuh"
#endif
