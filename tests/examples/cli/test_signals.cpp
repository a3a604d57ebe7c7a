// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/atomic_file.hpp"
#include "examples/cli/run.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

using starfmm::AtomicFile;
using starfmm::clean_up_on_signals;
using starfmm::StopRequest;

namespace {

/// Runs `body` in a process of its own.
/// \returns the process's wait status; its exit code is 0 if the body returns
template <class Body>
int status_of(Body body) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        body();
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

} // namespace

TEST_CASE("signals: one that ends the process leaves no temporary file, and is told to the parent"
) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const TemporaryFolder folder;
        const int status = status_of([&] {
            static_cast<void>(::signal(signal, SIG_DFL)); // nohup ignores some
            clean_up_on_signals();
            AtomicFile done(folder.file("done"));
            done.commit();
            AtomicFile file(folder.file("a"));
            file.write(std::string(3'000'000, 'x'));
            static_cast<void>(::raise(signal));
        });
        CHECK(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == signal);
        CHECK(folder.n_files() == 1);
        CHECK(folder.bytes("done").empty());
    }
}

TEST_CASE("signals: what the parent had ignored stays ignored") {
    const int status = status_of([] {
        static_cast<void>(::signal(SIGHUP, SIG_IGN));
        clean_up_on_signals();
        static_cast<void>(::raise(SIGHUP));
    });
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("signals: a request to stop is noted once, then no more") {
    const TemporaryFolder folder;
    const auto run = [&](int n_signals) {
        return status_of([&] {
            clean_up_on_signals();
            const AtomicFile file(folder.file("a"));
            const StopRequest stop;
            for (int i = 0; i < n_signals; ++i) {
                static_cast<void>(::raise(SIGTERM));
            }
            ::_exit(10 + StopRequest::signal());
        });
    };
    CHECK(WEXITSTATUS(run(0)) == 10);
    CHECK(WEXITSTATUS(run(1)) == 10 + SIGTERM);
    const long left = folder.n_files(); // _exit() removed none
    const int status = run(2);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
    CHECK(folder.n_files() == left);
    const int after = status_of([] {
        clean_up_on_signals();
        { const StopRequest stop; }
        static_cast<void>(::raise(SIGINT));
    });
    CHECK(WIFSIGNALED(after));
    CHECK(WTERMSIG(after) == SIGINT);
}

TEST_CASE("signals: their names") {
    CHECK(starfmm::name_of_signal(SIGINT) == std::string("SIGINT"));
    CHECK(starfmm::name_of_signal(SIGTERM) == std::string("SIGTERM"));
    CHECK(starfmm::name_of_signal(SIGHUP) == std::string("SIGHUP"));
}
