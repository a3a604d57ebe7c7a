// SPDX-License-Identifier: BSD-3-Clause
// RAII host memory that GPUs copy from and to at the full rate of the link.
#pragma once

#include <cstddef>

namespace starfmm {

/// Page-locked doubles where StarPU drives a GPU, plain memory elsewhere. A buffer must not outlive
/// the runtime.
class PinnedBuffer {
public:
    PinnedBuffer() = default;
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;
    PinnedBuffer(PinnedBuffer&& other) noexcept;
    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;
    ~PinnedBuffer();

    /// Makes room for `n` doubles with undefined contents. The buffer keeps the memory that it has
    /// if that is enough: page-locking takes longer than many an evaluation.
    /// \throws StarpuError if there is no such memory
    double* require(std::size_t n);

    [[nodiscard]] void* data() const { return data_; }

private:
    void* data_ = nullptr;
    std::size_t n_bytes_ = 0;
    bool is_starpus_ = false; ///< false for plain memory, in bodies called without a runtime
};

} // namespace starfmm
