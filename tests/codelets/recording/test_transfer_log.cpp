// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/recording/transfer_log.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <doctest/doctest.h>
#include <starpu.h>

#include <cstddef>

namespace {

/// Bytes that StarPU would allocate for an array of `n` doubles.
std::size_t room_of(std::size_t n) {
    starpu_data_handle_t handle = nullptr;
    starfmm::register_vector(handle, -1, 0, n, sizeof(double));
    CHECK(starpu_vector_get_nx(handle) == n);
    const std::size_t room = starpu_vector_get_allocsize(handle);
    starpu_data_unregister(handle);
    return room;
}

} // namespace

TEST_CASE("register_vector: arrays of nearly one length have room of one size") {
    starfmm::RuntimeOptions options;
    options.cpus = 1;
    options.gpus = 0;
    const starfmm::Runtime runtime(options);
    for (const std::size_t n : {0, 1, 33, 5000, 1'000'000, 16'777'216, 300'000'000}) {
        CAPTURE(n);
        const std::size_t room = room_of(n);
        CHECK(room >= n * sizeof(double));
        CHECK(room <= n * sizeof(double) * 17 / 16 + 256);
    }
    CHECK(room_of(12'300'000) == room_of(12'310'000));
    CHECK(room_of(12'300'000) < room_of(13'300'000));
}
