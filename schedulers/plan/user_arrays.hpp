// SPDX-License-Identifier: BSD-3-Clause
// The user's arrays as data of tasks: where they are, or by way of pinned memory where there is a
// GPU.
#pragma once

#include "codelets/task/handle.hpp"
#include "core/particles/value_range.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <string>
#include <vector>

namespace starfmm {

/// What checks of the user's values find out, besides that they are finite.
struct InputCheck {
    ValueRange range;
    bool all_in = true; ///< none was out of the range so far
};

/// Handles of an array's parts, that tasks only read; none for no values. The array, or its pinned
/// copy, must not change before the handles are gone.
///
/// An array that GPUs reach directly (a Resident, or page-locked by a PageLock) is neither copied
/// nor checked here: check_user_input() does it while tasks run.
/// \param what name of the array in messages
/// \throws InputError naming the first value that is not finite
[[nodiscard]] std::vector<Handle> user_input(
    Runtime& runtime,
    const std::vector<double>& values,
    ArrayRole role,
    const std::string& what,
    InputCheck& check,
    std::size_t n_parts = 1
);

/// The check that user_input() left out, if it did.
/// \throws InputError as user_input()
void check_user_input(
    Runtime& runtime, const std::vector<double>& values, const std::string& what, InputCheck& check
);

/// When results go to the caller's memory: as each task ends, or once.
enum class Results { at_once, at_the_end };

/// Handles of an array's parts, that tasks write; none for no values. Results are in `values` after
/// finish_output(), except those of a Resident.
[[nodiscard]] std::vector<Handle> user_output(
    Runtime& runtime,
    std::vector<double>& values,
    ArrayRole role,
    Results when,
    std::size_t n_parts = 1
);

/// Lets go of the handles, waiting for their results, and copies them from pinned memory if they
/// are there.
void finish_output(
    Runtime& runtime, std::vector<Handle> handles, std::vector<double>& values, ArrayRole role
);

/// Writes results that no task has written to where the user has them: also to a Resident.
void write_output(
    Runtime& runtime, const std::vector<double>& results, std::vector<double>& values
);

/// Keeps one of the user's arrays where tasks left it: plans and evaluations of the runtime that
/// use the array move it no more, until bring_home().
///
///     Resident x(runtime, points.x[0]), re(runtime, potentials.re);
///
/// The array must keep its address and size, and inputs their values. Must not outlive the runtime.
class Resident {
public:
    /// \throws InputError if the array has one already
    Resident(Runtime& runtime, std::vector<double>& values)
        : runtime_(runtime), data_(values.data()),
          array_(runtime.arrays().keep(values, runtime.home())) {}

    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;

    ~Resident() { runtime_.arrays().forget(data_); }

    /// Waits for its tasks and copies the results to the user's array.
    void bring_home() { array_.bring_home(); }

    /// Waits for its tasks and has later ones see `values`, as does the user's array.
    void assign(const std::vector<double>& values) { array_.assign(values); }

private:
    Runtime& runtime_;
    const double* data_;
    ResidentArray& array_;
};

} // namespace starfmm
