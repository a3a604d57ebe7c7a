// SPDX-License-Identifier: BSD-3-Clause
// This driver sums softened gravity directly over MPI ranks: mpirun -np 4 gravity_mpi --n 1e5
#include "schedulers/plan/gravity_mpi.hpp"

#include "core/error.hpp"
#include "examples/cli/cli.hpp"
#include "examples/cli/progress.hpp"
#include "examples/gravity/gravity_driver.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace {

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::GravityDriverOptions;
using starfmm::MpiSession;

/// Ranks sum directly, at the bodies, and write no trace.
constexpr std::string_view lacking[]{"Targets", "method", "model", "Tree", "trace"};

const starfmm::DriverText text{
    "gravity_mpi",
    "Gravity of every body on every other, by direct summation over MPI ranks.",
    {"--n 1e5 --precision single --check 100",
     "--n 1e6 --pattern doubling --warmup 1 --repeat 5 --json run.json",
     "--input bodies.csv --epsilon 0 --potential yes --output results.npy"},
    "mpirun -np 4 "};

/// Number of bodies a rank; the last ranks may have fewer, or none.
std::size_t share(const MpiSession& session, std::size_t n) {
    const auto ranks = static_cast<std::size_t>(session.size());
    return (n + ranks - 1) / ranks;
}

std::vector<double> slice(const std::vector<double>& values, std::size_t begin, std::size_t end) {
    const auto first = values.begin();
    return {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)};
}

Bodies own_bodies(const MpiSession& session, const Bodies& all) {
    const std::size_t size = share(session, all.size());
    const auto rank = static_cast<std::size_t>(session.rank());
    const std::size_t begin = std::min(all.size(), rank * size);
    const std::size_t end = std::min(all.size(), begin + size);
    Bodies own;
    for (std::size_t d = 0; d < 3; ++d) {
        own.x[d] = slice(all.x[d], begin, end);
    }
    own.mass = slice(all.mass, begin, end);
    return own;
}

/// Gathers all ranks' values, one rank after the other, at rank 0.
std::vector<double>
gather(const MpiSession& session, const std::vector<double>& own, std::size_t n) {
    const std::size_t size = share(session, n);
    std::vector<double> padded(own);
    padded.resize(size);
    std::vector<double> all(
        session.rank() == 0 ? size * static_cast<std::size_t>(session.size()) : 0
    );
    const auto count = static_cast<int>(size);
    const int code = MPI_Gather(
        padded.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, session.communicator()
    );
    starfmm::check_mpi(code, "MPI_Gather");
    all.resize(std::min(all.size(), n));
    return all;
}

Accelerations gather(
    const MpiSession& session,
    const Accelerations& own,
    std::size_t n,
    starfmm::GravityResult result
) {
    Accelerations all;
    for (std::size_t d = 0; d < 3; ++d) {
        all.a[d] = gather(session, own.a[d], n);
    }
    if (result == starfmm::GravityResult::with_potential) {
        all.potential = gather(session, own.potential, n);
    }
    return all;
}

/// Measures the seconds from when all ranks are ready until the last one is done.
double timed(
    const MpiSession& session,
    starfmm::DistributedGravity& gravity,
    const Bodies& own,
    Accelerations& out
) {
    starfmm::check_mpi(MPI_Barrier(session.communicator()), "MPI_Barrier");
    const double start = starfmm::now();
    gravity.evaluate(own, out);
    double time = starfmm::now() - start;
    const int code =
        MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, session.communicator());
    starfmm::check_mpi(code, "MPI_Allreduce");
    return time;
}

starfmm::GravityReport evaluate(
    const MpiSession& session,
    const GravityDriverOptions& options,
    const Bodies& all,
    Accelerations& out
) {
    starfmm::Telling telling = options.telling;
    telling.quiet = telling.quiet || session.rank() != 0; // only rank 0 prints
    starfmm::Runtime runtime(session.share_of_host(options.runtime));
    starfmm::note(telling, runtime.notice());
    starfmm::Progress progress("gravity_mpi", telling);
    const starfmm::StarpuMpi messages(session);
    starfmm::DistributedGravity gravity(runtime, session, options.direct, options.pattern);
    starfmm::GravityReport report;
    report.driver = "gravity_mpi";
    report.options = options;
    report.n = report.n_places = all.size();
    const Bodies own = own_bodies(session, all);
    Accelerations own_out;
    for (int run = -options.warmup; run < options.repeat; ++run) {
        progress.tell("run " + std::to_string(run + 1) + " of " + std::to_string(options.repeat));
        const double time = timed(session, gravity, own, own_out);
        if (run >= 0) {
            report.total.push_back(time);
        }
    }
    report.blocks = gravity.blocks();
    report.tasks = gravity.n_tasks();
    report.describe(runtime);
    report.n_ranks = session.size();
    out = gather(session, own_out, all.size(), options.direct.result);
    return report;
}

/// Runs a rank; rank 0 alone checks and reports.
int run_ranks(const MpiSession& session, int argc, char** argv) {
    const auto options = starfmm::parse_gravity_options(argc, argv, text, lacking);
    if (!options) {
        return 0;
    }
    const starfmm::GravityProblem problem{starfmm::make_bodies(*options), std::nullopt};
    Accelerations results;
    auto report = evaluate(session, *options, problem.bodies, results);
    if (session.rank() != 0) {
        return 0;
    }
    report.error = starfmm::check_gravity(*options, problem, results);
    return starfmm::finish(report, results);
}

int run(int argc, char** argv) {
    const MpiSession session;
    if (session.rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) {
        throw starfmm::Error("/dev/null: cannot be written");
    }
    try {
        return run_ranks(session, argc, argv);
    } catch (const starfmm::InputError&) {
        // All ranks have the same input: rank 0 prints the error and fails for all of them, since
        // mpirun ends the other ranks at the first failure.
        if (session.rank() == 0) {
            throw;
        }
        return 0;
    } catch (const std::exception& error) {
        // the other ranks may wait for messages of this rank
        static_cast<void>(
            std::fprintf(stderr, "gravity_mpi: error: rank %d: %s\n", session.rank(), error.what())
        );
        MPI_Abort(session.communicator(), 3);
    }
    return 3;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
