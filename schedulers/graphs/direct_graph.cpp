// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/direct_graph.hpp"

#include "core/particles/bodies.hpp"
#include "core/particles/value_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace starfmm {

namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Blocks of sources stay in a core's cache while the targets of a block are summed over them.
constexpr std::size_t source_block_of_cores = std::size_t(1) << 20;

/// Targets a task of GPUs: one GPU fills itself by one task; the streams of several, best one each,
/// must have equal shares, since the scheduler takes each for a worker; two tasks each balance.
std::size_t
target_block_of_gpus(std::size_t n_sources, std::size_t n, const DirectWorkers& workers) {
    constexpr std::size_t largest = std::size_t(1) << 21; // bounds the scratch memory
    constexpr double worth = 2e9;                         // pairs of a task: a millisecond
    const auto n_workers = static_cast<std::size_t>(workers.gpus > 1 ? workers.streams : 1);
    const double pairs = static_cast<double>(n_sources) * static_cast<double>(n);
    const bool are_two_worth = pairs >= 2 * worth * static_cast<double>(n_workers);
    const std::size_t tasks = workers.gpus > 1 && are_two_worth ? 2 : 1;
    const std::size_t blocks = std::max(n_workers * tasks, (n + largest - 1) / largest);
    const std::size_t size = (n + blocks - 1) / blocks;
    return size > gpu_rows ? std::min(round_up(size, gpu_rows), n) : size;
}

/// Targets a task of cores for packed sums: eight tasks a core, each worth a few hundred
/// microseconds.
std::size_t packed_block_of_cores(std::size_t n_sources, std::size_t n, std::size_t cpus) {
    constexpr double worth = 1e6; // pairs
    constexpr double most_tasks = 8;
    if (cpus == 1) {
        return n;
    }
    const double pairs = static_cast<double>(n_sources) * static_cast<double>(n);
    const double tasks = pairs / (static_cast<double>(cpus) * worth);
    const std::size_t blocks =
        cpus * static_cast<std::size_t>(std::floor(std::clamp(tasks, 1.0, most_tasks)));
    return (n + blocks - 1) / blocks;
}

std::size_t target_block_of_cores(
    std::size_t n_sources, std::size_t n, const DirectWorkers& workers, const DirectOptions& options
) {
    // whoever interrupts the sum waits for the tasks that run: about a quarter of a second of a core
    constexpr std::size_t most_pairs = 500'000'000;
    const auto cpus = static_cast<std::size_t>(std::max(workers.cpus, 1));
    const std::size_t sources = std::min(n_sources, source_block_of_cores);
    const std::size_t interruptible = most_pairs / std::max<std::size_t>(sources, 1);
    const std::size_t block = options.packed == PackedSums::none
                                  ? direct_block_size(n, cpus)
                                  : packed_block_of_cores(n_sources, n, cpus);
    return std::min(block, interruptible);
}

/// Sources a task of GPUs: all, unless copies of other GPUs' points can hide behind the work on
/// one's own.
std::size_t source_block_of_gpus(std::size_t n, const DirectWorkers& workers) {
    constexpr std::size_t large = std::size_t(1) << 20; // 32 MB, 0.6 ms of a link
    if (workers.gpus < 2 || n < large) {
        return n;
    }
    const auto gpus = static_cast<std::size_t>(workers.gpus);
    return (n + gpus - 1) / gpus;
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

DirectWorkers direct_workers(const Runtime& runtime) {
    const std::vector<WorkerInfo>& all = runtime.workers();
    const auto streams = std::count_if(all.begin(), all.end(), [](const WorkerInfo& worker) {
        return worker.is_cuda;
    });
    const WorkerCounts& engaged = runtime.engaged();
    return {engaged.n_cpu, engaged.n_cuda, engaged.n_cuda > 0 ? static_cast<int>(streams) : 0};
}

DirectBlocks direct_blocks(
    std::size_t n_sources,
    std::size_t n_targets,
    const DirectWorkers& workers,
    const DirectOptions& options
) {
    const bool has_gpus = workers.gpus > 0;
    DirectBlocks blocks{options.target_block, options.source_block};
    if (blocks.targets == 0) {
        blocks.targets = has_gpus ? target_block_of_gpus(n_sources, n_targets, workers)
                                  : target_block_of_cores(n_sources, n_targets, workers, options);
    }
    if (blocks.sources == 0) {
        blocks.sources = has_gpus ? source_block_of_gpus(n_sources, workers)
                                  : std::min(n_sources, source_block_of_cores);
    }
    const bool is_whole = blocks.sources >= n_sources && options.source_block == 0;
    if (!is_whole && (has_gpus || options.source_block > 0)) {
        blocks.sources = round_up(blocks.sources, blocks.targets);
    }
    return blocks;
}

TaskArgs DirectPair::args(
    const KernelParameters& kernel, const DirectOptions& options, PointSets sets
) const {
    TaskArgs args;
    args.kernel = kernel;
    args.takers = values.takers;
    args.work = static_cast<double>(values.n) * static_cast<double>(sources.n);
    args.keeps_order = options.order == SummationOrder::fixed;
    args.direct.packed = options.packed;
    args.direct.first_target = values.begin - targets.begin;
    if (sets == PointSets::one) {
        args.direct.self =
            static_cast<std::int64_t>(values.begin) - static_cast<std::int64_t>(sources.begin);
    }
    return args;
}

/// Cuts the targets into blocks.
std::vector<RowShare> DirectData::target_rows(const DirectBlocks& blocks) const {
    const WorkerCounts& workers = runtime_.engaged();
    if (workers.n_cpu > 0 && workers.n_cuda > 0 && options_.target_block == 0) {
        return share_rows(shape_.n_targets, kernel_.get<DirectTask>().costs(), workers);
    }
    return equal_rows(shape_.n_targets, blocks.targets);
}

void DirectData::cut(const Shape& shape) {
    const KernelTraits& traits = kernel_.traits;
    const auto dimension = static_cast<std::size_t>(traits.dimension);
    shape_ = shape;
    const DirectBlocks blocks =
        direct_blocks(shape.n_sources, shape.n_targets, shape.workers, options_);
    source_block_ = blocks.sources;
    const std::vector<RowShare> source_rows = equal_rows(shape.n_sources, blocks.sources);
    const std::vector<RowShare> rows = target_rows(blocks);
    // bodies of OpenCL take buffers as they are
    shares_points_ = shape.sets == PointSets::one && runtime_.n_opencl() == 0 &&
                     (source_rows.size() == 1 || blocks.sources % blocks.targets == 0);
    const HostMemory kind = is_packed() ? HostMemory::pinned : HostMemory::pageable;
    const std::size_t numbers = dimension + (traits.has_lengths ? 1 : 0);
    sources_.cut(runtime_, source_rows, {numbers, sizeof(double)}, kind);
    const std::size_t parts = traits.complex_strength ? 2 : 1;
    strengths_.cut(runtime_, source_rows, {parts, traits.real_size}, kind);
    const std::span<const RowShare> own = shares_points_ ? std::span<const RowShare>() : rows;
    targets_.cut(runtime_, own, {numbers, sizeof(double)}, kind);
    const auto n_values = static_cast<std::size_t>(traits.n_values);
    values_.cut(runtime_, rows, {n_values, traits.real_size}, kind);
    if (source_rows.size() == 1) {
        for (DataBlock& block : values_.blocks()) {
            block.handle.write_through(); // final after one task: home they go while others run
        }
    }
}

void DirectData::place(
    double epsilon, const PointsRef& sources, const PointsRef& targets, PointSets sets
) {
    const Shape shape{sources.size(), targets.size(), sets, direct_workers(runtime_)};
    if (shape != shape_) {
        cut(shape);
    }
    if (is_packed()) {
        const double of_targets = sets == PointSets::two ? largest_coordinate(targets) : 0;
        length_ = unit_of(std::max({epsilon, of_targets, largest_coordinate(sources)}));
    }
    parameters_ = kernel_.traits.parameters(epsilon / length_);
    write_points(sources, sources_);
    if (!shares_points_) {
        write_points(targets, targets_);
    }
}

/// Points in the tasks' unit, with their lengths, if the kernel has them.
void DirectData::write_points(const PointsRef& points, BlockBuffer& out) const {
    std::vector<std::span<const double>> numbers(points.x.begin(), points.x.end());
    std::vector<double> zeros;
    if (kernel_.traits.has_lengths) {
        zeros.resize(points.lengths.empty() ? points.size() : 0);
        numbers.push_back(points.lengths.empty() ? std::span<const double>(zeros) : points.lengths);
    }
    out.write(numbers, 1 / length_);
}

DirectBlocks DirectData::blocks() const {
    const auto most = [](const BlockBuffer& buffer) {
        std::size_t n = 0;
        for (const DataBlock& block : buffer.blocks()) {
            n = std::max(n, block.n);
        }
        return n;
    };
    return {most(values_), most(sources_)};
}

std::size_t DirectData::home_of(const DataBlock& values) const {
    return shares_points_ ? values.begin / source_block_ : 0;
}

DataBlock& DirectData::targets_of(std::size_t block) {
    return shares_points_ ? sources_.blocks()[home_of(values_.blocks()[block])]
                          : targets_.blocks()[block];
}

/// Each block of targets meets its own block of sources first, since that need not be sent [MTM13
/// Fig 2]; in fixed order, the first block.
void DirectData::submit() {
    const std::size_t n_sources = sources_.blocks().size();
    for (std::size_t round = 0; round < n_sources; ++round) {
        for (std::size_t t = 0; t < values_.blocks().size(); ++t) {
            DataBlock& values = values_.blocks()[t];
            await_takers(runtime_, values.takers);
            const bool is_fixed = options_.order == SummationOrder::fixed;
            const std::size_t s = ((is_fixed ? 0 : home_of(values)) + round) % n_sources;
            const DirectPair pair{
                values, targets_of(t), sources_.blocks()[s], strengths_.blocks()[s]};
            const TaskArgs args = pair.args(parameters_, options_, shape_.sets);
            runtime_.submit(kernel_.get<DirectTask>(), pair.handles(), args, 0);
        }
    }
}

void DirectData::evaluate(
    std::span<const double> re, std::span<const double> im, const ResultsRef& out
) {
    const double strength = is_packed() ? unit_of(largest_magnitude(re)) : 1;
    const std::array<std::span<const double>, 2> parts{re, im};
    const std::size_t n_parts = kernel_.traits.complex_strength ? 2 : 1;
    strengths_.write(std::span(parts).first(n_parts), 1 / strength);
    values_.clear();
    submit();
    runtime_.wait();
    values_.bring_home(runtime_);
    const int n_values = kernel_.traits.n_values;
    const double potential = strength / length_;
    for (int c = 0; c < n_values; ++c) {
        if (c > 0 || options_.packed != PackedSums::acceleration) {
            const double factor = c == 0 ? potential : potential / length_;
            values_.read(static_cast<std::size_t>(c), factor, out[c]);
        }
    }
}

} // namespace starfmm
