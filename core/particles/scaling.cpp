// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/scaling.hpp"

#include "core/error.hpp"
#include "core/particles/resolution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <span>
#include <sstream>
#include <unordered_map>
#include <vector>

namespace starfmm {

namespace {

/// What arithmetic of one precision takes.
struct Limits {
    ValueRange coordinates;
    ValueRange strengths;
    double shortest; ///< distance at which strengths act, also on a GPU
    double softest;  ///< softening length that kernels do not take for zero
    int lowest;      ///< log2 of the smallest extent that leaves room for shorter distances
    int highest;     ///< log2 of the largest coordinate: squares of distances stay finite
};

/// Doubles at or above 2^-300 differ by 2^-352 at least. The largest strength times 2^768, which a
/// GPU takes for the inverse square of no distance (over_square), is finite.
constexpr Limits double_limits{
    {0x1p-300, 0x1p300}, {0x1p-300, 0x1p200}, 0x1p-352, 0x1p-270, -200, 299};

/// A pair is q d / d^2, so that q / d^2 must neither overflow where points are close nor vanish
/// where they are far apart. Points whose coordinates are at least 2^-35 and that are closer than
/// 2^-58 differ by less than 2^-23 of their coordinates: as singles they would be the same.
constexpr Limits single_limits{{0x1p-35, 0x1p31}, {0x1p-40, 0x1p10}, 0x1p-58, 0x1p-38, -20, 30};

/// A gradient in space is q / d^3 times d: the largest strength, and the smallest, over the cubes
/// of the shortest distance and of the longest. Single precision forms no cubes of distances that
/// are not softened (core/laws/newton_pair.hpp).
constexpr Limits double_cubes{
    {0x1p-218, 0x1p200}, double_limits.strengths, 0x1p-270, 0x1p-270, -120, 199};

const Limits& limits_of(const ScaledKernel& kernel) {
    if (kernel.is_single) {
        return single_limits;
    }
    return kernel.cubes ? double_cubes : double_limits;
}

/// Whether pairs are softened so far that no distance is too short for them.
bool is_softened(const ScaledKernel& kernel, int exponent) {
    return std::ldexp(kernel.epsilon, exponent) >= limits_of(kernel).softest;
}

/// Whether pairs are what they are in the user's unit: softened, or points that can be told apart.
/// Another unit must not make a softening length vanish.
bool serves(const ScaledKernel& kernel, std::span<const PointsRef> sets, int exponent) {
    const bool may_be_points = kernel.epsilon == 0 || exponent == 0;
    return is_softened(kernel, exponent) ||
           (may_be_points && are_resolved(sets, exponent, limits_of(kernel).shortest));
}

/// Exponents to be tried, the best first.
std::vector<int> candidates(const ScaledKernel& kernel, double largest) {
    const Limits& limits = limits_of(kernel);
    const int extent = largest > 0 ? std::ilogb(largest) : 0;
    const int most = limits.highest - extent;
    const bool fits = extent >= limits.lowest && extent <= limits.highest;
    switch (kernel.law.form) {
    case ScalingLaw::Form::unknown:
        return largest <= max_magnitude(kernel.is_single) ? std::vector{0} : std::vector<int>{};
    case ScalingLaw::Form::homogeneous:
        return fits ? std::vector{0, most} : std::vector{most};
    case ScalingLaw::Form::logarithmic:
        break;
    }
    return fits ? std::vector{0, most} : std::vector{-extent, most};
}

/// Refuses points that a kernel which does not say how it scales cannot take.
[[noreturn]] void throw_out_of_range(const ScaledKernel& kernel, double largest) {
    const char* const precision = kernel.is_single ? "single" : "double";
    std::ostringstream message;
    message << "coordinates up to " << largest << " in magnitude, or points closer than "
            << limits_of(kernel).shortest << " to each other: " << precision
            << " precision takes magnitudes up to " << max_magnitude(kernel.is_single)
            << " and distances from " << limits_of(kernel).shortest << ", and kernel "
            << kernel.name << " does not say how it scales: use another unit of length";
    throw InputError(message.str());
}

/// Refuses points that no unit of length tells apart.
[[noreturn]] void throw_unresolved(const ScaledKernel& kernel, double largest) {
    if (kernel.law.form == ScalingLaw::Form::unknown) {
        throw_out_of_range(kernel, largest);
    }
    const Limits& limits = limits_of(kernel);
    throw UnresolvedPoints(
        {largest,
         std::ldexp(1.0, limits.highest) / (kernel.epsilon > 0 ? limits.softest : limits.shortest),
         kernel.epsilon,
         kernel.is_single}
    );
}

using Key = std::array<std::uint64_t, 3>; // in the plane the last one is 0

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        const std::size_t plane = (key[0] * 0x9e3779b97f4a7c15U) ^ (key[1] + (key[0] >> 31U));
        return plane ^ (key[2] * 0xd6e8feb86659fd93U);
    }
};

Key key_of(const PointsRef& points, std::size_t i) {
    Key key{};
    for (std::size_t d = 0; d < points.x.size(); ++d) {
        key[d] = std::bit_cast<std::uint64_t>(points.x[d][i] + 0.0); // -0 is 0
    }
    return key;
}

std::string message_of(const UnresolvedPoints::Extent& extent) {
    std::ostringstream message;
    message << "coordinates up to " << extent.largest << " in magnitude, with ";
    if (extent.epsilon > 0) {
        message << "epsilon = " << extent.epsilon << ", below 1/" << extent.range << " of that";
    } else {
        message << "points closer to each other than 1/" << extent.range << " of that";
    }
    message << ": beyond what " << (extent.is_single ? "single" : "double")
            << " precision can tell apart; ";
    if (extent.is_single) {
        message << "use double precision, or ";
    }
    message << "leave out the points that are so far away";
    return message.str();
}

} // namespace

UnresolvedPoints::UnresolvedPoints(const Extent& extent)
    : InputError(message_of(extent)), extent_(extent) {}

UnresolvedPoints UnresolvedPoints::in_unit(double unit) const {
    Extent extent = extent_;
    extent.largest *= unit;
    extent.epsilon *= unit;
    return UnresolvedPoints(extent);
}

ValueRange coordinate_range(const ScaledKernel& kernel) {
    const ValueRange range = limits_of(kernel).coordinates;
    return {is_softened(kernel, 0) ? 0 : range.lowest, range.highest};
}

ValueRange strength_range(bool single) {
    return (single ? single_limits : double_limits).strengths;
}

int strength_exponent(std::span<const double> re, std::span<const double> im, bool single) {
    const double largest = std::max(largest_magnitude(re), largest_magnitude(im));
    const ValueRange range = strength_range(single);
    const bool fits = largest == 0 || (largest >= range.lowest && largest <= range.highest);
    return fits ? 0 : -std::ilogb(largest);
}

Scaling::Scaling(const ScaledKernel& kernel, const PointsRef& sources, const PointsRef& targets)
    : law_(kernel.law) {
    const double largest = std::max(largest_coordinate(sources), largest_coordinate(targets));
    const std::array<PointsRef, 2> sets{sources, targets};
    const bool are_one = sources.x[0].data() == targets.x[0].data();
    const std::vector<int> exponents = candidates(kernel, largest);
    const auto chosen = std::find_if(exponents.begin(), exponents.end(), [&](int exponent) {
        return serves(kernel, std::span(sets).first(are_one ? 1 : 2), exponent);
    });
    if (chosen == exponents.end()) {
        throw_unresolved(kernel, largest);
    }
    exponent_ = *chosen;
    if (exponent_ != 0 && law_.form == ScalingLaw::Form::logarithmic) {
        places_ = find_places(sources, targets);
    }
}

Scaling::Places Scaling::find_places(const PointsRef& sources, const PointsRef& targets) {
    std::unordered_map<Key, std::uint32_t, KeyHash> numbers;
    Places places;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const auto next = static_cast<std::uint32_t>(numbers.size());
        places.of_source.push_back(numbers.try_emplace(key_of(sources, j), next).first->second);
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto found = numbers.find(key_of(targets, i));
        places.of_target.push_back(found == numbers.end() ? Places::nowhere : found->second);
    }
    return places;
}

AnyPoints Scaling::scaled(const PointsRef& points) const {
    AnyPoints own;
    for (const std::span<const double> x : points.x) {
        own.x.push_back(starfmm::scaled(x, exponent_));
    }
    return own;
}

double Scaling::to_tasks(double x) const {
    return std::ldexp(x, exponent_);
}

double Scaling::to_users(double x) const {
    return std::ldexp(x, -exponent_);
}

void Scaling::to_users(std::span<const double> re, int strength_exponent, Potentials& potentials)
    const {
    const int degree = law_.form == ScalingLaw::Form::homogeneous ? law_.degree : 0;
    const int exponent = -strength_exponent - degree * exponent_;
    potentials.re = starfmm::scaled(potentials.re, exponent);
    potentials.im = starfmm::scaled(potentials.im, exponent);
    for (std::vector<double>& derivative : potentials.gradient) {
        derivative = starfmm::scaled(derivative, exponent + exponent_);
    }
    if (exponent_ != 0 && law_.form == ScalingLaw::Form::logarithmic) {
        subtract_logarithms(re, potentials.re);
    }
}

/// log|s d| = log|d| + log(s), for each source but those at the target's place.
void Scaling::subtract_logarithms(std::span<const double> re, std::vector<double>& values) const {
    const long double logarithm = exponent_ * std::numbers::ln2_v<long double>;
    std::vector<long double> here(re.size()); // strengths at each place, of which there are no more
    long double total = 0;
    for (std::size_t j = 0; j < re.size(); ++j) {
        total += re[j];
        here[places_.of_source[j]] += re[j];
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t place = places_.of_target[i];
        const long double own = place == Places::nowhere ? 0 : here[place];
        values[i] = static_cast<double>(values[i] - logarithm * (total - own));
    }
}

} // namespace starfmm
