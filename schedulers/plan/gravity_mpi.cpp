// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity_mpi.hpp"

#include "core/error.hpp"

#include <starpu_mpi.h>

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <utility>

namespace starfmm {

namespace {

/// Numbers in messages and in StarPU's table of distributed data.
enum : starpu_mpi_tag_t { block_tag = 0, first_local_tag = 1 << 20 };

/// Makes `data` known as this rank's, so that tasks which write it run here.
void own(Handle& data, starpu_mpi_tag_t tag, int rank) {
    starpu_mpi_data_register(data.starpu(), tag, rank);
}

/// Hands a task of four buffers to StarPU-MPI, which runs it where its first one is owned.
void insert(starpu_task* task) {
    const int code = starpu_mpi_task_insert(
        MPI_COMM_WORLD,
        task->cl,
        task->dyn_modes[0],
        task->dyn_handles[0],
        task->dyn_modes[1],
        task->dyn_handles[1],
        task->dyn_modes[2],
        task->dyn_handles[2],
        task->dyn_modes[3],
        task->dyn_handles[3],
        STARPU_CL_ARGS,
        task->cl_arg,
        task->cl_arg_size,
        STARPU_FLOPS,
        task->flops,
        0
    );
    task->cl_arg_free = 0; // the arguments belong to the inserted one
    task->destroy = 0;
    starpu_task_destroy(task);
    check_starpu(code, "starpu_mpi_task_insert");
}

} // namespace

DistributedGravity::DistributedGravity(
    Runtime& runtime,
    const MpiSession& session,
    const GravityTreeOptions& options,
    ExchangePattern pattern
)
    : runtime_(runtime), session_(session), options_(options), direct_(options.plan.direct),
      kernel_(gravity_kernel(options.softening, options.precision)),
      stages_(exchange_stages(pattern, session.size())) {
    options_.validate();
    direct_.packed = packed_sums(options_);
    direct_.source_block = 0;
    if (direct_.packed == PackedSums::none) {
        throw InputError("gravity over ranks takes softening = plummer and method = direct");
    }
}

/// A rank that cannot go on says so by a number that no length can be, before anyone waits for it.
GravityUnits DistributedGravity::common_units(const Bodies& bodies) const {
    std::exception_ptr unusable;
    double units[3] = {1, 1, 0};
    try {
        const GravityUnits own_units = gravity_units(bodies, options_.epsilon);
        units[0] = own_units.length;
        units[1] = own_units.mass;
    } catch (const InputError&) {
        unusable = std::current_exception();
        units[2] = 1;
    }
    const int code =
        MPI_Allreduce(MPI_IN_PLACE, units, 3, MPI_DOUBLE, MPI_MAX, session_.communicator());
    check_mpi(code, "MPI_Allreduce");
    if (unusable) {
        std::rethrow_exception(unusable);
    }
    if (units[2] > 0) {
        throw InputError("another rank's bodies are unusable");
    }
    return {units[0], units[1]};
}

namespace {

/// Every rank's number of bodies.
std::vector<unsigned long long> counts_of_ranks(const MpiSession& session, unsigned long long n) {
    std::vector<unsigned long long> counts(static_cast<std::size_t>(session.size()));
    const int code = MPI_Allgather(
        &n,
        1,
        MPI_UNSIGNED_LONG_LONG,
        counts.data(),
        1,
        MPI_UNSIGNED_LONG_LONG,
        session.communicator()
    );
    check_mpi(code, "MPI_Allgather");
    return counts;
}

} // namespace

void DistributedGravity::allocate(std::size_t n) {
    const std::vector<unsigned long long> counts = counts_of_ranks(session_, n);
    if (std::equal(counts.begin(), counts.end(), counts_.begin(), counts_.end())) {
        return;
    }
    counts_.assign(counts.begin(), counts.end());
    const std::size_t total = std::accumulate(counts_.begin(), counts_.end(), std::size_t(0));
    if (total == 0) {
        throw InputError("no bodies: at least one is needed");
    }
    const auto rank = static_cast<std::size_t>(session_.rank());
    constexpr RowSize position{3, sizeof(double)};
    const RowSize mass{1, kernel_.traits.real_size};
    const RowSize sum{static_cast<std::size_t>(kernel_.traits.n_values), mass.bytes};
    blocks_ = direct_blocks(n, std::max<std::size_t>(n, 1), direct_workers(runtime_), direct_);
    blocks_.sources = std::max<std::size_t>(n, 1); // a rank's bodies
    positions_.cut(runtime_, equal_rows(n, blocks_.sources), position, HostMemory::pinned);
    masses_.cut(runtime_, equal_rows(n, blocks_.sources), mass, HostMemory::pinned);
    sums_.cut(runtime_, equal_rows(n, blocks_.targets), sum, HostMemory::pinned);
    other_positions_.clear();
    other_masses_.clear();
    const auto first = std::accumulate(
        counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(rank), std::size_t(0)
    );
    std::size_t begin = 0;
    for (std::size_t other = 0; other < counts_.size(); ++other) {
        const std::size_t count = counts_[other];
        for (const auto& [blocks, row] :
             {std::pair(&other_positions_, position), std::pair(&other_masses_, mass)}) {
            blocks->push_back({begin - first, count, nullptr, {}}); // from 2^64 down before ours
            if (other != rank && count > 0) {
                blocks->back().handle = Handle(count * row.components, row.bytes, runtime_.home());
            }
        }
        begin += count;
    }
    register_data();
}

void DistributedGravity::register_data() {
    starpu_mpi_tag_t tag = first_local_tag;
    const auto own_all = [&](std::vector<DataBlock>& blocks) {
        for (DataBlock& block : blocks) {
            if (block.handle) {
                own(block.handle, tag++, session_.rank());
            }
        }
    };
    for (BlockBuffer* buffer : {&positions_, &masses_, &sums_}) {
        own_all(buffer->blocks());
    }
    own_all(other_positions_);
    own_all(other_masses_);
}

DistributedGravity::RankBodies DistributedGravity::bodies_of(int rank) {
    if (rank == session_.rank()) {
        return {&positions_.blocks().front(), &masses_.blocks().front()};
    }
    const auto place = static_cast<std::size_t>(rank);
    return {&other_positions_[place], &other_masses_[place]};
}

/// StarPU orders each message after the one that brings its block, and each task after the messages
/// that bring its blocks.
void DistributedGravity::exchange() {
    for (const auto& stage : stages_) {
        for (const BlockTransfer& transfer : stage) {
            if (counts_[static_cast<std::size_t>(transfer.block)] == 0) {
                continue;
            }
            const auto [positions, masses] = bodies_of(transfer.block);
            starpu_mpi_tag_t tag = block_tag + 2 * static_cast<starpu_mpi_tag_t>(transfer.block);
            for (const DataBlock* block : {positions, masses}) {
                starpu_data_handle_t data = block->handle.starpu();
                if (transfer.from == session_.rank()) {
                    const int code = starpu_mpi_isend_detached(
                        data, transfer.to, tag, MPI_COMM_WORLD, nullptr, nullptr
                    );
                    check_starpu(code, "starpu_mpi_isend_detached");
                }
                if (transfer.to == session_.rank()) {
                    const int code = starpu_mpi_irecv_detached(
                        data, transfer.from, tag, MPI_COMM_WORLD, nullptr, nullptr
                    );
                    check_starpu(code, "starpu_mpi_irecv_detached");
                }
                ++tag;
            }
        }
    }
}

/// Ranks in the order in which their blocks are to be added here: as they arrive, or by number.
std::vector<int> DistributedGravity::source_order() const {
    std::vector<int> order{session_.rank()};
    for (const auto& stage : stages_) {
        for (const BlockTransfer& transfer : stage) {
            if (transfer.to == session_.rank()) {
                order.push_back(transfer.block);
            }
        }
    }
    if (direct_.order == SummationOrder::fixed) {
        std::sort(order.begin(), order.end());
    }
    std::erase_if(order, [this](int rank) { return counts_[static_cast<std::size_t>(rank)] == 0; });
    return order;
}

void DistributedGravity::submit(const KernelParameters& parameters) {
    for (const int rank : source_order()) {
        const auto [positions, masses] = bodies_of(rank);
        for (DataBlock& sums : sums_.blocks()) {
            const DirectPair pair{sums, positions_.blocks().front(), *positions, *masses};
            const TaskArgs args = pair.args(parameters, direct_, PointSets::one);
            insert(kernel_.get<DirectTask>().make_task(pair.handles(), args, 0));
            ++n_tasks_;
        }
    }
}

void DistributedGravity::evaluate(const Bodies& bodies, Accelerations& out) {
    const std::size_t n = bodies.size();
    const GravityUnits units = common_units(bodies);
    for (auto& component : out.a) {
        component.resize(n);
    }
    out.potential.resize(options_.result == GravityResult::with_potential ? n : 0);
    allocate(n);
    n_tasks_ = 0;
    const std::array<std::span<const double>, 3> x{bodies.x[0], bodies.x[1], bodies.x[2]};
    const std::array<std::span<const double>, 1> mass{bodies.mass};
    positions_.write(x, 1 / units.length);
    masses_.write(mass, 1 / units.mass);
    sums_.clear();
    exchange();
    submit(kernel_.traits.parameters(options_.epsilon / units.length));
    check_starpu(starpu_mpi_wait_for_all(MPI_COMM_WORLD), "starpu_mpi_wait_for_all");
    runtime_.wait();
    sums_.bring_home(runtime_);
    const double potential = options_.g * units.mass / units.length;
    for (std::size_t c = 0; c < 3; ++c) {
        sums_.read(c + 1, potential / units.length, out.a[c]);
    }
    if (!out.potential.empty()) {
        sums_.read(0, -potential, out.potential);
    }
}

} // namespace starfmm
