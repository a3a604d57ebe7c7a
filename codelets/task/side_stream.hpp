// SPDX-License-Identifier: BSD-3-Clause
// A second stream beside a GPU worker's own, for parts of one task that do not depend on each
// other. There are two definitions, with CUDA and without.
#pragma once

#include "codelets/task/cuda_devices.hpp"

#include <cstdint>
#include <optional>

namespace starfmm {

/// The streams of a GPU worker. Where both have kernels waiting, those of the stream aside go
/// first.
enum class Stream : std::uint32_t { own, aside };

/// The streams of the calling worker, while a body lives. Outside GPU workers, and without CUDA,
/// nothing happens.
class StreamPair {
public:
    StreamPair() = default;
    StreamPair(const StreamPair&) = delete;
    StreamPair& operator=(const StreamPair&) = delete;

    /// Has kernels go to the own stream again.
    ~StreamPair();

    /// Has kernels go to `stream` from now on.
    /// \throws CudaError
    void use(Stream stream);

    /// Has what either stream is given from now on wait for what the other has been given.
    /// \throws CudaError
    void meet();

    /// Returns a mark in the stream that kernels go to; none outside GPU workers, and without CUDA.
    /// \throws CudaError
    [[nodiscard]] static std::optional<DeviceMark> mark();

private:
    bool has_parted_ = false; ///< whether the stream aside has been used since both met
};

/// Returns the stream that the calling worker's kernels go to, a cudaStream_t; null: its own.
[[nodiscard]] void* stream_in_use() noexcept;

} // namespace starfmm
