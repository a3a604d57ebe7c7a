// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity_data.hpp"

#include "codelets/pairs/gravity.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace starfmm {

void GravityBuffer::cut(
    const Runtime& runtime,
    std::size_t first,
    std::span<const RowShare> blocks,
    const ElementSize& element
) {
    const std::size_t n = blocks.empty() ? 0 : blocks.back().begin + blocks.back().n;
    blocks_.clear();
    locks_.clear();
    const std::size_t size = element.width * element.bytes;
    const std::size_t n_doubles = (n * size + sizeof(double) - 1) / sizeof(double);
    auto* const memory = reinterpret_cast<std::byte*>(memory_.require(n_doubles));
    if (runtime.engaged().n_cuda > 0) {
        locks_.emplace_back(memory, n_doubles * sizeof(double));
    }
    for (const RowShare& block : blocks) {
        std::byte* const own = memory + block.begin * size;
        blocks_.push_back(
            {first + block.begin,
             block.n,
             own,
             {own, block.n * element.width, element.bytes, runtime.home()},
             block.takers}
        );
    }
}

void GravityBuffer::overwrite() {
    for (GravityBlock& block : blocks_) {
        block.handle.overwrite();
    }
}

void GravityBuffer::publish() {
    for (GravityBlock& block : blocks_) {
        block.handle.publish(block.data);
    }
}

std::vector<PackedSums> GravityBuffer::bring_home(const Runtime& runtime) {
    std::vector<PackedSums> parts;
    for (GravityBlock& block : blocks_) {
        if (runtime.spins()) {
            block.handle.spin_until_home();
        }
        const std::size_t n_bytes = block.handle.size() * block.handle.layout().elemsize;
        block.handle.read(std::span(block.data, n_bytes));
        parts.push_back({block.data, block.begin - blocks_.front().begin, block.n});
    }
    return parts;
}

/// Sums of parts of the sources, see gravity_splits: enough parts to fill a GPU if targets are few,
/// and some to even out the last wave if they are many.
std::size_t gravity_scratch_size(std::size_t n_sums, int n_cuda) {
    constexpr std::size_t wanted = std::size_t(1) << 25;
    constexpr std::size_t fewest = 4;
    return n_cuda == 0 ? 1 : n_sums * std::clamp(wanted / n_sums, fewest, gravity_most_splits);
}

TaskArgs gravity_args(
    const GravityBlock& target, const GravityBlock& home, const GravityBlock& source, double epsilon
) {
    constexpr std::size_t most_grains = std::numeric_limits<int>::max();
    TaskArgs args;
    args.takers = target.takers;
    args.work = static_cast<double>(target.n) * static_cast<double>(source.n);
    args.nearfield.granularity = static_cast<int>(std::min<std::size_t>(target.n, most_grains));
    args.gravity.epsilon_square = epsilon * epsilon;
    args.gravity.first_target = target.begin - home.begin;
    args.gravity.self =
        static_cast<std::int64_t>(target.begin) - static_cast<std::int64_t>(source.begin);
    return args;
}

} // namespace starfmm
