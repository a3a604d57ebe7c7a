// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/uniform_tree.hpp"

#include <algorithm>

namespace starfmm {

template <int D>
Domain<D> bounding_domain(const Points<D>& points) {
    Domain<D> domain;
    domain.side = 0;
    for (int d = 0; d < D && points.size() > 0; ++d) {
        const auto [low, high] = std::minmax_element(points.x[d].begin(), points.x[d].end());
        domain.corner[d] = *low;
        domain.side = std::max(domain.side, *high - *low);
    }
    if (domain.side == 0) {
        domain.side = 1;
    }
    return domain;
}

template Domain<2> bounding_domain<2>(const Points<2>&);
template Domain<3> bounding_domain<3>(const Points<3>&);

} // namespace starfmm
