// SPDX-License-Identifier: BSD-3-Clause
// A user's program: it compiles and links against the installed package.
#include "core/config.hpp"
#include "core/error.hpp"

#include <iostream>

int main() {
    try {
        throw starfmm::InputError("thrown and caught");
    } catch (const starfmm::Error& error) {
        std::cout << "starfmm " << starfmm::version << ": " << error.what() << '\n';
    }
}
