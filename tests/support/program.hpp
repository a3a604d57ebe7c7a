// SPDX-License-Identifier: BSD-3-Clause
// Tests run programs that lie beside this one to their end, or kill them on the way.
#pragma once

#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <thread>
#include <utility>

struct ProgramResult {
    int exit_code;
    std::string out;
    std::string err;
};

inline std::string path_of_program(const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

/// Runs a program to its end.
/// \param arguments words as the shell takes them
/// \param launcher command that starts the program, as the shell takes it; empty: the shell
inline ProgramResult run_program(
    const std::string& name, const std::string& arguments, const std::string& launcher = ""
) {
    const TemporaryFolder folder;
    const std::string command = launcher + " '" + path_of_program(name) + "' " + arguments + " >" +
                                folder.file("out") + " 2>" + folder.file("err") + " </dev/null";
    const int status = std::system(command.c_str()); // NOLINT(cert-env33-c): as a user does
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), folder.bytes("out"), folder.bytes("err")};
}

/// Checks that a program ends with exit code 2, one line on stderr that holds `message`, nothing on
/// stdout, and no new file.
/// \param outputs options, each with the name of a file that must not appear
inline void check_rejects(
    const std::string& name,
    const std::string& arguments,
    const std::string& message,
    std::initializer_list<std::pair<const char*, const char*>> outputs
) {
    const TemporaryFolder folder;
    std::string all = arguments;
    for (const auto& [option, file] : outputs) {
        all += std::string(" ") + option + " " + folder.file(file);
    }
    CAPTURE(arguments);
    const ProgramResult run = run_program(name, all);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.err.find(message) != std::string::npos);
    CHECK(run.err.starts_with(name + ": error: "));
    CHECK(run.err.find('\n') == run.err.size() - 1);
    CHECK(run.out.empty());
    CHECK(folder.n_files() == 0);
}

/// A program while it runs; it is killed at the end of the test case at the latest.
class RunningProgram {
public:
    RunningProgram(const std::string& name, const std::string& arguments) : child_(::fork()) {
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            // exec: the process killed is the program, not its shell
            const std::string command =
                "exec '" + path_of_program(name) + "' " + arguments + " >/dev/null 2>&1";
            ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
            ::_exit(127);
        }
    }

    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;

    ~RunningProgram() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
    }

    /// Kills the program as soon as `is_time()`.
    /// \returns whether the program was killed; false if it ended by itself before, without an
    /// error
    template <class Condition>
    bool kill_when(Condition is_time) {
        int status = 0;
        for (;;) {
            if (::waitpid(child_, &status, WNOHANG) == child_) {
                break;
            }
            if (is_time()) {
                ::kill(child_, SIGKILL);
                ::waitpid(child_, &status, 0);
                break;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        child_ = -1;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
            return true;
        }
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
        return false;
    }

    void send(int signal) const { ::kill(child_, signal); }

    /// Waits until the program has ended, by itself or by a signal sent before, and returns
    /// waitpid()'s status.
    int wait() {
        int status = 0;
        for (int i = 0; i < 60'000; ++i) {
            if (::waitpid(child_, &status, WNOHANG) == child_) {
                child_ = -1;
                return status;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        FAIL("the program does not end");
        return status;
    }

    /// Waits until `is_time()`, while the program runs.
    template <class Condition>
    void wait_until(Condition is_time) const {
        bool is_now = is_time();
        for (int i = 0; i < 60'000 && !is_now; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            is_now = is_time();
        }
        REQUIRE(is_now);
    }

private:
    pid_t child_;
};
