// SPDX-License-Identifier: BSD-3-Clause
// What a runtime remembers of the user's arrays from one use to the next.
#pragma once

#include "codelets/task/handle.hpp"
#include "codelets/task/memory/pinned_buffer.hpp"
#include "core/particles/value_range.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace starfmm {

/// What an array of the user's is to a sum.
enum class ArrayRole {
    source_x,
    source_y,
    source_z,
    target_x,
    target_y,
    target_z,
    strength_re,
    strength_im,
    potential_re,
    potential_im,
    gradient_x,
    gradient_y,
    gradient_z
};

/// Which of a sum's arrays one is: strengths and results are as many as right-hand sides.
struct ArrayPlace {
    ArrayRole role;
    std::uint32_t column = 0;

    ArrayPlace(ArrayRole only) : role(only) {} // NOLINT(*-explicit-*): the usual case

    ArrayPlace(ArrayRole of, std::uint32_t right_hand_side) : role(of), column(right_hand_side) {}

    bool operator<(const ArrayPlace& other) const {
        return role != other.role ? role < other.role : column < other.column;
    }
};

/// Where the `part`-th of `n_parts` equal parts of an array of `n` values begins.
[[nodiscard]] constexpr std::size_t
part_begin(std::size_t n, std::size_t n_parts, std::size_t part) {
    return n / n_parts * part + n % n_parts * part / n_parts;
}

/// Handles of an array's equal parts, in its place.
[[nodiscard]] std::vector<Handle>
handles_of_parts(std::span<double> values, std::size_t n_parts, Handle::Home home);

/// Waits for the tasks of all parts and copies their values.
void read_parts(std::vector<Handle>& parts, std::span<double> values);

/// An array of the caller's that stays where tasks left it.
class ResidentArray {
public:
    ResidentArray(std::span<double> values, Handle::Home home);

    /// Waits for its tasks and copies the results to the caller's array.
    void bring_home() { read_parts(parts_, values_); }

    /// Waits for its tasks and has later ones see `values`, as does the caller's array.
    void assign(std::span<const double> values);

    /// Names of the array's parts. Asked for another number than before, it brings the array home.
    [[nodiscard]] std::vector<Handle> parts(std::size_t n_parts);

    std::optional<ValueRange> checked; ///< the values are finite, and
    bool all_in = false;               ///< whether they are all in this range

private:
    std::span<double> values_;
    Handle::Home home_;
    std::vector<Handle> parts_;
};

/// Pinned memory by which arrays travel to GPUs, and the arrays that stay there.
class ArrayMemory {
public:
    /// \param stages whether arrays pass through pinned memory
    explicit ArrayMemory(bool stages) : stages_(stages) {}

    /// Pinned room for `n` doubles, kept from one use of the place to the next; null where no GPU
    /// needs it.
    [[nodiscard]] double* staging(ArrayPlace place, std::size_t n) {
        return stages_ ? staging_[place].require(n) : nullptr;
    }

    /// Null for arrays that are not resident.
    [[nodiscard]] ResidentArray* resident(const double* data);

    /// Makes an array resident, until forget().
    /// \throws InputError if it is
    ResidentArray& keep(std::span<double> values, Handle::Home home);

    void forget(const double* data) { residents_.erase(data); }

private:
    bool stages_;
    std::map<ArrayPlace, PinnedBuffer> staging_;
    std::map<const double*, ResidentArray> residents_;
};

} // namespace starfmm
