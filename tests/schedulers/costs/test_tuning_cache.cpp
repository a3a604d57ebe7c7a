// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/costs/tuning_cache.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <string>

using namespace starfmm;

namespace {

MeasuredCosts some_costs() {
    UnitCosts costs;
    for (std::size_t i = 0; i < costs.fmm.size(); ++i) {
        costs.fmm[i] = 1e-9 / (3.0 + static_cast<double>(i));
    }
    costs.direct = {1e-5, 0, 1.0 / 3e9};
    costs.task = 7e-6;
    MachineCosts machine{costs, costs, {}};
    machine.cores.task = 3e-6;
    machine.tasks["starfmm_p2m"] = {{1e-6, 1.0 / 3e9, 2e-9, 0}, {}};
    machine.tasks["starfmm_p2m"].cuda.fill({1e-5, 1.0 / 7e11, 0, 1e-12});
    return {machine, 1.5, 2};
}

} // namespace

TEST_CASE("tuning_cache: what is written is read, to the last bit") {
    const TemporaryFolder folder;
    const std::string file = cache_file(folder.file("new/deep"), "key"); // folders are made
    const MeasuredCosts written = some_costs();
    write_costs(file, "key", written);
    const auto read = read_costs(file, "key");
    REQUIRE(read.has_value());
    CHECK(read->costs.fmm == written.costs.fmm);
    CHECK(read->costs.direct == written.costs.direct);
    CHECK(read->costs.task == written.costs.task);
    CHECK(read->cores.fmm == written.cores.fmm);
    CHECK(read->cores.task == 3e-6);
    CHECK(read->tasks == written.tasks);
    CHECK(read->busy == 1.5);
    CHECK(read->attempts == 2);
    write_costs(file, "key", *read); // over the old one
    CHECK(read_costs(file, "key").has_value());
}

TEST_CASE("tuning_cache: every key has a file of its own") {
    CHECK(cache_file("/a", "one") == cache_file("/a", "one"));
    CHECK(cache_file("/a", "one") != cache_file("/a", "two"));
    CHECK(cache_file("/a", "one").starts_with("/a/tuning-"));
}

TEST_CASE("tuning_cache: damaged files and those of other keys hold nothing") {
    const TemporaryFolder folder;
    const std::string file = folder.file("costs.json");
    CHECK_FALSE(read_costs(file, "key").has_value()); // none at all
    write_costs(file, "key", some_costs());
    const std::string good = folder.bytes("costs.json");
    CHECK_FALSE(read_costs(file, "other key").has_value());
    const auto is_readable = [&](const std::string& bytes) {
        return read_costs(folder.file("bad.json", bytes), "key").has_value();
    };
    const auto with = [&](const std::string& old, const std::string& other) {
        std::string bytes = good;
        REQUIRE(bytes.find(old) != std::string::npos);
        return bytes.replace(bytes.find(old), old.size(), other);
    };
    CHECK(is_readable(good));
    CHECK_FALSE(is_readable(""));
    CHECK_FALSE(is_readable(good.substr(0, good.size() / 2)));
    CHECK_FALSE(is_readable("[1, 2]"));
    CHECK_FALSE(is_readable(with("\"format\": 9", "\"format\": 999")));
    CHECK_FALSE(is_readable(with("7e-06", "-7e-06")));
    CHECK_FALSE(is_readable(with("7e-06", "\"fast\"")));
    CHECK_FALSE(is_readable(with("7e-06", "1e999")));
    CHECK_FALSE(is_readable(with("\"busy\": 1.5", "\"busy\": -1.5")));
    for (const char* const attempts : {"0", "-2", "1e300"}) {
        CHECK_FALSE(is_readable(with("\"attempts\": 2", std::string("\"attempts\": ") + attempts)));
    }
    CHECK_FALSE(is_readable(with("\"direct_s\": [", "\"direct_s\": [1, ")));
    CHECK_FALSE(is_readable(with("\"direct_s\"", "\"direct\"")));
    CHECK_FALSE(is_readable(with("\"cpu\"", "\"gpu\"")));
    CHECK_FALSE(is_readable(with("\"cuda\": [", "\"cuda\": [1, ")));
    CHECK_FALSE(is_readable(with("\"cuda\": [\n        1e-05", "\"cuda\": [\n        -1")));
}

TEST_CASE("tuning_cache: a folder that cannot be made is named") {
    const TemporaryFolder folder;
    const std::string file = cache_file(folder.file("a.txt", "no folder") + "/b", "key");
    CHECK_THROWS_AS(write_costs(file, "key", some_costs()), OutputError);
    CHECK(folder.n_files() == 1);
}

TEST_CASE("tuning_cache: in the place of a file, what is none holds nothing and is named") {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const std::string& file : {folder.file(""), pipe, std::string("/dev/null")}) {
        CHECK_FALSE(read_costs(file, "key").has_value());
        CHECK_THROWS_WITH_AS(
            write_costs(file, "key", some_costs()),
            (file + ": cannot be written: a regular file is expected there").c_str(),
            OutputError
        );
    }
}

TEST_CASE("tuning_cache: the folder follows the environment") {
    const Environment own("STARFMM_CACHE_DIR", "/own");
    const Environment caches("XDG_CACHE_HOME", "/caches");
    const Environment home("HOME", "/home/me");
    CHECK(cache_folder() == "/own");
    const Environment no_own("STARFMM_CACHE_DIR", "");
    CHECK(cache_folder() == "/caches/starfmm");
    const Environment no_caches("XDG_CACHE_HOME", "");
    CHECK(cache_folder() == "/home/me/.cache/starfmm");
    const Environment no_home("HOME", "");
    CHECK(cache_folder().empty());
}

TEST_CASE("tuning_cache: without a home that can be written, costs go to a private folder") {
    const TemporaryFolder folder;
    const Environment top("TMPDIR", folder.file(""));
    const Environment own("STARFMM_CACHE_DIR", "");
    const Environment caches("XDG_CACHE_HOME", "/proc");
    const std::string chosen = usable_cache_folder();
    CHECK(chosen.starts_with(folder.file("")));
    const std::string file = cache_file(chosen, "key");
    write_costs(file, "key", some_costs());
    CHECK(read_costs(file, "key").has_value());
    const Environment home("XDG_CACHE_HOME", folder.file("caches"));
    CHECK(usable_cache_folder() == folder.file("caches/starfmm"));
    const Environment explicit_choice("STARFMM_CACHE_DIR", "/proc/own");
    CHECK(usable_cache_folder() == "/proc/own"); // to be told of
}
