// SPDX-License-Identifier: BSD-3-Clause
// Side streams in a build without CUDA.
#include "codelets/task/side_stream.hpp"

namespace starfmm {

StreamPair::~StreamPair() = default;

void StreamPair::use(Stream /*stream*/) {}

void StreamPair::meet() {}

std::optional<DeviceMark> StreamPair::mark() {
    return std::nullopt;
}

void* stream_in_use() noexcept {
    return nullptr;
}

} // namespace starfmm
