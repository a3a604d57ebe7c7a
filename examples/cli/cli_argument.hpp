// SPDX-License-Identifier: BSD-3-Clause
// One option of the command line and the conversions of its text.
#pragma once

#include "core/error.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

namespace starfmm {

/// Largest number of points: indices are 32 bits.
inline constexpr std::uint64_t max_points = std::numeric_limits<std::uint32_t>::max();

/// An option as given. Every conversion throws InputError naming the option, the text and what is
/// allowed.
struct Argument {
    std::string name;
    std::string text;

    [[noreturn]] void fail(const std::string& expected) const {
        throw InputError("--" + name + " " + (text.empty() ? "''" : text) + ": " + expected);
    }

    /// A finite number, all of the text.
    [[nodiscard]] double number() const {
        double value = 0;
        if (!parse(value) || !std::isfinite(value)) {
            fail("must be a number");
        }
        return value;
    }

    /// A number, at least `low`.
    [[nodiscard]] double number_from(int low) const {
        const double value = number();
        if (value < low) {
            fail("must be >= " + std::to_string(low));
        }
        return value;
    }

    /// A number > 0.
    [[nodiscard]] double positive(const char* otherwise = "") const {
        const double value = number();
        if (!(value > 0)) {
            fail(std::string("must be > 0") + otherwise);
        }
        return value;
    }

    /// A whole number in [low, high], possibly written as 1e6.
    template <class T = std::uint64_t>
    [[nodiscard]] T integer(std::type_identity_t<T> low, std::type_identity_t<T> high) const {
        return static_cast<T>(
            whole(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high))
        );
    }

    /// The integer in [low, high] that the text says; `automatic` for the text "auto".
    template <class T = int>
    [[nodiscard]] T
    integer_or_auto(std::type_identity_t<T> low, std::type_identity_t<T> high, T automatic) const {
        return text == "auto" ? automatic : integer<T>(low, high);
    }

    /// A number above zero; `automatic` for the text "auto".
    [[nodiscard]] double positive_or_auto(double automatic) const {
        return text == "auto" ? automatic : positive(", or auto");
    }

    /// The E at the position of the text among `names`.
    template <class E = std::size_t>
    [[nodiscard]] E choice(std::span<const char* const> names) const {
        std::string expected = "must be ";
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (text == names[i]) {
                return static_cast<E>(i);
            }
            expected += (i == 0                  ? ""
                         : i + 1 == names.size() ? " or "
                                                 : ", ") +
                        std::string(names[i]);
        }
        fail(expected);
    }

    template <class E = std::size_t>
    [[nodiscard]] E choice(std::initializer_list<const char*> names) const {
        return choice<E>(std::span(names.begin(), names.size()));
    }

    [[nodiscard]] std::string file() const {
        if (text.empty()) {
            fail("must be the name of a file");
        }
        return text;
    }

private:
    [[nodiscard]] std::uint64_t whole(std::uint64_t low, std::uint64_t high) const {
        constexpr double beyond = 0x1p64;
        std::uint64_t value = 0;
        double real = 0; // of 1e6, and of what 64 bits do not hold
        if (!parse(value)) {
            real = number();
            if (real != std::floor(real)) {
                fail("must be a whole number");
            }
            value = real > 0 && real < beyond ? static_cast<std::uint64_t>(real) : 0;
        }
        if (value > high || real >= beyond) {
            const char* const reason = high == max_points ? " (indices are 32 bits)" : "";
            fail("must be <= " + std::to_string(high) + reason);
        }
        if (value < low || real < 0) {
            fail("must be >= " + std::to_string(low));
        }
        return value;
    }

    /// Whether all of the text spells a T.
    template <class T>
    bool parse(T& value) const {
        const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(begin, end, value);
        return error == std::errc() && rest == end && begin != end;
    }
};

} // namespace starfmm
