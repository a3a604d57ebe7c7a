// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/mpi_session.hpp"

#include "core/error.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/starpu_environment.hpp"

#include <starpu_mpi.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace starfmm {

namespace {

/// Gives the host's GPUs to its ranks in turn; StarPU takes those that this variable names.
void choose_gpus(int n_gpus, int share, int local_rank) {
    std::string ids;
    for (int i = 0; i < share; ++i) {
        ids += std::to_string((local_rank * share + i) % n_gpus) + " ";
    }
    setenv("STARPU_WORKERS_CUDAID", ids.c_str(), 0); // the user's choice stays
}

} // namespace

void check_mpi(int code, const char* call) {
    if (code != MPI_SUCCESS) {
        throw Error(std::string(call) + " failed");
    }
}

MpiSession::MpiSession() {
    int provided = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_MULTIPLE) {
        throw Error("this MPI cannot be called from several threads, as StarPU does");
    }
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
    MPI_Comm host = MPI_COMM_NULL;
    check_mpi(
        MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
        "MPI_Comm_split_type"
    );
    check_mpi(MPI_Comm_rank(host, &local_rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(host, &local_size_), "MPI_Comm_size");
    check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");
}

MpiSession::~MpiSession() {
    MPI_Comm_free(&communicator_);
    MPI_Finalize();
}

RuntimeOptions MpiSession::share_of_host(RuntimeOptions options) const {
    const int gpus = available_gpus();
    if (options.gpus < 0 && gpus > 0) {
        options.gpus = std::max(1, gpus / local_size_);
    }
    if (options.gpus > 0 && gpus > 0) {
        choose_gpus(gpus, options.gpus, local_rank_);
    }
    if (options.cpus < 0 && options.gpus <= 0 && number_in_environment("STARPU_NCPU") < 0) {
        options.cpus = std::max(1, default_cores() / local_size_);
    }
    if (local_size_ > 1) {
        setenv("STARPU_WORKERS_NOBIND", "1", 0); // else all ranks bind to the same cores
    }
    return options;
}

StarpuMpi::StarpuMpi(const MpiSession& /*session*/) {
    check_starpu(starpu_mpi_init_comm(nullptr, nullptr, 0, MPI_COMM_WORLD), "starpu_mpi_init");
}

StarpuMpi::~StarpuMpi() {
    starpu_mpi_shutdown();
}

} // namespace starfmm
