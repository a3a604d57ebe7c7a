// SPDX-License-Identifier: BSD-3-Clause
// Objects that start and stop MPI and StarPU's use of it are declared here.
#pragma once

#include "core/options.hpp"

#include <mpi.h>

namespace starfmm {

/// MPI runs from construction to destruction of this object, of which a process makes one.
class MpiSession {
public:
    /// Starts MPI.
    /// \throws Error if MPI has no support for calls from several threads, which StarPU needs
    MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;
    ~MpiSession();

    [[nodiscard]] int rank() const { return rank_; }

    [[nodiscard]] int size() const { return size_; }

    /// This rank's number among the ranks of its host; local_size() is how many they are.
    [[nodiscard]] int local_rank() const { return local_rank_; }

    [[nodiscard]] int local_size() const { return local_size_; }

    /// The communicator for the library's own messages, which keeps them apart from StarPU's.
    [[nodiscard]] MPI_Comm communicator() const { return communicator_; }

    /// Returns this rank's share of its host: automatic numbers of workers are divided among the
    /// host's ranks, and GPUs go to the ranks in turn. The function must be called before the
    /// runtime starts.
    [[nodiscard]] RuntimeOptions share_of_host(RuntimeOptions options) const;

private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    int local_rank_ = 0;
    int local_size_ = 1;
};

/// StarPU's communication thread, made after the runtime starts and destroyed before it ends.
class StarpuMpi {
public:
    /// Starts the thread.
    /// \throws StarpuError if the thread does not start
    explicit StarpuMpi(const MpiSession& session);
    StarpuMpi(const StarpuMpi&) = delete;
    StarpuMpi& operator=(const StarpuMpi&) = delete;
    ~StarpuMpi();
};

/// Checks a return code of MPI.
/// \throws Error unless `code` is success; `call` names the function of MPI that returned it
void check_mpi(int code, const char* call);

} // namespace starfmm
