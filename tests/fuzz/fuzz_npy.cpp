// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/npy.hpp"
#include "tests/fuzz/check.hpp"

/// Arrays of three or four columns: a file's size says how many rows they have.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
    return check_reader(bytes, n, [n](const std::string& path) {
        const auto columns = starfmm::read_npy(path, {{"x", "y", "q"}, {"x", "y", "q_re", "q_im"}});
        require(columns.size() == 3 || columns.size() == 4);
        for (const auto& column : columns) {
            require(!column.empty() && column.size() == columns.front().size());
        }
        require(columns.size() * columns.front().size() * sizeof(float) <= n);
    });
}
