// SPDX-License-Identifier: BSD-3-Clause
// RAII start and stop of MPI and of StarPU's use of it.
#pragma once

#include "core/options.hpp"

#include <mpi.h>

namespace starfmm {

/// MPI, from construction to destruction; once in a process.
class MpiSession {
public:
    /// \throws Error if MPI has no support for calls from several threads, which StarPU needs
    MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;
    ~MpiSession();

    [[nodiscard]] int rank() const { return rank_; }

    [[nodiscard]] int size() const { return size_; }

    /// Ranks of this rank's host, and its number among them.
    [[nodiscard]] int local_rank() const { return local_rank_; }

    [[nodiscard]] int local_size() const { return local_size_; }

    /// For our own messages, apart from StarPU's.
    [[nodiscard]] MPI_Comm communicator() const { return communicator_; }

    /// This rank's share of its host: automatic numbers of workers divided among the host's ranks,
    /// GPUs dealt out in turn. To be called before the runtime starts.
    [[nodiscard]] RuntimeOptions share_of_host(RuntimeOptions options) const;

private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    int local_rank_ = 0;
    int local_size_ = 1;
};

/// StarPU's communication thread: after the runtime starts, until before it ends.
class StarpuMpi {
public:
    /// \throws StarpuError if it does not start
    explicit StarpuMpi(const MpiSession& session);
    StarpuMpi(const StarpuMpi&) = delete;
    StarpuMpi& operator=(const StarpuMpi&) = delete;
    ~StarpuMpi();
};

/// \throws Error unless `code` is success; `call` says what was attempted.
void check_mpi(int code, const char* call);

} // namespace starfmm
