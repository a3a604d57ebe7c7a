// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/points.hpp"

#include "core/error.hpp"
#include "core/parallel_copy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace starfmm {

void check_finite(std::span<const double> values, const std::string& what, double limit) {
    // One pass without branches first: the common case is clean and large.
    bool clean = true;
    const double* in = values.data();
    const auto n = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel for schedule(dynamic, copy_block) reduction(&& : clean) num_threads(copy_threads(n)) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        clean = clean && std::abs(in[i]) <= limit;
    }
    if (clean) {
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(std::abs(values[i]) <= limit)) {
            std::ostringstream message;
            message << what << "[" << i << "] = " << values[i] << ": must be finite";
            if (limit < std::numeric_limits<double>::max()) {
                message << " and at most " << limit << " in magnitude";
            }
            throw InputError(message.str());
        }
    }
}

void copy_values(const double* values, std::size_t size, double* out) {
    const auto n = static_cast<std::ptrdiff_t>(size);
#pragma omp parallel for schedule(dynamic, copy_block)                                             \
    num_threads(copy_threads(n)) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        out[i] = values[i];
    }
}

template <int D>
void check_points(const Points<D>& points, const std::string& what, double limit) {
    for (int d = 0; d < D; ++d) {
        std::string name = what;
        name += '.';
        name += "xyz"[d];
        if (points.x[d].size() != points.size()) {
            throw InputError(
                name + " has " + std::to_string(points.x[d].size()) + " values, " + what +
                ".x has " + std::to_string(points.size()) + ": must be equal"
            );
        }
        check_finite(points.x[d], name, limit);
    }
}

template void check_points<2>(const Points<2>&, const std::string&, double);
template void check_points<3>(const Points<3>&, const std::string&, double);

} // namespace starfmm
