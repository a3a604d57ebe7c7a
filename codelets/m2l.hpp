// SPDX-License-Identifier: BSD-3-Clause
// M2L: multipoles of the far boxes of each row into the box's local expansion, all levels of the
// subtree [GE12 Sec 3.3.3]. O(far entries * order^2).
#pragma once

#include "codelets/task_views.hpp"
#include "core/interaction_lists.hpp"
#include "core/pascal.hpp"
#include "core/truncation.hpp"

#ifndef __CUDACC__
#include "codelets/lanes.hpp"
#endif

#include <algorithm>

namespace starfmm {

template <class K>
struct M2LTask {
    using Real = typename K::Real;
    TaskArgs args;
    Complex<Real>* locals;                      ///< W  [total_boxes][n_coefficients]
    const std::uint32_t* lists;                 ///< R
    BoxView<Real> boxes;                        ///< R  targets
    const Complex<Real>* multipoles[max_slots]; ///< R  of each slot
    BoxView<Real> sources[max_slots];           ///< R  boxes of each slot

    static M2LTask unpack(void* buffers[], void* args) {
        M2LTask task{
            *static_cast<TaskArgs*>(args),
            buffer_data<Complex<Real>>(buffers[0]),
            buffer_data<const std::uint32_t>(buffers[1]),
            BoxView<Real>::of(buffers[2]),
            {},
            {}};
        for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
            task.multipoles[slot] = buffer_data<const Complex<Real>>(buffers[3 + 2 * slot]);
            task.sources[slot] = BoxView<Real>::of(buffers[4 + 2 * slot]);
        }
        return task;
    }

    STARFMM_HOST_DEVICE ListView far() const {
        return args.lists.far(const_cast<std::uint32_t*>(lists));
    }

    STARFMM_HOST_DEVICE std::uint32_t slot(int level, BoxReference reference) const {
        return reference >> (2 * (level - args.tree.first));
    }

    /// Index of a source box within its slot's arrays.
    STARFMM_HOST_DEVICE std::size_t source_box(int level, BoxReference reference) const {
        const int shift = 2 * (level - args.tree.first);
        return args.tree.offset(level) + (reference & ((std::uint32_t(1) << shift) - 1));
    }
};

#ifndef __CUDACC__
/// Far boxes of one target, sorted by the order that each needs, so that lanes of a batch need
/// about the same.
template <class K, class Isa>
class FarRow {
public:
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;

    explicit FarRow(const M2LTask<K>& task)
        : task_(task), n_(K::n_coefficients(task.args.order)),
          orders_(task.args.theta, task.args.order) {}

    void translate(int level, std::size_t box) {
        const ListView far = task_.far();
        const std::size_t row = task_.args.tree.offset(level) + box;
        const Frame<Real> target = task_.boxes.frame(row);
        set_zero(sum_, n_);
        highest_ = -1;
        const std::uint32_t* end = far.boxes + far.offsets[row + 1];
        for (const std::uint32_t* begin = far.boxes + far.offsets[row]; begin < end;
             begin += chunk) {
            sort_by_order(level, target, begin, std::min<std::size_t>(chunk, end - begin));
            translate_sorted(level, target);
        }
        Complex<Real>* local = task_.locals + row * n_;
        set_zero(local, n_);
        reduce_add(sum_, highest_ < 0 ? 0 : K::n_coefficients(highest_), local);
    }

private:
    static constexpr std::size_t chunk = 256;

    /// Counting sort, highest order first.
    void sort_by_order(
        int level, const Frame<Real>& target, const BoxReference* references, std::size_t n
    ) {
        std::uint32_t count[max_order + 2] = {};
        std::uint8_t order[chunk];
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t slot = task_.slot(level, references[i]);
            const Frame<Real> source =
                task_.sources[slot].frame(task_.source_box(level, references[i]));
            order[i] = static_cast<std::uint8_t>(
                truncates_by_distance<K>() ? orders_.order(source, target) : task_.args.order
            );
            ++count[max_order - order[i] + 1];
        }
        for (int k = 1; k <= max_order + 1; ++k) {
            count[k] += count[k - 1];
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t at = count[max_order - order[i]]++;
            sorted_[at] = references[i];
            order_[at] = order[i];
        }
        n_sorted_ = n;
    }

    void translate_sorted(int level, const Frame<Real>& target) {
        for (std::size_t i = 0; i < n_sorted_; i += B::size) {
            const std::size_t count = std::min<std::size_t>(B::size, n_sorted_ - i);
            const int order = order_[i];
            BoxLanes<B, Real> sources;
            for (std::size_t j = 0; j < count; ++j) {
                const std::uint32_t slot = task_.slot(level, sorted_[i + j]);
                const std::size_t source = task_.source_box(level, sorted_[i + j]);
                sources.add(
                    task_.sources[slot].frame(source),
                    const_cast<Complex<Real>*>(task_.multipoles[slot]) + source * n_
                );
            }
            sources.fill_idle();
            gather_rows(sources.rows(), K::n_coefficients(order), multipole_);
            clear_idle(count, K::n_coefficients(order));
            K::m2l(order, sources.frame(), multipole_, same_frame<B>(target), sum_);
            highest_ = std::max(highest_, order);
        }
    }

    void clear_idle(std::size_t count, int n) {
        if (count == B::size) {
            return;
        }
        alignas(64) Real keep[B::size];
        for (std::size_t i = 0; i < B::size; ++i) {
            keep[i] = i < count ? Real(1) : Real(0);
        }
        const B mask = B::load_aligned(keep);
        for (int k = 0; k < n; ++k) {
            multipole_[k] = mask * multipole_[k];
        }
    }

    const M2LTask<K>& task_;
    int n_;
    TruncationOrders<Real> orders_;
    int highest_ = -1;
    std::size_t n_sorted_ = 0;
    BoxReference sorted_[chunk];
    std::uint8_t order_[chunk];
    Complex<B> multipole_[max_order + 1];
    Complex<B> sum_[max_order + 1];
};

template <class K, class Isa>
void m2l_cpu(void* buffers[], void* args) {
    const auto task = M2LTask<K>::unpack(buffers, args);
    FarRow<K, Isa> row(task);
    for (int level = task.args.tree.first; level <= task.args.tree.last; ++level) {
        for (std::size_t box = 0; box < task.args.tree.boxes(level); ++box) {
            row.translate(level, box);
        }
    }
}
#endif

} // namespace starfmm
