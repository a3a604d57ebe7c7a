// SPDX-License-Identifier: BSD-3-Clause
// This is a user's program: it compiles and links against the installed package, catches its
// exceptions, and sums a kernel of its own.
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/particles/distributions.hpp"
#include "count.hpp"
#include "schedulers/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace {

bool catches_exceptions(starfmm::Runtime& runtime) {
    try {
        starfmm::Plan plan(runtime, starfmm::kernel_set<Count>(), {}, {});
    } catch (const starfmm::InputError& error) {
        std::cout << "caught: " << error.what() << '\n';
        return true;
    }
    return false;
}

/// Whether every point meets the n - 1 others once, by unit strengths.
bool counts_the_others(starfmm::Runtime& runtime) {
    constexpr std::size_t n = 5000;
    const auto points = starfmm::make_points<2>(starfmm::Distribution::normal, n, 0.1, 1);
    starfmm::Plan plan(runtime, starfmm::kernel_set<Count>(), points, {});
    const starfmm::Potentials sums = plan.evaluate({std::vector<double>(n, 1.0), {}});
    const double others = n - 1;
    const auto is_right = [others](double sum) { return std::abs(sum - others) < 1e-9; };
    std::cout << "each of " << n << " points met " << sums.re[0] << " others\n";
    return sums.size() == n && std::all_of(sums.re.begin(), sums.re.end(), is_right);
}

} // namespace

int main() {
    std::cout << "starfmm " << starfmm::version << '\n';
    starfmm::Runtime runtime({});
    return catches_exceptions(runtime) && counts_the_others(runtime) ? 0 : 1;
}
