// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "schedulers/runtime/user_array.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

using starfmm::ArrayRole;
using starfmm::Execution;
using starfmm::Handle;
using starfmm::InputError;
using starfmm::Results;
using starfmm::Runtime;
using starfmm::UserInput;
using starfmm::UserOutput;

namespace {

using Values = std::vector<double>;

constexpr starfmm::ValueRange range{1e-3, 1e3};

UserInput input(Runtime& runtime, const Values& values) {
    return {runtime, values, ArrayRole::source_x, "sources.x", range};
}

double& first_of(Handle& part) {
    return *reinterpret_cast<double*>(part.plain()->ptr);
}

} // namespace

TEST_CASE("user_array: without a GPU, tasks read and write the caller's memory, in parts") {
    Runtime runtime({}, Execution::in_order);
    Values values{1, 2, 3, 4, 5, 6, 7};
    std::vector<Handle> read = input(runtime, values).parts(3);
    const UserOutput output(runtime, values, ArrayRole::potential_re, Results::at_the_end);
    std::vector<Handle> written = output.parts(3);
    REQUIRE(read.size() == 3);
    REQUIRE(written.size() == 3);
    std::size_t begin = 0;
    for (std::size_t part = 0; part < 3; ++part) {
        CHECK(begin == starfmm::part_begin(values.size(), 3, part));
        CHECK(first_of(read[part]) == values[begin]);
        first_of(written[part]) = -1;
        CHECK(values[begin] == -1);
        begin += read[part].size();
    }
    CHECK(begin == values.size());
}

TEST_CASE("user_array: no values have no handles, and nothing against them") {
    Runtime runtime({}, Execution::in_order);
    Values none;
    UserInput empty = input(runtime, none);
    CHECK(empty.parts(4).empty());
    CHECK(empty.check());
    const UserOutput output(runtime, none, ArrayRole::potential_re, Results::at_once);
    CHECK(output.parts(4).empty());
    output.finish({});
}

TEST_CASE("user_array: a value out of range makes itself known once it has been looked at") {
    Runtime runtime({}, Execution::in_order);
    const Values values{1, 1e4};
    UserInput array = input(runtime, values);
    CHECK_FALSE(array.is_known_out());
    CHECK(array.parts().size() == 1);
    CHECK(array.is_known_out());
    CHECK_FALSE(array.check());
}

TEST_CASE("user_array: a value that is not finite is refused by its name") {
    Runtime runtime({}, Execution::in_order);
    const Values values{1, NAN};
    UserInput array = input(runtime, values);
    CHECK_THROWS_WITH_AS((void)array.parts(), "sources.x[1] = nan: must be finite", InputError);
    CHECK_THROWS_WITH_AS((void)array.check(), "sources.x[1] = nan: must be finite", InputError);
}

TEST_CASE("user_array: a resident array is looked at once, and not before tasks have it") {
    Runtime runtime({}, Execution::in_order);
    Values values{1, 1e4};
    const starfmm::Resident resident(runtime, values);
    UserInput first = input(runtime, values);
    CHECK(first.is_resident());
    CHECK(first.parts(2).size() == 2);
    CHECK_FALSE(first.is_known_out());
    CHECK_FALSE(first.check());
    values[1] = 1; // the array's owner promised not to change it
    CHECK_FALSE(input(runtime, values).check());
    CHECK(UserInput(runtime, values, ArrayRole::source_x, "x", {1e-3, 1e2}).check());
}

TEST_CASE("user_array: results that no task wrote reach tasks and the caller") {
    Runtime runtime({}, Execution::in_order);
    Values values(3);
    Values plain(3);
    starfmm::Resident resident(runtime, values);
    UserOutput(runtime, plain, ArrayRole::potential_re, Results::at_once).write(Values{1, 2, 3});
    UserOutput(runtime, values, ArrayRole::potential_re, Results::at_once).write(Values{1, 2, 3});
    CHECK(plain == Values{1, 2, 3});
    CHECK(values == Values{1, 2, 3});
    resident.bring_home();
    CHECK(values == Values{1, 2, 3});
}
