// SPDX-License-Identifier: BSD-3-Clause
// What a driver sums, in the plane or in space: read from files or generated.
#pragma once

#include "core/host_limits.hpp"
#include "core/particles/points.hpp"
#include "examples/cli/cli.hpp"
#include "starfmm/array_view.hpp"
#include "starfmm/kernels.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

struct Problem {
    AnyPoints sources;
    std::vector<Strengths> strengths; ///< strengths of each right-hand side
    AnyPoints targets;                ///< empty: the sources
    bool separate_targets = false;
    std::vector<double> lengths{}; ///< softening lengths of the sources; empty: none of their own

    [[nodiscard]] const AnyPoints& evaluation_points() const {
        return separate_targets ? targets : sources;
    }

    [[nodiscard]] bool is_complex() const { return strengths.front().is_complex(); }
};

/// The system would end a process that takes more than there is, without a word.
/// \param what the options that ask for so much, as "--n 1000000000"
/// \param bytes size of the caller's own arrays: plans need more, and refuse it themselves
/// \param available bytes that this process may take
/// \throws InputError if there is less
void check_room(const std::string& what, double bytes, std::size_t available = available_memory());

/// Bodies of gravity have masses that sum up to 1 where they are generated.
/// \throws InputError for unreadable files and bad values, or more points than memory holds
[[nodiscard]] Problem make_problem(const DriverOptions& options);

/// Views of a problem, as a sum takes it.
[[nodiscard]] ConstArrayView view_of(const AnyPoints& points);

/// Complex strengths of a kernel that takes real ones are two right-hand sides.
/// \throws InputError where these would have results of more than one number
[[nodiscard]] ConstArrayView strengths_of(const Problem& problem, const KernelShape& shape);

/// Makes room for the results, in the order of the strengths.
[[nodiscard]] ArrayView
room_for(const Problem& problem, const KernelShape& shape, std::vector<Potentials>& potentials);

} // namespace starfmm
