// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <limits>
#include <type_traits>

using starfmm::check_range;
using starfmm::check_starpu;
using starfmm::CudaError;
using starfmm::Error;
using starfmm::InputError;
using starfmm::MemoryError;
using starfmm::OutputError;
using starfmm::StarpuError;
using starfmm::WriteError;

static_assert(std::is_base_of_v<std::runtime_error, Error>);
static_assert(std::is_base_of_v<Error, InputError>);
static_assert(std::is_base_of_v<InputError, OutputError>);
static_assert(std::is_base_of_v<Error, WriteError>);
static_assert(!std::is_base_of_v<InputError, WriteError>); // the input is not to blame
static_assert(!std::is_base_of_v<InputError, MemoryError>);
static_assert(std::is_base_of_v<Error, StarpuError>);
static_assert(std::is_base_of_v<Error, CudaError>);

TEST_CASE("error: ranges include their ends, and nothing else") {
    CHECK_NOTHROW(check_range("order", 1, 1, 64));
    CHECK_NOTHROW(check_range("order", 64, 1, 64));
    CHECK_THROWS_WITH_AS(
        check_range("order", 0, 1, 64), "order = 0: must be in [1, 64]", InputError
    );
    CHECK_THROWS_WITH_AS(
        check_range("order", 64.5, 1, 64), "order = 64.5: must be in [1, 64]", InputError
    );
    CHECK_THROWS_WITH_AS(
        check_range("x", std::numeric_limits<double>::quiet_NaN(), 1, 64),
        "x = nan: must be in [1, 64]",
        InputError
    );
}

TEST_CASE("error: negative codes of StarPU are failures") {
    CHECK_NOTHROW(check_starpu(0, "starpu_init"));
    CHECK_NOTHROW(check_starpu(1, "starpu_init"));
    CHECK_THROWS_WITH_AS(
        check_starpu(-ENODEV, "starpu_init"), "starpu_init failed: No such device", StarpuError
    );
}
