// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/gravity.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace starfmm {

namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Pairs that one worker should have before a task is worth its overhead: a few hundred
/// microseconds of a core; a millisecond of a GPU.
double pairs_per_task(int n_cuda) {
    return n_cuda > 0 ? 2e9 : 1e6;
}

/// Tasks per worker and pass over the sources. A GPU fills itself from one task, several of them
/// balance.
std::size_t tasks_per_worker(int n_cpu, int n_cuda) {
    if (n_cuda > 0) {
        return n_cpu > 0 ? 32 : n_cuda > 1 ? 4 : 1; // beside cores: small enough for one of them
    }
    return n_cpu > 1 ? 8 : 1;
}

std::size_t target_block(std::size_t n, int n_cpu, int n_cuda) {
    constexpr std::size_t largest = std::size_t(1) << 21; // bounds the scratch memory of GPUs
    constexpr std::size_t full_tiles = 1024;              // targets of a GPU's block of threads
    const auto n_workers = static_cast<std::size_t>(n_cuda > 0 ? n_cuda : n_cpu);
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    const double worth = pairs / (static_cast<double>(n_workers) * pairs_per_task(n_cuda));
    const auto tasks = static_cast<std::size_t>(
        std::clamp(worth, 1.0, static_cast<double>(tasks_per_worker(n_cpu, n_cuda)))
    );
    const std::size_t blocks = std::max(n_workers * tasks, (n + largest - 1) / largest);
    const std::size_t size = (n + blocks - 1) / blocks;
    return size > full_tiles ? round_up(size, full_tiles) : std::max<std::size_t>(size, 1);
}

/// One block, unless copies of the others' bodies can hide behind the work on one's own.
std::size_t source_block(std::size_t n, int n_cuda) {
    constexpr std::size_t large = std::size_t(1) << 20; // 16 MB, 0.3 ms of a link
    if (n_cuda < 2 || n < large) {
        return n;
    }
    return (n + static_cast<std::size_t>(n_cuda) - 1) / static_cast<std::size_t>(n_cuda);
}

/// Sums that GPUs keep for parts of the sources, see gravity_splits: enough parts to fill a GPU if
/// targets are few, and some to even out the last wave if they are many.
std::size_t scratch_size(std::size_t n_sums, int n_cuda) {
    constexpr std::size_t wanted = std::size_t(1) << 25;
    constexpr std::size_t fewest = 4;
    constexpr std::size_t most = 64;
    return n_cuda == 0 ? 1 : n_sums * std::clamp(wanted / n_sums, fewest, most);
}

} // namespace

void GravityOptions::validate() const {
    constexpr double limit = 1e150; // squares must stay finite
    check_range("epsilon", epsilon, 0, limit);
    check_range("g", g, -limit, limit);
}

GravityBlocks gravity_blocks(std::size_t n, int n_cpu, int n_cuda, const GravityOptions& options) {
    const std::size_t targets =
        options.target_block > 0 ? options.target_block : target_block(n, n_cpu, n_cuda);
    const std::size_t sources =
        options.source_block > 0 ? options.source_block : source_block(n, n_cuda);
    return {targets, round_up(sources, targets)};
}

GravitySum::GravitySum(Runtime& runtime, const GravityOptions& options)
    : runtime_(runtime), options_(options),
      codelets_(gravity_set(options.precision, options.result)) {
    options_.validate();
}

void GravitySum::allocate(std::size_t n) {
    if (n == n_) {
        return;
    }
    sources_.clear();
    targets_.clear();
    const GravityBlocks blocks = gravity_blocks(n, runtime_.n_cpu(), runtime_.n_cuda(), options_);
    const std::size_t body_size =
        packed_width(options_.precision) * packed_bytes(options_.precision);
    const auto components = static_cast<std::size_t>(n_components(options_.result));
    const std::size_t sum_size = sum_bytes(options_.precision);
    auto* packed = reinterpret_cast<std::byte*>(packed_.require(n * body_size / sizeof(double)));
    auto* sums = reinterpret_cast<std::byte*>(
        sums_.require((n * components * sum_size + sizeof(double) - 1) / sizeof(double))
    );
    for (std::size_t begin = 0; begin < n; begin += blocks.sources) {
        const std::size_t size = std::min(blocks.sources, n - begin);
        const std::size_t numbers = size * packed_width(options_.precision);
        sources_.push_back(
            {begin,
             size,
             {packed + begin * body_size,
              numbers,
              packed_bytes(options_.precision),
              runtime_.home()}}
        );
    }
    for (std::size_t begin = 0; begin < n; begin += blocks.targets) {
        const std::size_t size = std::min(blocks.targets, n - begin);
        std::byte* values = sums + begin * components * sum_size;
        targets_.push_back({begin, size, {values, size * components, sum_size, runtime_.home()}});
        if (sources_.size() == 1 && targets_.back().handle.starpu() != nullptr) {
            // results are final after one task: home they go while others run
            starpu_data_set_wt_mask(targets_.back().handle.starpu(), 1U << STARPU_MAIN_RAM);
        }
    }
    scratch_ = Handle(
        scratch_size(targets_.front().n * components, runtime_.n_cuda()), sum_size, runtime_.home()
    );
    n_ = n;
}

void GravitySum::submit(double epsilon_square) {
    const std::size_t targets_per_source_block =
        (sources_.front().n + targets_.front().n - 1) / targets_.front().n;
    for (std::size_t round = 0; round < sources_.size(); ++round) {
        for (std::size_t t = 0; t < targets_.size(); ++t) {
            const std::size_t home = t / targets_per_source_block;
            // Its own block first, which no one need send [MTM13 sec. 3]; in fixed order, the
            // first.
            const bool in_order = options_.order == SummationOrder::fixed;
            const std::size_t s = in_order ? round : (home + round) % sources_.size();
            Block& target = targets_[t];
            Block& source = sources_[s];
            TaskArgs args;
            args.work = static_cast<double>(target.n) * static_cast<double>(source.n);
            args.gravity = {
                epsilon_square,
                target.begin - sources_[home].begin,
                static_cast<std::int64_t>(target.begin) - static_cast<std::int64_t>(source.begin),
                round > 0};
            const std::array<Handle*, 4> handles{
                &target.handle, &sources_[home].handle, &source.handle, &scratch_};
            Codelet& codelet = round == 0 ? codelets_.first
                               : in_order ? codelets_.next_in_order
                                          : codelets_.next;
            runtime_.submit(codelet, handles, args, 0);
        }
    }
}

void GravitySum::evaluate(const Bodies& bodies, Accelerations& out) {
    const std::size_t n = bodies.size();
    if (n == 0) {
        throw InputError("no bodies: at least one is needed");
    }
    const GravityUnits units = gravity_units(bodies, options_.epsilon);
    for (auto& component : out.a) {
        component.resize(n);
    }
    out.potential.resize(options_.result == GravityResult::with_potential ? n : 0);
    allocate(n);
    for (Block& block : sources_) {
        block.handle.overwrite();
    }
    pack_bodies(bodies, units, options_.precision, packed_.data());
    const double epsilon = options_.epsilon / units.length;
    submit(epsilon * epsilon);
    runtime_.wait();
    const auto* sums = static_cast<const std::byte*>(sums_.data());
    const auto components = static_cast<std::size_t>(n_components(options_.result));
    for (Block& block : targets_) {
        block.handle.release();
        const std::byte* values = sums + block.begin * components * sum_bytes(options_.precision);
        unpack_accelerations(
            {values, block.begin, block.n}, units, options_.g, options_.precision, out
        );
    }
}

} // namespace starfmm
