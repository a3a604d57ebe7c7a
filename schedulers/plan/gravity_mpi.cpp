// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity_mpi.hpp"

#include "core/error.hpp"

#include <starpu_mpi.h>

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>

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
    const GravityOptions& options,
    ExchangePattern pattern
)
    : runtime_(runtime), session_(session), options_(options),
      codelets_(gravity_set(options.precision, options.result)),
      stages_(exchange_stages(pattern, session.size())) {
    options_.validate();
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
    const auto body = ElementSize::of_body(options_.precision);
    const auto sum = ElementSize::of_sum(options_.precision, options_.result);
    blocks_ = gravity_blocks(std::max<std::size_t>(n, 1), gravity_workers(runtime_), options_);
    blocks_.sources = std::max<std::size_t>(n, 1); // a rank's bodies
    others_.clear();
    std::size_t begin = 0;
    for (std::size_t other = 0; other < counts_.size(); ++other) {
        others_.push_back({begin, counts_[other], nullptr, {}});
        if (other == rank) {
            own_.cut(runtime_, begin, equal_rows(n, std::max<std::size_t>(n, 1)), body);
            sums_.cut(runtime_, begin, equal_rows(n, blocks_.targets), sum);
        } else if (counts_[other] > 0) {
            others_.back().handle =
                Handle(counts_[other] * body.width, body.bytes, runtime_.home());
        }
        begin += counts_[other];
    }
    const std::size_t n_sums = n == 0 ? 1 : sums_.blocks().front().handle.size();
    scratch_ =
        Handle(gravity_scratch_size(n_sums, runtime_.engaged().n_cuda), sum.bytes, runtime_.home());
    register_data();
}

void DistributedGravity::register_data() {
    starpu_mpi_tag_t tag = first_local_tag;
    for (GravityBuffer* buffer : {&own_, &sums_}) {
        for (GravityBlock& block : buffer->blocks()) {
            own(block.handle, tag++, session_.rank());
        }
    }
    for (GravityBlock& block : others_) {
        if (block.handle) {
            own(block.handle, tag++, session_.rank());
        }
    }
    own(scratch_, tag, session_.rank());
}

GravityBlock& DistributedGravity::block_of(int rank) {
    return rank == session_.rank() ? own_.blocks().front()
                                   : others_[static_cast<std::size_t>(rank)];
}

/// StarPU orders each message after the one that brings its block, and each task after the messages
/// that bring its blocks.
void DistributedGravity::exchange() {
    for (const auto& stage : stages_) {
        for (const BlockTransfer& transfer : stage) {
            if (counts_[static_cast<std::size_t>(transfer.block)] == 0) {
                continue;
            }
            const starpu_mpi_tag_t tag = block_tag + transfer.block;
            if (transfer.from == session_.rank()) {
                starpu_data_handle_t data = block_of(transfer.block).handle.starpu();
                const int code = starpu_mpi_isend_detached(
                    data, transfer.to, tag, MPI_COMM_WORLD, nullptr, nullptr
                );
                check_starpu(code, "starpu_mpi_isend_detached");
            }
            if (transfer.to == session_.rank()) {
                starpu_data_handle_t data = block_of(transfer.block).handle.starpu();
                const int code = starpu_mpi_irecv_detached(
                    data, transfer.from, tag, MPI_COMM_WORLD, nullptr, nullptr
                );
                check_starpu(code, "starpu_mpi_irecv_detached");
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
    if (options_.order == SummationOrder::fixed) {
        std::sort(order.begin(), order.end());
    }
    std::erase_if(order, [this](int rank) { return counts_[static_cast<std::size_t>(rank)] == 0; });
    return order;
}

void DistributedGravity::submit_pair(
    GravityBlock& target, GravityBlock& source, bool adds, double epsilon
) {
    GravityBlock& home = own_.blocks().front();
    TaskArgs args = gravity_args(target, home, source, epsilon);
    args.gravity.adds = adds;
    Codelet& add =
        options_.order == SummationOrder::fixed ? codelets_.next_in_order() : codelets_.next();
    const std::array<Handle*, 4> handles{&target.handle, &home.handle, &source.handle, &scratch_};
    insert((adds ? add : codelets_.first()).make_task(handles, args, 0));
    ++n_tasks_;
}

void DistributedGravity::submit(double epsilon) {
    bool adds = false;
    for (const int rank : source_order()) {
        for (GravityBlock& target : sums_.blocks()) {
            submit_pair(target, block_of(rank), adds, epsilon);
        }
        adds = true;
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
    own_.overwrite();
    pack_bodies(bodies, units, options_.precision, own_.data());
    exchange();
    submit(options_.epsilon / units.length);
    check_starpu(starpu_mpi_wait_for_all(MPI_COMM_WORLD), "starpu_mpi_wait_for_all");
    runtime_.wait();
    const std::vector<PackedSums> sums = sums_.bring_home(runtime_);
    unpack_accelerations(sums, units, options_.g, options_.precision, out);
}

} // namespace starfmm
