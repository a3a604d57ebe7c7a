// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/codelet.hpp"
#include "schedulers/runtime/dependencies.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <doctest/doctest.h>

#include <array>

using starfmm::Codelet;
using starfmm::Dependencies;
using starfmm::Execution;
using starfmm::FusedCodelet;
using starfmm::Handle;
using starfmm::Runtime;
using starfmm::TaskArgs;
using Tasks = std::vector<std::size_t>;

namespace {

Tasks add(Dependencies& dependencies, std::size_t task, starpu_data_access_mode mode) {
    return dependencies.add(task, std::array<starfmm::DatumAccess, 1>{{{7, mode}}});
}

void do_nothing(void* /*buffers*/[], void* /*args*/) {}

Codelet& write_codelet() {
    static Codelet codelet(
        "starfmm_write",
        "dependencies",
        starfmm::Color::grey,
        do_nothing,
        {nullptr},
        {{STARPU_W}, {}}
    );
    return codelet;
}

Codelet& read_codelet() {
    static Codelet codelet(
        "starfmm_read",
        "dependencies",
        starfmm::Color::grey,
        do_nothing,
        {nullptr},
        {{STARPU_R}, {}}
    );
    return codelet;
}

void submit(Runtime& runtime, Codelet& codelet, Handle& handle, std::uint64_t group = 0) {
    TaskArgs args;
    args.tree = {2, 5, group};
    args.work = 3;
    runtime.submit(codelet, std::array<Handle*, 1>{&handle}, args, 0);
}

} // namespace

TEST_CASE("dependencies: readers wait for the writer, the next writer for the readers") {
    Dependencies dependencies;
    CHECK(add(dependencies, 0, STARPU_R).empty());
    CHECK(add(dependencies, 1, STARPU_W) == Tasks{0});
    CHECK(add(dependencies, 2, STARPU_R) == Tasks{1});
    CHECK(add(dependencies, 3, STARPU_R) == Tasks{1});
    CHECK(add(dependencies, 4, STARPU_RW) == Tasks{2, 3});
    CHECK(add(dependencies, 5, STARPU_RW) == Tasks{4});
}

TEST_CASE("dependencies: writers that commute do not wait for each other") {
    Dependencies dependencies;
    CHECK(add(dependencies, 0, STARPU_W).empty());
    CHECK(add(dependencies, 1, starfmm::accumulate) == Tasks{0});
    CHECK(add(dependencies, 2, starfmm::accumulate) == Tasks{0});
    CHECK(add(dependencies, 3, STARPU_R) == Tasks{1, 2});
    CHECK(add(dependencies, 4, starfmm::accumulate) == Tasks{3}); // a new round
    CHECK(add(dependencies, 5, starfmm::accumulate) == Tasks{3});
    CHECK(add(dependencies, 6, STARPU_W) == Tasks{4, 5});
}

TEST_CASE("dependencies: scratch data and other data are nobody's business") {
    Dependencies dependencies;
    CHECK(add(dependencies, 0, STARPU_SCRATCH).empty());
    CHECK(add(dependencies, 1, STARPU_SCRATCH).empty());
    CHECK(add(dependencies, 2, STARPU_W).empty());
    CHECK(dependencies.add(3, std::array<starfmm::DatumAccess, 1>{{{8, STARPU_W}}}).empty());
    CHECK(add(dependencies, 4, STARPU_R) == Tasks{2});
    dependencies.clear();
    CHECK(add(dependencies, 5, STARPU_W).empty());
}

TEST_CASE("dependencies: each task is named once, and never itself") {
    Dependencies dependencies;
    const std::array<starfmm::DatumAccess, 3> both{{{1, STARPU_R}, {1, STARPU_W}, {2, STARPU_W}}};
    CHECK(dependencies.add(0, both).empty());
    CHECK(dependencies.add(1, both) == Tasks{0});
}

TEST_CASE("dependencies: records have them, with groups and times, only if asked for") {
    for (const Execution execution : {Execution::tasks, Execution::in_order}) {
        Runtime runtime({1, 0, "", true}, execution);
        std::vector<int> data(4);
        Handle handle(data.data(), data.size(), sizeof(int), runtime.home());
        submit(runtime, write_codelet(), handle);
        runtime.wait();
        CHECK(runtime.records().at(0).details.level == 0);
        runtime.clear_records();

        runtime.record_details();
        submit(runtime, write_codelet(), handle);
        submit(runtime, read_codelet(), handle, 6);
        runtime.wait();
        REQUIRE(runtime.records().size() == 2);
        const auto& writer = runtime.records()[0].details;
        const auto& reader = runtime.records()[1].details;
        CHECK(writer.after.empty());
        CHECK(reader.after == Tasks{writer.id});
        CHECK(reader.group == 6);
        CHECK(reader.level == 2);
        if (execution == Execution::tasks) {
            CHECK(reader.submit_s > 0);
            CHECK(reader.ready_s >= reader.submit_s);
            CHECK(reader.ready_s >= runtime.records()[0].end_s);
            CHECK(reader.fetch_s >= reader.ready_s);
            CHECK(reader.fetched_s >= reader.fetch_s);
            CHECK(runtime.records()[1].start_s >= reader.fetched_s);
        }
        runtime.clear_records();
        submit(runtime, read_codelet(), handle);
        runtime.wait();
        CHECK(runtime.records().at(0).details.after.empty()); // the writer was forgotten
    }
}

TEST_CASE("dependencies: data that take over the address of others are not taken for them") {
    Runtime runtime({1, 0, "", true});
    runtime.record_details();
    for (int i = 0; i < 20; ++i) {
        const std::size_t before = runtime.n_tasks();
        Handle handle(100, sizeof(int), runtime.home());
        submit(runtime, write_codelet(), handle);
        submit(runtime, read_codelet(), handle);
        runtime.wait();
        CHECK(runtime.records().at(before).details.after.empty());
        CHECK(runtime.records().at(before + 1).details.after == Tasks{before});
    }
}

TEST_CASE("dependencies: a fused task tells its parts, and the group of the first one") {
    static FusedCodelet fused("starfmm_both", "dependencies", starfmm::Color::grey);
    Runtime runtime({1, 0, "", true});
    runtime.record_details();
    std::vector<int> data(4);
    Handle handle(data.data(), data.size(), sizeof(int), runtime.home());
    submit(runtime, write_codelet(), handle);
    runtime.fuse(fused, 0, [&] {
        submit(runtime, read_codelet(), handle, 1);
        submit(runtime, write_codelet(), handle, 2);
    });
    submit(runtime, read_codelet(), handle);
    runtime.wait();
    REQUIRE(runtime.records().size() == 3);
    const auto& details = runtime.records()[1].details;
    REQUIRE(details.parts.size() == 2);
    CHECK(details.parts[0].codelet == &read_codelet());
    CHECK(details.parts[1].codelet == &write_codelet());
    CHECK(details.parts[1].work == 3);
    const starfmm::TaskRecord& record = runtime.records()[1];
    CHECK(details.parts[0].time.start_s >= record.start_s);
    CHECK(details.parts[0].time.end_s >= details.parts[0].time.start_s);
    CHECK(details.parts[1].time.start_s >= details.parts[0].time.end_s);
    CHECK(details.parts[1].time.end_s > details.parts[0].time.start_s);
    CHECK(details.parts[1].time.end_s <= record.end_s);
    CHECK(details.group == 1);
    CHECK(details.after == Tasks{0});
    CHECK(runtime.records()[2].details.after == Tasks{1});
    CHECK(runtime.records()[2].details.parts.empty());
}
