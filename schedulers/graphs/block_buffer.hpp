// SPDX-License-Identifier: BSD-3-Clause
// Arrays of a direct sum in host memory, cut into the blocks that tasks take.
#pragma once

#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/memory/pinned_buffer.hpp"
#include "schedulers/graphs/row_shares.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace starfmm {

/// Rows [begin, begin + n) of a buffer, stored component by component.
struct DataBlock {
    std::size_t begin;
    std::size_t n;
    std::byte* data; ///< where the block lies in host memory
    Handle handle;
    Takers takers = Takers::all; ///< the workers that its tasks may run on
};

/// What a row of a buffer is made of.
struct RowSize {
    std::size_t components; ///< numbers of a row
    std::size_t bytes;      ///< bytes of a number: those of a double or of a float
};

/// Memory that GPUs copy at the full rate of the link takes longer to come by than a small sum.
enum class HostMemory { pageable, pinned };

/// Host memory, and its blocks. It must not outlive the runtime.
class BlockBuffer {
public:
    /// Makes blocks that follow each other, with undefined contents.
    void
    cut(const Runtime& runtime,
        std::span<const RowShare> blocks,
        const RowSize& row,
        HostMemory kind);

    [[nodiscard]] std::vector<DataBlock>& blocks() { return blocks_; }

    [[nodiscard]] const std::vector<DataBlock>& blocks() const { return blocks_; }

    /// Waits for the tasks that use the blocks, and sets component `c` of all rows to `factor`
    /// times components[c], which has a value a row.
    void write(std::span<const std::span<const double>> components, double factor);

    /// Waits as write() does, and sets everything to zero.
    void clear();

    /// Waits for the tasks that write the blocks, and brings the blocks to host memory.
    void bring_home(const Runtime& runtime);

    /// Sets `out`, which has a value a row, to `factor` times component `c`. \pre bring_home()
    void read(std::size_t c, double factor, std::span<double> out) const;

private:
    RowSize row_{};
    PinnedBuffer pinned_;
    std::vector<double> pageable_;
    std::vector<PageLock> locks_;   ///< where StarPU does not pin it
    std::vector<DataBlock> blocks_; ///< after their memory: handles go first
};

} // namespace starfmm
