// SPDX-License-Identifier: BSD-3-Clause
// Units in which arithmetic has the range that points and strengths need: powers of two, by which
// scaling is exact.
#pragma once

#include "core/error.hpp"
#include "core/laws/scaling_law.hpp"
#include "core/particles/points.hpp"
#include "core/particles/value_range.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// What of a kernel decides how its problems are scaled.
struct ScaledKernel {
    std::string name;
    bool is_single;
    ScalingLaw law;
    bool cubes = false; ///< pairs take the third power of the inverse distance: gradients in space
    double epsilon = 0; ///< softening length of pairs; unit: the points'
};

/// Thrown where no unit of length is one in which arithmetic tells all points apart.
class UnresolvedPoints : public InputError {
public:
    struct Extent {
        double largest; ///< magnitude of a coordinate
        double range;   ///< largest magnitude that arithmetic takes, over the shortest distance
        double epsilon; ///< softening length; 0: none
        bool is_single;
    };

    explicit UnresolvedPoints(const Extent& extent);

    /// The same, where lengths are those of the user's over `unit`.
    [[nodiscard]] UnresolvedPoints in_unit(double unit) const;

private:
    Extent extent_;
};

/// Coordinates, and strengths, which are taken as they are without a further look.
[[nodiscard]] ValueRange coordinate_range(const ScaledKernel& kernel);
[[nodiscard]] ValueRange strength_range(bool single);

/// The power of two that strengths have to be multiplied by: 0 unless the largest is out of
/// strength_range(). Those that are smaller than it by more than the range of the precision vanish.
[[nodiscard]] int
strength_exponent(std::span<const double> re, std::span<const double> im, bool single);

/// The unit of length in which tasks see points, and the way back from their results.
class Scaling {
public:
    /// The user's own unit.
    Scaling() = default;

    /// Chooses a unit for points out of coordinate_range(): the user's, where pairs can be told
    /// apart in it all the same; else one in which the largest coordinate is as large as it may be.
    /// For a logarithm, to whose results the unit adds, it is preferably one in which that
    /// coordinate is about 1.
    /// \throws InputError if there is none
    Scaling(const ScaledKernel& kernel, const PointsRef& sources, const PointsRef& targets);

    [[nodiscard]] bool is_users() const { return exponent_ == 0; }

    [[nodiscard]] AnyPoints scaled(const PointsRef& points) const;

    /// A length of the user's, as tasks see it.
    [[nodiscard]] double to_tasks(double x) const;

    /// A coordinate that tasks have seen.
    [[nodiscard]] double to_users(double x) const;

    /// Turns results for strengths times 2^strength_exponent into those of the user's strengths
    /// `re` and points.
    void to_users(std::span<const double> re, int strength_exponent, Potentials& potentials) const;

private:
    /// Places of the points, numbered.
    struct Places {
        static constexpr std::uint32_t nowhere = ~std::uint32_t(0);
        std::vector<std::uint32_t> of_source;
        std::vector<std::uint32_t> of_target; ///< or nowhere: no source is there
    };

    static Places find_places(const PointsRef& sources, const PointsRef& targets);
    void subtract_logarithms(std::span<const double> re, std::vector<double>& values) const;

    ScalingLaw law_;
    int exponent_ = 0; ///< tasks see coordinates times 2^exponent
    Places places_;    ///< for a logarithm, where a target's own place does not count
};

} // namespace starfmm
