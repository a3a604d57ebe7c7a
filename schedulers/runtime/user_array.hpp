// SPDX-License-Identifier: BSD-3-Clause
// User arrays are the user's arrays as data of tasks: used where they lie, or copied through pinned
// memory where there is a GPU. They are the only way from a caller's memory to tasks and back.
#pragma once

#include "codelets/task/handle.hpp"
#include "core/particles/points.hpp"
#include "core/particles/value_range.hpp"
#include "schedulers/runtime/array_memory.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

class Runtime;

/// One array of the user's: its values, its role in a sum, and where tasks find it. The object is a
/// value that may be copied; the array and the runtime must outlive it.
class UserArray {
public:
    [[nodiscard]] std::size_t size() const { return values_.size(); }

    [[nodiscard]] bool is_resident() const { return resident_ != nullptr; }

protected:
    UserArray(Runtime& runtime, std::span<double> values, ArrayPlace place);

    /// Whether tasks use the array where it lies although a GPU takes part, because it is resident
    /// or page-locked by a PageLock.
    [[nodiscard]] bool is_direct() const { return resident_ != nullptr || is_page_locked_; }

    /// Returns the pinned copy through which the array travels, or null if it needs none.
    [[nodiscard]] double* pinned() const;

    /// Makes handles of the array's parts, or of its pinned copy's parts.
    [[nodiscard]] std::vector<Handle> handles(double* data, std::size_t n_parts) const;

    Runtime* runtime_;
    std::span<double> values_;
    ArrayPlace place_;
    ResidentArray* resident_; ///< null if the array is not resident
    bool is_page_locked_;
};

/// An array that tasks read. Its values are looked at once: a value that is not finite is refused,
/// and a value outside the range of the arithmetic is noted.
class UserInput : public UserArray {
public:
    /// Prepares an array that tasks will read.
    /// \param name name of the array in messages
    /// \param range magnitudes that the arithmetic takes as they are
    UserInput(
        Runtime& runtime,
        std::span<const double> values,
        ArrayPlace place,
        std::string name,
        const ValueRange& range
    );

    /// Makes handles of the array's parts, none if there are no values. The array, or its pinned
    /// copy, must not change before the handles are gone.
    ///
    /// An array that GPUs reach directly is neither copied nor looked at here: check() does that
    /// while tasks run.
    /// \throws InputError naming the first value that is not finite
    [[nodiscard]] std::vector<Handle> parts(std::size_t n_parts = 1);

    /// Whether a value that is out of range has been found.
    [[nodiscard]] bool is_known_out() const { return all_in_ == false; }

    /// Looks at the values, unless that has been done, and returns whether all are in range.
    /// \throws as parts()
    bool check();

private:
    friend void look_on_gpus(Runtime& runtime, std::span<UserInput> arrays);

    void note(bool are_in);

    std::string name_;
    ValueRange range_;
    std::optional<bool> all_in_; ///< empty if the values were not looked at
};

/// Looks at those of the arrays that lie on GPUs, by tasks there. All have one range.
/// \throws InputError naming the first value that is not finite
void look_on_gpus(Runtime& runtime, std::span<UserInput> arrays);

/// Looks at all arrays, and returns whether all their values are in range.
bool check_all(std::span<UserInput> arrays);

/// When results go to the caller's memory: as each task ends, or once.
enum class Results { at_once, at_the_end };

/// An array that tasks write.
class UserOutput : public UserArray {
public:
    UserOutput(Runtime& runtime, std::span<double> values, ArrayPlace place, Results when)
        : UserArray(runtime, values, place), when_(when) {}

    /// Makes handles of the array's parts, none if there are no values.
    [[nodiscard]] std::vector<Handle> parts(std::size_t n_parts = 1) const;

    /// Releases the handles and waits for the results, which are then in the user's array unless
    /// the array is resident.
    void finish(std::vector<Handle> handles) const;

    /// Writes results that no task has written, both where the user has them and where tasks do.
    void write(std::span<const double> results) const;

private:
    Results when_;
};

/// The user's points, coordinate by coordinate.
struct PointArrays {
    std::vector<UserInput> x;
    /// Masses, last potentials and their gradients, then lengths; either may be missing.
    std::vector<UserInput> field;

    [[nodiscard]] std::size_t size() const { return x[0].size(); }

    /// Whether all coordinates are in range.
    bool check() { return check_all(x); }
};

[[nodiscard]] PointArrays
user_sources(Runtime& runtime, const PointsRef& points, const ValueRange& range);
[[nodiscard]] PointArrays
user_targets(Runtime& runtime, const PointsRef& points, const ValueRange& range);

} // namespace starfmm
