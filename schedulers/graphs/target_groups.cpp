// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/target_groups.hpp"

#include "codelets/task/codelet.hpp"

#include <span>
#include <vector>

namespace starfmm {

void distribute_targets(TreeData& data, Handle& positions, Handle& permutation, Handle& offsets) {
    if (data.groups.size() == 1) {
        GroupPoints& targets = data.groups[0].own_targets;
        targets.n = data.n_targets;
        targets.positions = std::move(positions);
        targets.permutation = std::move(permutation);
        targets.offsets = std::move(offsets);
        return;
    }
    const std::size_t m = data.n_targets;
    const std::size_t leaves = data.groups[0].tree.leaves();
    std::vector<std::uint32_t> global(n_boxes<2>(data.levels) + 1);
    data.target_positions.resize(2 * m);
    data.target_permutation.resize(m);
    positions.read(std::span(data.target_positions));
    permutation.read(std::span(data.target_permutation));
    offsets.read(std::span(global));
    rethrow_task_error();
    data.target_leaf_offsets.resize(data.groups.size() * (leaves + 1));
    for (std::size_t g = 0; g < data.groups.size(); ++g) {
        const std::size_t begin = global[g * leaves];
        const std::size_t n = global[(g + 1) * leaves] - begin;
        std::uint32_t* own_offsets = data.target_leaf_offsets.data() + g * (leaves + 1);
        for (std::size_t leaf = 0; leaf <= leaves; ++leaf) {
            own_offsets[leaf] = static_cast<std::uint32_t>(global[g * leaves + leaf] - begin);
        }
        GroupPoints& targets = data.groups[g].own_targets;
        targets.n = n;
        if (n > 0) {
            targets.positions = {
                data.target_positions.data() + 2 * begin, 2 * n, sizeof(double), data.home};
            targets.permutation = {
                data.target_permutation.data() + begin, n, sizeof(std::uint32_t), data.home};
            targets.offsets = {own_offsets, leaves + 1, sizeof(std::uint32_t), data.home};
        }
    }
}

} // namespace starfmm
