// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/direct_graph.hpp"

#include <algorithm>
#include <array>

namespace starfmm {

namespace {

/// Writes `values` [n] as `Real`s.
void convert(const double* values, std::size_t n, std::size_t real_size, std::byte* out) {
    if (real_size == sizeof(double)) {
        std::copy_n(values, n, reinterpret_cast<double*>(out));
    } else {
        std::copy_n(values, n, reinterpret_cast<float*>(out));
    }
}

/// Reads `Real`s [n] into `out`.
void convert_back(const std::byte* values, std::size_t n, std::size_t real_size, double* out) {
    if (real_size == sizeof(double)) {
        std::copy_n(reinterpret_cast<const double*>(values), n, out);
    } else {
        std::copy_n(reinterpret_cast<const float*>(values), n, out);
    }
}

} // namespace

std::size_t direct_block_size(std::size_t n, std::size_t n_workers) {
    constexpr std::size_t blocks_per_worker = 4;
    constexpr std::size_t smallest = 1024;
    if (n_workers == 1) {
        return n;
    }
    const std::size_t n_blocks = blocks_per_worker * n_workers;
    return std::max(smallest, (n + n_blocks - 1) / n_blocks);
}

DirectData::DirectData(
    Runtime& runtime,
    KernelSet& kernel,
    const KernelParameters& parameters,
    const PointsRef& sources,
    const PointsRef& targets
)
    : runtime_(runtime), kernel_(kernel), parameters_(parameters) {
    // Blocks of sources stay in a core's cache while the targets of a block are summed over them.
    constexpr std::size_t source_block = std::size_t(1) << 20;
    targets_ = make_blocks(targets, rows(targets.size(), std::min(sources.size(), source_block)));
    sources_ = make_blocks(sources, equal_rows(sources.size(), source_block));
}

/// Cuts the targets into blocks.
std::vector<RowShare> DirectData::rows(std::size_t n, std::size_t source_block) const {
    const WorkerCounts& workers = runtime_.engaged();
    if (workers.n_cpu > 0 && workers.n_cuda > 0) {
        return share_rows(n, kernel_.get<DirectTask>().costs(), workers);
    }
    const std::size_t n_workers =
        static_cast<std::size_t>(workers.n_cpu) + static_cast<std::size_t>(workers.n_cuda);
    const std::size_t block = direct_block_size(n, n_workers);
    if (workers.n_cuda > 0) {
        return equal_rows(n, block);
    }
    // whoever interrupts the sum waits for the tasks that run: about a second of a core
    constexpr std::size_t most_pairs = 2'000'000'000;
    const std::size_t interruptible = most_pairs / std::max<std::size_t>(source_block, 1);
    return equal_rows(n, std::min(block, interruptible));
}

std::vector<DirectData::Block>
DirectData::make_blocks(const PointsRef& points, std::span<const RowShare> rows) const {
    std::vector<Block> blocks;
    for (const auto& [begin, n, takers] : rows) {
        Block block{begin, n, takers, {}, {}};
        block.storage.reserve(points.x.size() * n);
        for (const std::span<const double> x : points.x) {
            const auto first = x.begin() + static_cast<std::ptrdiff_t>(begin);
            block.storage.insert(
                block.storage.end(), first, first + static_cast<std::ptrdiff_t>(n)
            );
        }
        block.positions = {
            block.storage.data(), block.storage.size(), sizeof(double), runtime_.home()};
        blocks.push_back(std::move(block));
    }
    return blocks;
}

Handle DirectData::make_strengths(
    const Block& block, std::span<const double> re, std::span<const double> im, Values& storage
) const {
    const std::size_t real_size = kernel_.traits.real_size;
    const std::size_t parts = kernel_.traits.complex_strength ? 2 : 1;
    storage.resize(parts * block.n * real_size);
    convert(re.data() + block.begin, block.n, real_size, storage.data());
    if (parts == 2) {
        convert(im.data() + block.begin, block.n, real_size, storage.data() + block.n * real_size);
    }
    return {storage.data(), parts * block.n, real_size, runtime_.home()};
}

void DirectData::submit_blocks(std::vector<Handle>& values, std::vector<Handle>& strengths) {
    for (std::size_t t = 0; t < targets_.size(); ++t) {
        await_takers(runtime_, targets_[t].takers);
        for (std::size_t s = 0; s < sources_.size(); ++s) {
            TaskArgs args;
            args.kernel = parameters_;
            args.takers = targets_[t].takers;
            args.work = static_cast<double>(targets_[t].n) * static_cast<double>(sources_[s].n);
            const std::array<Handle*, 4> handles{
                &values[t], &targets_[t].positions, &sources_[s].positions, &strengths[s]};
            runtime_.submit(kernel_.get<DirectTask>(), handles, args, 0);
        }
    }
}

std::vector<Handle> DirectData::make_values(std::vector<Values>& storage) const {
    const std::size_t real_size = kernel_.traits.real_size;
    std::vector<Handle> values;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
        const std::size_t n = static_cast<std::size_t>(kernel_.traits.n_values) * targets_[t].n;
        storage[t].resize(n * real_size);
        values.emplace_back(storage[t].data(), n, real_size, runtime_.home());
    }
    return values;
}

void DirectData::write_results(const std::vector<Values>& storage, const ResultsRef& out) const {
    const int n_values = kernel_.traits.n_values;
    const std::size_t real_size = kernel_.traits.real_size;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
        const Block& block = targets_[t];
        const std::byte* values = storage[t].data();
        for (int c = 0; c < n_values; ++c) {
            double* component = out[c].data();
            convert_back(values, block.n, real_size, component + block.begin);
            values += block.n * real_size;
        }
    }
}

void DirectData::evaluate(
    std::span<const double> re, std::span<const double> im, const ResultsRef& out
) {
    std::vector<Values> strength_storage(sources_.size());
    std::vector<Values> value_storage(targets_.size());
    {
        std::vector<Handle> values = make_values(value_storage);
        std::vector<Handle> strengths;
        for (std::size_t s = 0; s < sources_.size(); ++s) {
            strengths.push_back(make_strengths(sources_[s], re, im, strength_storage[s]));
        }
        submit_blocks(values, strengths);
        runtime_.wait();
    } // destroying the handles brings their values home
    write_results(value_storage, out);
}

} // namespace starfmm
