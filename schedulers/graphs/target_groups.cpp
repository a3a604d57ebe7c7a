// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/target_groups.hpp"

#include "codelets/task/codelet.hpp"

#include <span>
#include <vector>

namespace starfmm {

namespace {

/// Gives the group targets [begin, begin + n) of all targets.
/// \param offsets [leaves + 1] offsets of the group's leaves, from the group's first target on
void set_targets(
    TreeData& data, Group& group, std::size_t begin, std::size_t n, std::span<std::uint32_t> offsets
) {
    GroupPoints& targets = group.own_targets;
    targets.n = n;
    if (n > 0) {
        double* positions = data.target_positions.data() + data.coordinates(begin);
        std::uint32_t* permutation = data.target_permutation.data() + begin;
        targets.positions = {positions, data.coordinates(n), sizeof(double), data.home};
        targets.permutation = {permutation, n, sizeof(std::uint32_t), data.home};
        targets.offsets = {offsets.data(), offsets.size(), sizeof(std::uint32_t), data.home};
    }
}

void set_all_targets(TreeData& data, Handle& positions, Handle& permutation, Handle& offsets) {
    GroupPoints& targets = data.groups[0].own_targets;
    targets.n = data.n_targets;
    targets.positions = std::move(positions);
    targets.permutation = std::move(permutation);
    targets.offsets = std::move(offsets);
}

} // namespace

void distribute_targets(TreeData& data, Handle& positions, Handle& permutation, Handle& offsets) {
    if (data.groups.size() == 1) {
        set_all_targets(data, positions, permutation, offsets);
        return;
    }
    const std::size_t leaves = data.groups[0].tree.leaves();
    std::vector<std::uint32_t> global(data.n_boxes(data.levels) + 1);
    data.target_positions.resize(data.coordinates(data.n_targets));
    data.target_permutation.resize(data.n_targets);
    positions.read(std::span(data.target_positions));
    permutation.read(std::span(data.target_permutation));
    offsets.read(std::span(global));
    rethrow_task_error();
    data.target_leaf_offsets.resize(data.groups.size() * (leaves + 1));
    for (std::size_t g = 0; g < data.groups.size(); ++g) {
        const std::size_t begin = global[g * leaves];
        const std::size_t n = global[(g + 1) * leaves] - begin;
        const auto own_offsets =
            std::span(data.target_leaf_offsets).subspan(g * (leaves + 1), leaves + 1);
        for (std::size_t leaf = 0; leaf <= leaves; ++leaf) {
            own_offsets[leaf] = static_cast<std::uint32_t>(global[g * leaves + leaf] - begin);
        }
        set_targets(data, data.groups[g], begin, n, own_offsets);
    }
}

} // namespace starfmm
