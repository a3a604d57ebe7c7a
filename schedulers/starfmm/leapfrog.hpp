// SPDX-License-Identifier: BSD-3-Clause
// Bodies that move by what a sum says.
#pragma once

#include "starfmm/sum.hpp"

#include <cstdint>
#include <vector>

namespace starfmm {

/// Moves bodies by leapfrog steps: half a kick, a drift, half a kick. The sum is of a kernel whose
/// values begin with an acceleration, as those of Gravity do.
///
///     Sum gravity(context, Gravity{.softening = Plummer{1e-3}}, {.sources = x, .tolerance = 1e-3});
///     Leapfrog run(gravity, {.positions = x, .velocities = v, .masses = m}, 1e-3);
///     run.step(100);
class Leapfrog {
public:
    struct Bodies {
        ConstArrayView positions;  ///< (n, dimension)
        ConstArrayView velocities; ///< (n, dimension); unit: that of positions over that of dt
        ConstArrayView masses;     ///< (n, s): the sum's strengths
    };

    /// Copies the bodies, and evaluates the sum at their positions.
    /// \param sum of n sources without targets of their own; must outlive this object, and is moved
    /// by nobody else
    /// \param dt time of a step, not 0; may be negative
    /// \throws InputError for arrays of other shapes, or a sum of targets of its own, or one whose
    /// values have fewer components than points have
    Leapfrog(Sum& sum, const Bodies& bodies, double dt);

    /// Takes steps, each of which evaluates the sum once.
    /// \throws InputError if a value is no longer finite, and what the sum throws: the steps before
    /// the one that failed are done, and that one is not begun
    void step(int n = 1);

    [[nodiscard]] double time() const { return dt_ * static_cast<double>(steps_); }

    /// [n][dimension], as velocities() are
    [[nodiscard]] const std::vector<double>& positions() const { return positions_; }

    [[nodiscard]] const std::vector<double>& velocities() const { return velocities_; }

    /// [n][v]: the values of the sum at the present positions
    [[nodiscard]] const std::vector<double>& values() const { return values_; }

private:
    [[nodiscard]] std::size_t dimension() const;

    /// Adds `dt` accelerations to velocities.
    void kick(double dt, std::vector<double>& velocities) const;

    Sum& sum_;
    double dt_;
    std::uint64_t steps_ = 0;
    std::vector<double> positions_;
    std::vector<double> velocities_;
    std::vector<double> masses_;
    std::vector<double> values_;
};

} // namespace starfmm
