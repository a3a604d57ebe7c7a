// SPDX-License-Identifier: BSD-3-Clause
// Near field: what its tasks read and write, the same for CPU and CUDA bodies.
#pragma once

#include "codelets/tree/zsort.hpp"
#include "core/laws/pair_law.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Values of one point, or G of one pair.
template <class L, class T = typename L::Real>
using PairValues = std::array<T, L::n_values>;

/// Where the origin of box `k` of the stencil lies, as seen from that of its middle box.
/// \param side of a box
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

    /// First point of box `code`, and of the next one's.
    STARFMM_HOST_DEVICE std::uint32_t begin(ZCode code) const {
        return offsets[code - boxes.first];
    }

    STARFMM_HOST_DEVICE std::uint32_t end(ZCode code) const {
        return offsets[code - boxes.first + 1];
    }
};

/// Near pairs within one group, or between two groups, in both directions: each pair of groups is
/// one task, so that any implementation may run it, whatever runs the others.
template <class L>
struct NearfieldTask {
    TaskArgs args;
    NearfieldGroup<L> own;
    NearfieldGroup<L> other; ///< further along the curve; as `own` if there is one group

    /// Buffers: values of each group; positions, strengths and offsets of each group.
    static NearfieldTask unpack(void* buffers[], void* args) {
        const auto& task_args = *static_cast<TaskArgs*>(args);
        const std::uint32_t last = task_args.n_slots - 1;
        return {task_args, group(buffers, task_args, 0), group(buffers, task_args, last)};
    }

    [[nodiscard]] bool is_within() const { return args.n_slots == 1; }

private:
    static NearfieldGroup<L> group(void* buffers[], const TaskArgs& args, std::uint32_t slot) {
        using Real = typename L::Real;
        void** inputs = buffers + args.n_slots + std::size_t(3) * slot;
        return {
            buffer_data<Real>(buffers[slot]),
            buffer_data<const Real>(inputs[0]),
            buffer_data<const Real>(inputs[1]),
            buffer_data<const std::uint32_t>(inputs[2]),
            ZGroup::of<L::dimension>(args, args.slots[slot]),
            static_cast<std::uint32_t>(buffer_size(inputs[1]))};
    }
};

} // namespace starfmm
