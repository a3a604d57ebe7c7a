// SPDX-License-Identifier: BSD-3-Clause
// What a call says of bad input.
#pragma once

#include "core/error.hpp"

#include <string>

/// Returns the message of the InputError that a call throws, or "none".
template <class Call>
std::string refusal(const Call& call) {
    try {
        call();
    } catch (const starfmm::InputError& error) {
        return error.what();
    }
    return "none";
}
