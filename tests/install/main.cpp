// SPDX-License-Identifier: BSD-3-Clause
// This is a user's program: it compiles and links against the installed package, catches its
// exceptions, and sums a kernel of its own.
#include "count.hpp"

#include <starfmm/plug_in.hpp>
#include <starfmm/starfmm.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

namespace {

bool catches_exceptions(starfmm::Context& context) {
    try {
        const starfmm::Sum sum(context, starfmm::plug_in<Count>(), {});
    } catch (const starfmm::InputError& error) {
        std::cout << "caught: " << error.what() << '\n';
        return true;
    }
    return false;
}

/// Whether every point meets the n - 1 others once, by unit strengths.
bool counts_the_others(starfmm::Context& context) {
    constexpr std::size_t n = 5000;
    std::mt19937_64 random(1);
    std::vector<double> points(2 * n);
    std::ranges::generate(points, [&] { return std::normal_distribution<double>()(random); });
    starfmm::Sum sum(context, starfmm::plug_in<Count>(), {.sources = points});
    const std::vector<double> ones(n, 1.0);
    const std::vector<double> sums = sum(ones);
    const double others = n - 1;
    std::cout << "each of " << n << " points met " << sums.front() << " others\n";
    const auto is_right = [others](double value) { return std::abs(value - others) < 1e-9; };
    return sums.size() == n && std::ranges::all_of(sums, is_right) &&
           sum.check(ones, sums).are_allowed;
}

} // namespace

int main() {
    starfmm::Context context;
    return catches_exceptions(context) && counts_the_others(context) ? 0 : 1;
}
