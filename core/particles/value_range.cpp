// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/value_range.hpp"

#include "core/parallel_copy.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace starfmm {

namespace {

constexpr double largest_finite = std::numeric_limits<double>::max();

/// A range of magnitudes by their bits, which are ordered as the magnitudes are, those of infinity
/// and NaN behind: one comparison for both ends, so that loops over it are limited by memory.
class BitRange {
public:
    explicit BitRange(const ValueRange& range)
        : lowest_(std::bit_cast<std::uint64_t>(range.lowest)),
          span_(std::bit_cast<std::uint64_t>(range.highest) - lowest_) {}

    /// True for zero, too, though every range holds it: asked for afterwards, it costs other values
    /// nothing.
    [[nodiscard]] bool misses(double value) const {
        return std::bit_cast<std::uint64_t>(std::abs(value)) - lowest_ > span_;
    }

private:
    std::uint64_t lowest_;
    std::uint64_t span_;
};

/// Whether all values are in the range; each is given to `use` on the way.
/// \throws InputError naming the first value that is not finite, which the fast pass finds to be
/// out of range
template <class Use>
bool check_values(
    const ValueRange& range, std::span<const double> values, const std::string& what, const Use& use
) {
    const BitRange own(range);
    bool all_in = true;
    const double* in = values.data();
    const auto n = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel for schedule(dynamic, copy_block) reduction(&& : all_in) num_threads(copy_threads(n)) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        if (own.misses(in[i])) [[unlikely]] {
            all_in = all_in && in[i] == 0;
        }
        use(i, in[i]);
    }
    if (!all_in) {
        check_finite(values, what, largest_finite);
    }
    return all_in;
}

} // namespace

bool are_in(const ValueRange& range, std::span<const double> values, const std::string& what) {
    return check_values(range, values, what, [](std::ptrdiff_t, double) {});
}

bool copy_if_finite(
    const ValueRange& range, std::span<const double> values, const std::string& what, double* out
) {
    return check_values(range, values, what, [out](std::ptrdiff_t i, double value) {
        out[i] = value;
    });
}

double largest_magnitude(std::span<const double> values) {
    double largest = 0;
    const auto n = static_cast<std::ptrdiff_t>(values.size());
    const double* const data = values.data();
#pragma omp parallel for reduction(max : largest) num_threads(copy_threads(n)) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        largest = std::fmax(largest, std::abs(data[i]));
    }
    return largest;
}

double largest_coordinate(const PointsRef& points) {
    double largest = 0;
    for (const std::span<const double> x : points.x) {
        largest = std::fmax(largest, largest_magnitude(x));
    }
    return largest;
}

std::vector<double> scaled(std::span<const double> values, int exponent) {
    std::vector<double> out(values.size());
    const auto n = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel for schedule(dynamic, copy_block)                                             \
    num_threads(copy_threads(n)) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        out[i] = std::ldexp(values[i], exponent);
    }
    return out;
}

} // namespace starfmm
