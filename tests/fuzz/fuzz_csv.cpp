// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/csv.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <cmath>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
    return check_reader(bytes, n, [](const std::string& path) {
        const auto columns = starfmm::read_csv(path, {{"x", "y", "q"}, {"x", "y", "q_re", "q_im"}});
        for (const auto& column : columns) {
            require(!column.empty() && column.size() == columns.front().size());
            require(std::ranges::all_of(column, [](double value) { return std::isfinite(value); }));
        }
    });
}
