// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/gravity.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <span>

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

GravityMachine gravity_machine(const Runtime& runtime, const GravityOptions& options) {
    const GravitySet& set = gravity_set(options.precision, options.result);
    if (runtime.n_cuda() > 0) {
        return set.cuda_machine();
    }
    GravityMachine machine = set.cpu_machine();
    machine.multiprocessors = static_cast<std::size_t>(runtime.n_cpu());
    return machine;
}

GravitySum::GravitySum(Runtime& runtime, const GravityOptions& options)
    : runtime_(runtime), options_(options),
      codelets_(gravity_set(options.precision, options.result)) {
    options_.validate();
}

std::vector<GravitySum::Block> GravitySum::make_blocks(
    PinnedBuffer& buffer, std::size_t block_size, std::size_t width, std::size_t bytes
) {
    const std::size_t n_doubles = (n_ * width * bytes + sizeof(double) - 1) / sizeof(double);
    auto* const data = reinterpret_cast<std::byte*>(buffer.require(n_doubles));
    if (runtime_.n_cuda() > 0) {
        locks_.emplace_back(data, n_doubles * sizeof(double));
    }
    std::vector<Block> blocks;
    for (std::size_t begin = 0; begin < n_; begin += block_size) {
        const std::size_t size = std::min(block_size, n_ - begin);
        std::byte* const own = data + begin * width * bytes;
        blocks.push_back({begin, size, own, {own, size * width, bytes, runtime_.home()}});
    }
    return blocks;
}

void GravitySum::allocate(std::size_t n) {
    if (n == n_) {
        return;
    }
    sources_.clear();
    targets_.clear();
    locks_.clear();
    n_ = n;
    blocks_ = gravity_blocks(n, runtime_.n_cpu(), runtime_.n_cuda(), options_);
    const GravityPrecision precision = options_.precision;
    const auto components = static_cast<std::size_t>(n_components(options_.result));
    sources_ =
        make_blocks(packed_, blocks_.sources, packed_width(precision), packed_bytes(precision));
    targets_ = make_blocks(sums_, blocks_.targets, components, sum_bytes(precision));
    if (sources_.size() == 1) {
        for (Block& target : targets_) {
            target.handle.write_through(); // final after one task: home they go while others run
        }
    }
    scratch_ = Handle(
        scratch_size(targets_.front().n * components, runtime_.n_cuda()),
        sum_bytes(precision),
        runtime_.home()
    );
}

void GravitySum::set_bodies(const Bodies& bodies, const GravityUnits& units) {
    for (Block& block : sources_) {
        block.handle.overwrite();
    }
    pack_bodies(bodies, units, options_.precision, sources_.front().data);
    for (Block& block : sources_) {
        block.handle.publish(block.data);
    }
}

void GravitySum::submit_pair(
    std::size_t target, std::size_t source, std::size_t round, double epsilon_square
) {
    Block& t = targets_[target];
    Block& s = sources_[source];
    Block& home = sources_[t.begin / blocks_.sources];
    TaskArgs args;
    args.work = static_cast<double>(t.n) * static_cast<double>(s.n);
    args.gravity = {
        epsilon_square,
        t.begin - home.begin,
        static_cast<std::int64_t>(t.begin) - static_cast<std::int64_t>(s.begin),
        round > 0};
    const std::array<Handle*, 4> handles{&t.handle, &home.handle, &s.handle, &scratch_};
    Codelet& add =
        options_.order == SummationOrder::fixed ? codelets_.next_in_order : codelets_.next;
    runtime_.submit(round == 0 ? codelets_.first : add, handles, args, 0);
}

/// Its own block of sources comes first for each target, since it need not be sent
/// [MTM13 Fig 2]; in fixed order, the first block.
void GravitySum::submit(double epsilon_square) {
    for (std::size_t round = 0; round < sources_.size(); ++round) {
        for (std::size_t t = 0; t < targets_.size(); ++t) {
            const std::size_t home = targets_[t].begin / blocks_.sources;
            const std::size_t first = options_.order == SummationOrder::fixed ? 0 : home;
            submit_pair(t, (first + round) % sources_.size(), round, epsilon_square);
        }
    }
}

void GravitySum::read_results(const GravityUnits& units, Accelerations& out) {
    for (Block& block : targets_) {
        const std::size_t bytes = block.handle.size() * sum_bytes(options_.precision);
        block.handle.read(std::span(block.data, bytes));
        const PackedSums sums{block.data, block.begin, block.n};
        unpack_accelerations(sums, units, options_.g, options_.precision, out);
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
    set_bodies(bodies, units);
    const double epsilon = options_.epsilon / units.length;
    submit(epsilon * epsilon);
    runtime_.wait();
    read_results(units, out);
}

} // namespace starfmm
