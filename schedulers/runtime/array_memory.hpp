// SPDX-License-Identifier: BSD-3-Clause
// This header declares what a runtime remembers of the user's arrays from one use to the next.
#pragma once

#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/handle.hpp"
#include "codelets/task/memory/pinned_buffer.hpp"
#include "core/particles/value_range.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace starfmm {

/// The role that an array of the user's plays in a sum.
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

/// Identifies one array of a sum by its role and its right-hand side: strengths and results have
/// one array for each right-hand side.
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

/// Makes handles for an array's equal parts, which stay where the array lies.
[[nodiscard]] std::vector<Handle>
handles_of_parts(std::span<double> values, std::size_t n_parts, Handle::Home home);

/// Waits for the tasks of all parts and copies their values.
void read_parts(std::vector<Handle>& parts, std::span<double> values);

/// An array of the caller's that stays in the memory where tasks left it.
class ResidentArray {
public:
    ResidentArray(std::span<double> values, Handle::Home home);

    /// Takes an array that lies on a GPU.
    /// \param gpu its number among the runtime's
    /// \param node its memory's, to StarPU
    ResidentArray(std::span<double> values, std::size_t gpu, unsigned node);

    /// Number of the GPU that the array lies on; none in host memory.
    [[nodiscard]] std::optional<std::size_t> gpu() const { return gpu_; }

    /// Waits for the array's tasks; the results are then in the caller's array.
    void bring_home();

    /// Waits for the array's tasks and copies its values, wherever it lies.
    void read(std::span<double> out) { read_parts(parts_, out); }

    /// Waits for the array's tasks, then gives `values` to later tasks and to the caller's array.
    void assign(std::span<const double> values);

    /// Returns handles of the array's parts. If `n_parts` differs from the call before, the array
    /// is brought home first.
    [[nodiscard]] std::vector<Handle> parts(std::size_t n_parts);

    /// The parts that the last call asked for.
    [[nodiscard]] std::span<Handle> present_parts() { return parts_; }

    std::optional<ValueRange> checked; ///< range that was checked, whose values were all finite
    bool all_in = false;               ///< whether all values are in this range

private:
    [[nodiscard]] std::vector<Handle> handles(std::size_t n_parts) const;

    std::span<double> values_;
    Handle::Home home_;
    std::optional<std::size_t> gpu_;
    unsigned node_ = 0; ///< of the GPU
    std::vector<Handle> parts_;
};

/// Pinned memory through which arrays travel to GPUs, and the arrays that stay there.
class ArrayMemory {
public:
    /// Makes a memory without arrays.
    /// \param stages whether arrays pass through pinned memory
    explicit ArrayMemory(bool stages) : stages_(stages) {}

    /// Returns pinned room for `n` doubles, which is kept from one use of the place to the next, or
    /// null where no GPU needs pinned memory.
    [[nodiscard]] double* staging(ArrayPlace place, std::size_t n) {
        return stages_ ? staging_[place].require(n) : nullptr;
    }

    /// Returns copies between pageable memory and a device, always the same one.
    [[nodiscard]] StagedCopies& staged_copies(int device) {
        if (!copies_) {
            copies_ = std::make_unique<StagedCopies>(device);
        }
        return *copies_;
    }

    /// Returns null for arrays that are not resident.
    [[nodiscard]] ResidentArray* resident(const double* data);

    /// Makes an array resident until forget() is called.
    /// \throws InputError if the array is resident already
    ResidentArray& keep(std::span<double> values, Handle::Home home);

    /// The same for an array on a GPU.
    ResidentArray& keep_on_gpu(std::span<double> values, std::size_t gpu, unsigned node);

    void forget(const double* data) { residents_.erase(data); }

private:
    template <class... Where>
    ResidentArray& keep_there(std::span<double> values, Where... where);

    bool stages_;
    std::map<ArrayPlace, PinnedBuffer> staging_;
    std::unique_ptr<StagedCopies> copies_;
    std::map<const double*, ResidentArray> residents_;
};

} // namespace starfmm
