// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/snapshot_check.hpp"

/// Damaged files. What HDF5's library makes of them is its own affair: for runs by hand.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
    return check_snapshot_readers(bytes, n);
}
