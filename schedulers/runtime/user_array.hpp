// SPDX-License-Identifier: BSD-3-Clause
// The user's arrays as data of tasks: where they are, or by way of pinned memory where there is a
// GPU. The only way from a caller's memory to tasks and back.
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

/// One array of the user's: its values, what it is to a sum, and where tasks find it. A value, to
/// be handed on; the array must outlive it, the runtime as well.
class UserArray {
public:
    [[nodiscard]] std::size_t size() const { return values_.size(); }

    [[nodiscard]] bool is_resident() const { return resident_ != nullptr; }

protected:
    UserArray(Runtime& runtime, std::span<double> values, ArrayPlace place);

    /// Whether tasks use the array in its place although a GPU takes part: it is resident, or
    /// page-locked by a PageLock.
    [[nodiscard]] bool is_direct() const { return resident_ != nullptr || is_page_locked_; }

    /// The pinned copy by which the array travels; null: it needs none.
    [[nodiscard]] double* pinned() const;

    /// Handles of the array's parts, or of its pinned copy's.
    [[nodiscard]] std::vector<Handle> handles(double* data, std::size_t n_parts) const;

    Runtime* runtime_;
    std::span<double> values_;
    ArrayPlace place_;
    ResidentArray* resident_; ///< null: it is not
    bool is_page_locked_;
};

/// An array that tasks read, which is looked at once: what is not finite is refused, and what is
/// out of the range of the arithmetic makes known.
class UserInput : public UserArray {
public:
    /// \param name of the array in messages
    /// \param range of magnitudes that arithmetic takes as they are
    UserInput(
        Runtime& runtime,
        std::span<const double> values,
        ArrayPlace place,
        std::string name,
        const ValueRange& range
    );

    /// Handles of the array's parts; none for no values. The array, or its pinned copy, must not
    /// change before the handles are gone.
    ///
    /// An array that GPUs reach directly is neither copied nor looked at here: check() does it
    /// while tasks run.
    /// \throws InputError naming the first value that is not finite
    [[nodiscard]] std::vector<Handle> parts(std::size_t n_parts = 1);

    /// Whether a value has been found that is out of range.
    [[nodiscard]] bool is_known_out() const { return all_in_ == false; }

    /// Looks at the values, unless they have been; whether all are in range.
    /// \throws as parts()
    bool check();

private:
    std::string name_;
    ValueRange range_;
    std::optional<bool> all_in_; ///< nothing: not looked at
};

/// Looks at all of them; whether all their values are in range.
bool check_all(std::span<UserInput> arrays);

/// When results go to the caller's memory: as each task ends, or once.
enum class Results { at_once, at_the_end };

/// An array that tasks write.
class UserOutput : public UserArray {
public:
    UserOutput(Runtime& runtime, std::span<double> values, ArrayPlace place, Results when)
        : UserArray(runtime, values, place), when_(when) {}

    /// Handles of the array's parts; none for no values.
    [[nodiscard]] std::vector<Handle> parts(std::size_t n_parts = 1) const;

    /// Lets go of the handles, waiting for their results, which are the user's then, unless the
    /// array is resident.
    void finish(std::vector<Handle> handles) const;

    /// Writes results that no task has written: where the user has them, and where tasks do.
    void write(std::span<const double> results) const;

private:
    Results when_;
};

/// Points of the user's, coordinate by coordinate.
struct PointArrays {
    std::vector<UserInput> x;
    std::vector<UserInput> field; ///< masses, last potentials and their gradients; or empty

    [[nodiscard]] std::size_t size() const { return x[0].size(); }

    /// Whether all coordinates are in range.
    bool check() { return check_all(x); }
};

[[nodiscard]] PointArrays
user_sources(Runtime& runtime, const PointsRef& points, const ValueRange& range);
[[nodiscard]] PointArrays
user_targets(Runtime& runtime, const PointsRef& points, const ValueRange& range);

} // namespace starfmm
