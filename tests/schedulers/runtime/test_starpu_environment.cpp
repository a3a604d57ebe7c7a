// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/runtime/starpu_environment.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

using starfmm::environment;
using starfmm::HiddenVariables;
using starfmm::InputError;
using starfmm::number_in_environment;
using starfmm::provide_model_folder;
using starfmm::RuntimeOptions;

TEST_CASE("starpu_environment: numbers are whole, not negative, and nothing else") {
    for (const auto& [text, number] :
         {std::pair("3", 3), {"0", 0}, {"-2", -1}, {"", -1}, {"2x", -1}, {"1e3", -1}}) {
        const Environment variable("STARFMM_TEST_NUMBER", text);
        CHECK(number_in_environment("STARFMM_TEST_NUMBER") == number);
    }
    CHECK(number_in_environment("STARFMM_TEST_NO_SUCH_NUMBER") == -1);
}

TEST_CASE("starpu_environment: what options say hides the variables on it, for a while") {
    const Environment cpus("STARPU_NCPU", "7");
    const Environment reserved("STARPU_RESERVE_NCPU", "1");
    const Environment gpus("STARPU_NCUDA", "3");
    const Environment policy("STARPU_SCHED", "eager");
    {
        const HiddenVariables hidden(RuntimeOptions{});
        CHECK(environment("STARPU_NCPU") == "7");
        CHECK(environment("STARPU_SCHED") == "eager");
    }
    {
        RuntimeOptions options;
        options.cpus = 1;
        options.scheduler = "lws";
        const HiddenVariables hidden(options);
        CHECK(std::getenv("STARPU_NCPU") == nullptr);
        CHECK(std::getenv("STARPU_RESERVE_NCPU") == nullptr);
        CHECK(std::getenv("STARPU_SCHED") == nullptr);
        CHECK(environment("STARPU_NCUDA") == "3");
    }
    {
        RuntimeOptions options;
        options.gpus = 0;
        const HiddenVariables hidden(options);
        CHECK(std::getenv("STARPU_NCUDA") == nullptr);
        CHECK(environment("STARPU_NCPU") == "7");
    }
    CHECK(environment("STARPU_NCPU") == "7");
    CHECK(environment("STARPU_RESERVE_NCPU") == "1");
    CHECK(environment("STARPU_NCUDA") == "3");
    CHECK(environment("STARPU_SCHED") == "eager");
}

TEST_CASE("starpu_environment: models go where StarPU puts them, if it can") {
    const TemporaryFolder folder;
    const Environment models("STARPU_PERF_MODEL_DIR", "");
    const Environment caches("XDG_CACHE_HOME", folder.file("caches"));
    CHECK(provide_model_folder().empty());
    CHECK(environment("STARPU_PERF_MODEL_DIR").empty());
    CHECK(std::filesystem::is_directory(folder.file("caches/.starpu/sampling")));
}

TEST_CASE("starpu_environment: models of a user without a home go to a private folder, noted") {
    const TemporaryFolder folder;
    const Environment top("TMPDIR", folder.file(""));
    const Environment models("STARPU_PERF_MODEL_DIR", "");
    const Environment caches("XDG_CACHE_HOME", "/proc");
    const std::string notice = provide_model_folder();
    const std::string chosen = environment("STARPU_PERF_MODEL_DIR");
    CHECK(chosen.starts_with(folder.file("")));
    CHECK(
        notice == "/proc/.starpu/sampling: cannot be written; StarPU's performance models are kept "
                  "in " +
                      chosen
    );
    CHECK(provide_model_folder().empty()); // told once
}

TEST_CASE("starpu_environment: a folder that the user names is used or refused") {
    const TemporaryFolder folder;
    {
        const Environment models("STARPU_PERF_MODEL_DIR", "/proc/none");
        CHECK_THROWS_WITH_AS(
            (void)provide_model_folder(),
            "STARPU_PERF_MODEL_DIR = /proc/none: is no folder to write to",
            InputError
        );
    }
    const Environment models("STARPU_PERF_MODEL_DIR", folder.file("models"));
    const Environment caches("XDG_CACHE_HOME", "/proc");
    CHECK(provide_model_folder().empty());
    CHECK(environment("STARPU_PERF_MODEL_DIR") == folder.file("models"));
}

TEST_CASE("starpu_environment: models find a place without a home and without temporary files") {
    const Environment models("STARPU_PERF_MODEL_DIR", "");
    const Environment caches("XDG_CACHE_HOME", std::nullopt);
    const Environment starpu("STARPU_HOME", std::nullopt);
    const Environment home("HOME", std::nullopt);
    const Environment top("TMPDIR", "/proc/none");
    const std::string notice = provide_model_folder();
    const std::string path = environment("STARPU_PERF_MODEL_DIR");
    CHECK(std::filesystem::is_directory(std::filesystem::path(path).parent_path()));
    CHECK(notice.starts_with("/proc/none/.starpu/sampling: cannot be written"));
}
