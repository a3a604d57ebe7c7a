// SPDX-License-Identifier: BSD-3-Clause
// Bodies that move by what a sum says.
#pragma once

#include "core/particles/particles.hpp"
#include "starfmm/sum.hpp"

#include <memory>
#include <vector>

namespace starfmm {

/// Moves bodies by leapfrog steps: half a kick, a drift, half a kick. The sum is of a kernel whose
/// values begin with an acceleration, as those of Gravity do.
///
///     Sum gravity(context, Gravity{.softening = Plummer{1e-3}}, {.sources = x, .tolerance = 1e-3});
///     Leapfrog run(gravity, {.positions = x, .velocities = v, .masses = m}, 1e-3);
///     run.step(100);
///
/// Bodies of Gravity by a tree are moved by tasks: on a GPU they stay in its memory until they are
/// looked at. What a sum of gravity chooses for the bodies at their start, of method, order,
/// precision and leaves, stands for all steps. On as many workers of one kind the same bodies take
/// the same steps to the last bit by a tree on cores, and by direct sums with
/// Choices::summation = SummationOrder::fixed.
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

    Leapfrog(Leapfrog&& other) noexcept;
    Leapfrog& operator=(Leapfrog&& other) noexcept;
    ~Leapfrog();

    /// Takes steps, each of which evaluates the sum once.
    /// \throws InputError if a value is no longer finite, and what the sum throws: the steps before
    /// the one that failed are done, and that one is not begun. Where tasks move the bodies, what is
    /// not finite is found later, by whoever looks at it, and a step that the sum has failed in
    /// leaves nothing to look at: every call but time() throws from then on.
    void step(int n = 1);

    [[nodiscard]] double time() const;

    /// [n][dimension], as velocities() are. Bodies that tasks move are fetched, and the sum is moved
    /// to their positions: O(n) for the first of these calls after a step.
    /// \throws InputError naming the first value that is no longer finite
    [[nodiscard]] const std::vector<double>& positions() const;

    [[nodiscard]] const std::vector<double>& velocities() const;

    /// [n][v]: the values of the sum at the present positions
    [[nodiscard]] const std::vector<double>& values() const;

    /// Energies and momenta at present, summed where the bodies are. O(n)
    /// \throws InputError for a sum without potentials: use Gravity{.potential = true}
    [[nodiscard]] Conserved conserved() const;

private:
    friend struct detail::Access;

    class State;

    explicit Leapfrog(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

} // namespace starfmm
