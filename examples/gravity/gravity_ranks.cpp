// SPDX-License-Identifier: BSD-3-Clause
// Softened gravity is summed directly over MPI ranks: mpirun -np 4 gravity --n 1e5
#include "core/error.hpp"
#include "examples/cli/option_names.hpp"
#include "examples/cli/run.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/plan/gravity_mpi.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

/// Number of bodies a rank; the last ranks may have fewer, or none.
std::size_t share(const MpiSession& session, std::size_t n) {
    const auto ranks = static_cast<std::size_t>(session.size());
    return (n + ranks - 1) / ranks;
}

/// The rank's share of all bodies.
Bodies own_bodies(const MpiSession& session, Bodies bodies) {
    const std::size_t n = bodies.size();
    const std::size_t size = share(session, n);
    const std::size_t begin = std::min(n, static_cast<std::size_t>(session.rank()) * size);
    const std::size_t end = std::min(n, begin + size);
    for (auto* const values : {&bodies.x[0], &bodies.x[1], &bodies.x[2], &bodies.mass}) {
        *values = {values->data() + begin, values->data() + end};
    }
    return bodies;
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
    check_mpi(code, "MPI_Gather");
    all.resize(std::min(all.size(), n));
    return all;
}

Potentials gather(const MpiSession& session, const Accelerations& own, std::size_t n) {
    Potentials all;
    for (std::size_t d = 0; d < 3; ++d) {
        all.gradient[d] = gather(session, own.a[d], n);
    }
    if (!own.potential.empty()) {
        all.re = gather(session, own.potential, n);
    }
    return all;
}

/// Measures the seconds from when all ranks are ready until the last one is done.
double timed(
    const MpiSession& session, DistributedGravity& gravity, const Bodies& own, Accelerations& out
) {
    check_mpi(MPI_Barrier(session.communicator()), "MPI_Barrier");
    const double start = now();
    gravity.evaluate(own, out);
    double time = now() - start;
    const int code =
        MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, session.communicator());
    check_mpi(code, "MPI_Allreduce");
    return time;
}

/// What a rank sums, with what.
struct RankRun {
    explicit RankRun(const MpiSession& the_session) : session(the_session) {}

    const MpiSession& session;
    DriverOptions options;
    Problem problem; ///< of all ranks
    std::optional<Runtime> runtime;
    RunReport report;
    std::vector<Potentials> results; ///< of all ranks, at rank 0

    /// Starts the workers. Only rank 0 prints.
    void start() {
        options.telling.quiet = options.telling.quiet || session.rank() != 0;
        runtime.emplace(session.share_of_host(options.runtime));
    }

    void evaluate() {
        const StarpuMpi messages(session);
        const GravityTreeOptions gravity_options = direct_options(options);
        const auto pattern =
            options.exchanges_by_doubling ? ExchangePattern::doubling : ExchangePattern::ring;
        DistributedGravity gravity(*runtime, session, gravity_options, pattern);
        report.driver = "gravity";
        report.options = with_tolerance(options);
        report.kernel = gravity_kernel(options).shape();
        Run run(report, *runtime);
        const Bodies own = own_bodies(session, bodies_of(problem));
        Accelerations own_out;
        run.repeat([&] { return Seconds{timed(session, gravity, own, own_out)}; });
        run.end();
        report.sum.kernel = report.kernel.name;
        report.sum.method = Method::direct;
        report.sum.precision = report.options.precision;
        report.sum.n_sources = report.sum.n_targets = problem.sources.size();
        report.sum.tolerance = report.options.plan.tolerance;
        report.sum.cores = runtime->n_cpu();
        report.sum.gpus = runtime->n_cuda();
        report.plan.method = Method::direct;
        report.plan.target_block = gravity.blocks().targets;
        report.plan.source_block = gravity.blocks().sources;
        report.tasks = gravity.n_tasks();
        report.n_ranks = session.size();
        results = {gather(session, own_out, problem.sources.size())};
    }

    /// Compares what rank 0 has with exact sums.
    void check() {
        const Kernel kernel = gravity_kernel(options);
        const ArrayView values = room_for(problem, kernel.shape(), results); // they stay
        Context context({.in_order = true});
        const Sum sum(
            context,
            kernel,
            {.sources = view_of(problem.sources),
             .tolerance = Median{report.options.plan.tolerance},
             .method = Method::direct,
             .planning = Planning::on_demand,
             .borrow_points = true}
        );
        const ConstArrayView masses = strengths_of(problem, kernel.shape());
        report.errors = sum.check(masses, values, options.check, options.seed);
    }
};

/// Does a step on every rank.
/// \returns whether all ranks have done it; else the first one that has bad input has said so
template <class Step>
bool done_by_all(const MpiSession& session, const DriverText& text, const Step& step) {
    std::string refusal;
    int first = session.size();
    try {
        step();
    } catch (const InputError& error) {
        refusal = in_options(error.what());
        first = session.rank();
    }
    const int code =
        MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, session.communicator());
    check_mpi(code, "MPI_Allreduce");
    if (first == session.rank()) {
        static_cast<void>(
            std::fprintf(stderr, "%s: error: %s\n", text.name.c_str(), refusal.c_str())
        );
    }
    return first == session.size();
}

int run_rank(const MpiSession& session, int argc, char** argv, const DriverText& text) {
    constexpr int bad_input = 2;
    RankRun run(session);
    bool asks_for_help = false;
    const auto read = [&] {
        const auto options = parse_gravity_options(argc, argv, text, session.size());
        asks_for_help = !options;
        if (options) {
            run.options = *options;
            run.problem = make_problem(*options);
            if (!run.problem.lengths.empty()) {
                throw InputError("--input: ranks sum bodies of one length: leave out column epsilon"
                );
            }
        }
    };
    if (!done_by_all(session, text, read)) {
        return bad_input;
    }
    if (asks_for_help) {
        return 0;
    }
    const bool is_done = done_by_all(session, text, [&] { run.start(); }) &&
                         done_by_all(session, text, [&] { run.evaluate(); });
    if (!is_done) {
        return bad_input;
    }
    if (session.rank() != 0) {
        return 0;
    }
    run.runtime.reset(); // its workers would be in the way of the check
    if (run.options.check > 0) {
        run.check();
    }
    return finish(run.report, run.problem, run.results);
}

} // namespace

int run_over_ranks(int /*n_ranks*/, int argc, char** argv, const DriverText& text) {
    const MpiSession session;
    if (session.rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) {
        throw Error("/dev/null: cannot be written");
    }
    try {
        return run_rank(session, argc, argv, text);
    } catch (const InputError&) { // rank 0 cannot write what it found
        throw;
    } catch (const std::exception& error) {
        // the other ranks may wait for messages of this rank
        static_cast<void>(std::fprintf(
            stderr, "%s: error: rank %d: %s\n", text.name.c_str(), session.rank(), error.what()
        ));
        MPI_Abort(session.communicator(), 3);
    }
    return 3;
}

} // namespace starfmm
