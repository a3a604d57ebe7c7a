// SPDX-License-Identifier: BSD-3-Clause
#include "examples/policies/limited_child.hpp"

#include "core/error.hpp"
#include "examples/cli/progress.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string_view>

namespace starfmm {

namespace {

constexpr int returned = 0;
constexpr int failed = 1;

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
    return true;
}

/// Runs `work` in the child, and ends without what the program does at its end, which is the
/// parent's.
[[noreturn]] void be_child(const std::function<std::string()>& work, int out) {
    // a user who kills the parent does not mean to leave a computing child
    static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGKILL));
    int code = failed;
    std::string text;
    try {
        text = work();
        code = returned;
    } catch (const std::exception& error) {
        text = error.what();
    }
    ::_exit(write_all(out, text) ? code : failed);
}

/// Reads what is written to `in` until it is closed.
/// \returns whether it was closed in time
bool read_until(int in, double end, std::string& text) {
    std::array<char, 4096> bytes{};
    while (true) {
        const double left = end - now();
        pollfd file{in, POLLIN, 0};
        constexpr double milliseconds = 1e3;
        const int ready =
            left > 0 ? ::poll(&file, 1, static_cast<int>(milliseconds * left) + 1) : 0;
        if (ready == 0 || (ready < 0 && errno != EINTR)) {
            return false;
        }
        const ssize_t n = ready > 0 ? ::read(in, bytes.data(), bytes.size()) : -1;
        if (n == 0) {
            return true;
        }
        text.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

} // namespace

ChildResult run_in_child(const std::function<std::string()>& work, double limit_s) {
    std::array<int, 2> ends{};
    static_cast<void>(std::fflush(stdout)); // unflushed text would be printed by the child, too
    if (::pipe(ends.data()) != 0) {
        throw Error("no pipe to a child process can be made");
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        be_child(work, ends[1]);
    }
    ::close(ends[1]);
    ChildResult result;
    const bool in_time = child > 0 && read_until(ends[0], now() + limit_s, result.text);
    ::close(ends[0]);
    if (child < 0) {
        throw Error("no child process can be made");
    }
    if (!in_time) {
        static_cast<void>(::kill(child, SIGKILL)); // fails only if it has ended
    }
    const int status = wait_for(child);
    if (!in_time) {
        return {ChildResult::End::timed_out, "no result within the time limit"};
    }
    if (WIFSIGNALED(status)) {
        return {ChildResult::End::failed, "ended by signal " + std::to_string(WTERMSIG(status))};
    }
    const bool has_returned = WIFEXITED(status) && WEXITSTATUS(status) == returned;
    result.end = has_returned ? ChildResult::End::returned : ChildResult::End::failed;
    return result;
}

} // namespace starfmm
