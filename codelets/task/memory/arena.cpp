// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/memory/arena.hpp"

#include "codelets/recording/transfer_log.hpp"

namespace starfmm {

namespace {

/// The alignment of arrays, cudaMalloc's, which is also the unit of the datum's size, which StarPU
/// keeps in 32 bits.
constexpr std::size_t alignment = 256;

thread_local std::shared_ptr<Arena> current_arena;

} // namespace

Arena::~Arena() {
    if (handle_ != nullptr) {
        starpu_data_unregister_submit(handle_);
    }
}

std::size_t Arena::add(std::size_t n_bytes) {
    const std::size_t offset = n_bytes_;
    n_bytes_ += (n_bytes + alignment - 1) / alignment * alignment;
    return offset;
}

void Arena::register_data() {
    register_vector(handle_, -1, 0, n_bytes_ / alignment, alignment);
}

const std::shared_ptr<Arena>& Arena::current() {
    return current_arena;
}

Arena::Scope::Scope() {
    current_arena = std::make_shared<Arena>();
}

Arena::Scope::~Scope() {
    current_arena.reset();
}

} // namespace starfmm
