// SPDX-License-Identifier: BSD-3-Clause
// Packed bodies and sums as data of tasks, and the arguments of a task on them.
#pragma once

#include "codelets/sets/gravity_set.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/memory/pinned_buffer.hpp"
#include "schedulers/graphs/row_shares.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace starfmm {

/// Bodies [begin, begin + n) of the whole problem, or their sums.
struct GravityBlock {
    std::size_t begin;
    std::size_t n;
    std::byte* data; ///< where the block lies in host memory; null where StarPU allocates
    Handle handle;
    Takers takers = Takers::all; ///< the workers that its tasks may run on
};

/// What an element of a buffer is made of.
struct ElementSize {
    std::size_t width; ///< numbers of an element
    std::size_t bytes; ///< bytes of a number

    [[nodiscard]] static ElementSize of_body(GravityPrecision precision) {
        return {packed_width(precision), packed_bytes(precision)};
    }

    [[nodiscard]] static ElementSize of_sum(GravityPrecision precision, GravityResult result) {
        return {static_cast<std::size_t>(n_components(result)), sum_bytes(precision)};
    }
};

/// Host memory that GPUs copy at the full rate of the link, and its blocks.
class GravityBuffer {
public:
    /// Elements from `first` on in blocks that follow each other, contents undefined.
    void
    cut(const Runtime& runtime,
        std::size_t first,
        std::span<const RowShare> blocks,
        const ElementSize& element);

    [[nodiscard]] std::vector<GravityBlock>& blocks() { return blocks_; }

    [[nodiscard]] std::byte* data() { return static_cast<std::byte*>(memory_.data()); }

    /// Waits for users of the blocks, whose memory the caller may change until publish().
    void overwrite();
    void publish();

    /// Sums, brought home once tasks have written them; body 0 of the parts is the buffer's first.
    [[nodiscard]] std::vector<PackedSums> bring_home(const Runtime& runtime);

private:
    PinnedBuffer memory_;
    std::vector<PageLock> locks_;      ///< where StarPU does not pin it
    std::vector<GravityBlock> blocks_; ///< after their memory: handles go first
};

/// Numbers of scratch for tasks on at most `n_sums` sums.
[[nodiscard]] std::size_t gravity_scratch_size(std::size_t n_sums, int n_cuda);

/// What a task on `target` and `source` is told. `home` holds the bodies of the targets.
[[nodiscard]] TaskArgs gravity_args(
    const GravityBlock& target, const GravityBlock& home, const GravityBlock& source, double epsilon
);

} // namespace starfmm
