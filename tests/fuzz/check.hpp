// SPDX-License-Identifier: BSD-3-Clause
// What every reader promises, whatever a file holds.
#pragma once

#include "core/error.hpp"
#include "tests/fuzz/fuzzed_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Ends the run with a finding unless `promise` holds.
inline void require(bool promise) {
    if (!promise) {
        std::abort();
    }
}

/// Has `read` read a file of these bytes: it returns, or throws an InputError that names the file
/// and what is wrong. Any other exception, and any report of a sanitizer, is a finding.
template <class Read>
int check_reader(const std::uint8_t* bytes, std::size_t n, const Read& read) {
    const FuzzedFile file(bytes, n);
    try {
        read(file.path());
    } catch (const starfmm::InputError& error) {
        const std::string_view message(error.what());
        require(message.starts_with(file.path()) && message.size() > file.path().size() + 2);
    }
    return 0;
}
