// SPDX-License-Identifier: BSD-3-Clause
// Program that says which of the instruction sets in core/isa.hpp this processor runs.
#include "core/isa.hpp"

#include <cstdio>

int main() {
    constexpr const char* names[] = {"baseline", "avx2", "avx512"};
    std::fputs(names[static_cast<int>(starfmm::isa_of_processor())], stdout);
}
