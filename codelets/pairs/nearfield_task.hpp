// SPDX-License-Identifier: BSD-3-Clause
// Near field: the buffers of its tasks, the same for CPU and CUDA bodies.
#pragma once

#include "codelets/tree/zsort.hpp"
#include "core/laws/pair_law.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The values of one point, or G of one pair.
template <class L, class T = typename L::Real>
using PairValues = std::array<T, L::n_values>;

/// Returns the origin of box `k` of the stencil, as seen from that of its middle box.
/// \param side  side of a box
template <class L>
STARFMM_HOST_DEVICE std::array<typename L::Real, L::dimension>
stencil_shift(int k, [[maybe_unused]] double side) {
    std::array<typename L::Real, L::dimension> shift{};
    if constexpr (is_seen_from_box<typename L::Real>) {
        for (int d = 0; d < L::dimension; ++d, k /= 3) {
            shift[d] = static_cast<typename L::Real>((k % 3 - 1) * side);
        }
    }
    return shift;
}

/// One group of boxes.
template <class L>
struct NearfieldGroup {
    using Real = typename L::Real;
    static constexpr int D = L::dimension;
    Real* values;                 ///< accumulate [n_values n], component by component, tree order
    const Real* positions;        ///< R  [D n], coordinate by coordinate, as zgroup writes them
    const Real* strengths;        ///< R  [n]
    const std::uint32_t* offsets; ///< R  [n_boxes + 1]
    ZGroup boxes;
    std::uint32_t n;

    STARFMM_HOST_DEVICE std::array<Real, D> position(std::uint32_t i) const {
        std::array<Real, D> x{};
        for (int d = 0; d < D; ++d) {
            x[d] = positions[std::size_t(d) * n + i];
        }
        return x;
    }

    STARFMM_HOST_DEVICE Real* value(int component, std::uint32_t i) const {
        return values + std::size_t(component) * n + i;
    }

    /// Takes the buffers of a group.
    /// \param inputs  positions, strengths and offsets of the group in `slot`; null: none
    void take(const TaskArgs& args, std::uint32_t slot, void* inputs[]) {
        boxes = ZGroup::of<D>(args, args.slots[slot]);
        if (inputs != nullptr) {
            positions = buffer_data<const Real>(inputs[0]);
            strengths = buffer_data<const Real>(inputs[1]);
            offsets = buffer_data<const std::uint32_t>(inputs[2]);
            n = static_cast<std::uint32_t>(buffer_size(inputs[1]));
        }
    }

    /// Returns the first point of box `code`; end() returns the next box's.
    STARFMM_HOST_DEVICE std::uint32_t begin(ZCode code) const {
        return offsets[code - boxes.first];
    }

    STARFMM_HOST_DEVICE std::uint32_t end(ZCode code) const {
        return offsets[code - boxes.first + 1];
    }
};

template <class L>
struct NearfieldTask;
template <class L, class Isa>
void nearfield_cpu(const NearfieldTask<L>& task);
template <class L>
void nearfield_bpb_cuda(const NearfieldTask<L>& task);
template <class L>
void nearfield_improved_cuda(const NearfieldTask<L>& task);

/// The near pairs within one group, or, in the derived task, between two groups in both directions:
/// each pair of groups is one task, so that any implementation may run it, whatever runs the
/// others.
template <class L>
struct NearfieldTask {
    using Real = typename L::Real;
    static constexpr std::string_view name = "nearfield";
    static constexpr Color color = Color::red;
    TaskArgs args;
    NearfieldGroup<L> own;
    NearfieldGroup<L> other; ///< the group further along the curve; as `own` if there is one group

    template <class Buffers>
    static NearfieldTask of(Buffers& buffers) {
        NearfieldTask task{buffers.args(), {}, {}};
        task.own.values = buffers.template write<Real>();
        task.own.take(task.args, 0, buffers.read_rest());
        task.other = task.own;
        return task;
    }

    template <class Isa>
    static void cpu(const NearfieldTask& task) {
        nearfield_cpu<L, Isa>(task);
    }

    static void cuda(const NearfieldTask& task) { nearfield_bpb_cuda<L>(task); }

    static void cuda_other(const NearfieldTask& task) { nearfield_improved_cuda<L>(task); }

    [[nodiscard]] bool is_within() const { return args.n_slots == 1; }
};

/// The near pairs between two groups. Buffers are the values of each group, then the positions,
/// strengths and offsets of each group.
template <class L>
struct NearfieldBorderTask : NearfieldTask<L> {
    static constexpr std::string_view name = "nearfield_border";
    static constexpr Color color = Color::orange;

    template <class Buffers>
    static NearfieldBorderTask of(Buffers& buffers) {
        using Real = typename L::Real;
        NearfieldBorderTask task{{buffers.args(), {}, {}}};
        task.own.values = buffers.template accumulate<Real>();
        task.other.values = buffers.template accumulate<Real>();
        void** inputs = buffers.read_rest();
        task.own.take(task.args, 0, inputs);
        task.other.take(task.args, 1, inputs == nullptr ? nullptr : inputs + 3);
        return task;
    }
};

} // namespace starfmm
