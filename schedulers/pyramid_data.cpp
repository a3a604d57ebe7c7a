// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/pyramid_data.hpp"

#include <algorithm>

namespace starfmm {

Handle PyramidData::array(std::size_t n, std::size_t value_size) const {
    if (arena == nullptr) {
        return {n, value_size, home};
    }
    constexpr std::size_t cache_line = 64;
    return {arena->allocate(n * value_size, cache_line), n, value_size, home};
}

TaskArgs PyramidData::args(const Subtree<2>& tree, const ListLayout& lists) const {
    TaskArgs args;
    args.theta = options.theta;
    args.tolerance = options.tolerance;
    args.n_sources = n_sources;
    args.tree = tree;
    args.lists = lists;
    args.order = order;
    return args;
}

TaskArgs PyramidData::args(const Group& group) const {
    TaskArgs args = this->args(group.tree, group.list_layout);
    args.n_targets = sets == PointSets::one ? group.sources.n : group.own_targets.n;
    args.n_slots = static_cast<std::uint32_t>(group.neighbours.size());
    std::copy(group.neighbours.begin(), group.neighbours.end(), args.slots);
    return args;
}

} // namespace starfmm
