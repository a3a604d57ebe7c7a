// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/block_buffer.hpp"

#include "core/parallel_copy.hpp"

#include <type_traits>

namespace starfmm {

namespace {

/// Calls `use` with null pointers of the numbers' type.
template <class Use>
void with_real(const RowSize& row, const Use& use) {
    if (row.bytes == sizeof(double)) {
        use(static_cast<double*>(nullptr));
    } else {
        use(static_cast<float*>(nullptr));
    }
}

/// Sets `n` numbers from `out` to `factor` times those from `in`, by several cores if they are
/// many.
template <class In, class Out>
void scale(const In* in, std::size_t size, double factor, Out* out) {
    const auto n = static_cast<std::ptrdiff_t>(size);
#pragma omp parallel for schedule(static) num_threads(copy_threads(n)) if (4 * n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        out[i] = static_cast<Out>(factor * static_cast<double>(in[i]));
    }
}

} // namespace

void BlockBuffer::cut(
    const Runtime& runtime, std::span<const RowShare> blocks, const RowSize& row, HostMemory kind
) {
    row_ = row;
    blocks_.clear();
    locks_.clear();
    const std::size_t n = blocks.empty() ? 0 : blocks.back().begin + blocks.back().n;
    const std::size_t size = row.components * row.bytes;
    const std::size_t n_doubles = (n * size + sizeof(double) - 1) / sizeof(double);
    double* doubles = nullptr;
    if (kind == HostMemory::pinned) {
        doubles = pinned_.require(n_doubles);
        if (runtime.engaged().n_cuda > 0) {
            locks_.emplace_back(doubles, n_doubles * sizeof(double));
        }
    } else {
        pageable_.resize(n_doubles);
        doubles = pageable_.data();
    }
    auto* const memory = reinterpret_cast<std::byte*>(doubles);
    for (const RowShare& block : blocks) {
        std::byte* const own = memory + block.begin * size;
        blocks_.push_back(
            {block.begin,
             block.n,
             own,
             {own, block.n * row.components, row.bytes, runtime.home()},
             block.takers}
        );
    }
}

void BlockBuffer::write(std::span<const std::span<const double>> components, double factor) {
    for (DataBlock& block : blocks_) {
        block.handle.overwrite();
        std::byte* out = block.data;
        for (const std::span<const double> values : components) {
            const double* in = values.data() + block.begin;
            with_real(row_, [&](auto* real) {
                scale(in, block.n, factor, reinterpret_cast<decltype(real)>(out));
            });
            out += block.n * row_.bytes;
        }
        block.handle.publish(block.data);
    }
}

void BlockBuffer::clear() {
    for (DataBlock& block : blocks_) {
        block.handle.overwrite();
        const auto n = static_cast<std::ptrdiff_t>(block.n * row_.components * row_.bytes);
        std::byte* const data = block.data;
#pragma omp parallel for schedule(static) num_threads(copy_threads(n)) if (n > 8 * few_values)
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            data[i] = std::byte(0);
        }
        block.handle.publish(block.data);
    }
}

void BlockBuffer::bring_home(const Runtime& runtime) {
    for (DataBlock& block : blocks_) {
        if (runtime.spins()) {
            block.handle.spin_until_home();
        }
        const std::size_t n_bytes = block.handle.size() * block.handle.layout().elemsize;
        block.handle.read(std::span(block.data, n_bytes));
    }
}

void BlockBuffer::read(std::size_t c, double factor, std::span<double> out) const {
    for (const DataBlock& block : blocks_) {
        const std::byte* const in = block.data + c * block.n * row_.bytes;
        with_real(row_, [&](auto* real) {
            using Real = std::remove_pointer_t<decltype(real)>;
            scale(reinterpret_cast<const Real*>(in), block.n, factor, out.data() + block.begin);
        });
    }
}

} // namespace starfmm
