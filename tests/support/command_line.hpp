// SPDX-License-Identifier: BSD-3-Clause
// Tests of drivers make command lines here, and capture what is printed.
#pragma once

#include "core/error.hpp"
#include "examples/cli/cli.hpp"

#include <doctest/doctest.h>

#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using Words = std::vector<std::string>;

/// The argv of these words after the driver's name.
class CommandLine {
public:
    explicit CommandLine(Words words) : words_(std::move(words)) {
        words_.insert(words_.begin(), "/somewhere/driver");
        for (auto& word : words_) {
            pointers_.push_back(word.data());
        }
        pointers_.push_back(nullptr);
    }

    [[nodiscard]] int argc() const { return static_cast<int>(words_.size()); }

    char** argv() { return pointers_.data(); }

private:
    Words words_;
    std::vector<char*> pointers_;
};

/// Captures what is written to a standard stream during the object's life.
class Captured {
public:
    explicit Captured(std::ostream& stream) : stream_(stream), old_(stream.rdbuf(text_.rdbuf())) {}

    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;

    ~Captured() { stream_.rdbuf(old_); }

    [[nodiscard]] std::string text() const { return text_.str(); }

private:
    std::ostream& stream_;
    std::ostringstream text_;
    std::streambuf* old_;
};

inline const starfmm::DriverText test_driver{"driver", "Sums.", {"--n 10", "--quiet --n 20"}};

/// Parses these words.
/// \param dimension dimension of the driver's points
inline starfmm::DriverOptions parse(const Words& words, int dimension = 2) {
    CommandLine line(words);
    const auto kind = dimension == 2 ? starfmm::drivers::plane : starfmm::drivers::space;
    const auto defaults = starfmm::default_options(kind);
    return starfmm::parse_command_line(line.argc(), line.argv(), test_driver, defaults).value();
}

inline void check_message(const Words& words, const std::string& message, int dimension = 2) {
    CAPTURE(message);
    CHECK_THROWS_WITH_AS(parse(words, dimension), message.c_str(), starfmm::InputError);
}
