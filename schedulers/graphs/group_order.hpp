// SPDX-License-Identifier: BSD-3-Clause
// Which group's tasks go first where a GPU has no room for the arrays of all groups.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "schedulers/graphs/priorities.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>

namespace starfmm {

/// Priorities of an evaluation. Operator by operator, as usual, every array would leave the GPU's
/// memory before the next operator reads it; group by group, what one task has made is used while
/// it is there.
class GroupOrder {
public:
    enum class By { operators, groups };

    explicit GroupOrder(By by) : by_(by) {}

    /// By groups, if one GPU works alone and the arrays of `n_columns` right-hand sides exceed it.
    GroupOrder(
        const Runtime& runtime,
        const TreeData& data,
        const KernelTraits& kernel,
        std::size_t n_columns
    );

    /// Of P2M and M2M.
    [[nodiscard]] int upward() const {
        return by_ == By::groups ? Priority::strengths + 1 : Priority::upward;
    }

    /// Of what makes results of locals and near points, and gathers them: behind all that comes
    /// before.
    [[nodiscard]] int results(std::size_t group, int usual) const {
        return by_ == By::groups ? -static_cast<int>(group) : usual;
    }

private:
    By by_;
};

} // namespace starfmm
