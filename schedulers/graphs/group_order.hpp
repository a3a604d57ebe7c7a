// SPDX-License-Identifier: BSD-3-Clause
// The order of groups decides whose tasks go first where a GPU has no room for the arrays of all
// groups.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "schedulers/graphs/priorities.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>

namespace starfmm {

/// Priorities of an evaluation. In the usual order, operator by operator, every array would leave
/// the GPU's memory before the next operator reads it. Group by group, the output of one task is
/// used while it is still there.
class GroupOrder {
public:
    enum class By { operators, groups };

    explicit GroupOrder(By by) : by_(by) {}

    /// Chooses the order by groups if one GPU works alone and the arrays of `n_columns` right-hand
    /// sides exceed its memory.
    GroupOrder(
        const Runtime& runtime,
        const TreeData& data,
        const KernelTraits& kernel,
        std::size_t n_columns
    );

    /// Priority of P2M and M2M.
    [[nodiscard]] int upward() const {
        return by_ == By::groups ? Priority::strengths + 1 : Priority::upward;
    }

    /// Priority of the tasks that make results of locals and near points, and gather them: lower
    /// than that of all tasks before them.
    [[nodiscard]] int results(std::size_t group, int usual) const {
        return by_ == By::groups ? -static_cast<int>(group) : usual;
    }

private:
    By by_;
};

} // namespace starfmm
