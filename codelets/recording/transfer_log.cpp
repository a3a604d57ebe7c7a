// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/recording/transfer_log.hpp"

#include "codelets/recording/copies.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace starfmm {

namespace {

/// Returns the methods of StarPU's vectors, but that what they copy and allocate is recorded.
starpu_data_interface_ops recorded_vector() {
    starpu_data_interface_ops ops = starpu_interface_vector_ops;
    ops.copy_methods = &recorded_copies();
    ops.allocate_data_on_node = [](void* interface, unsigned memory) {
        const starpu_ssize_t size =
            starpu_interface_vector_ops.allocate_data_on_node(interface, memory);
        copy_records().note_memory(memory);
        return size;
    };
    ops.free_data_on_node = [](void* interface, unsigned memory) {
        starpu_interface_vector_ops.free_data_on_node(interface, memory);
        copy_records().note_memory(memory);
    };
    return ops;
}

/// Returns up to a 16th more than asked. StarPU frees and allocates anew what no unused array fits
/// to the byte, and on a GPU either waits for all that runs there; so arrays whose lengths differ a
/// little, as a tree's from step to step of a run, or from group to group, take each other's place.
std::size_t allocated_size(std::size_t n_bytes) {
    constexpr std::size_t smallest_unit = 256; // as cudaMalloc's
    const std::size_t unit = std::max(std::bit_floor(n_bytes) / 16, smallest_unit);
    return (n_bytes + unit - 1) / unit * unit;
}

} // namespace

TransferLog::TransferLog() {
    copy_records().begin();
}

TransferLog::~TransferLog() {
    copy_records().end();
}

void TransferLog::forget() {
    copy_records().begin();
}

std::vector<Transfer> TransferLog::transfers() {
    return copy_records().transfers();
}

std::vector<MemoryUse> TransferLog::memory_uses() {
    return copy_records().memory_uses();
}

std::string memory_name(unsigned memory) {
    std::array<char, 32> name{};
    starpu_memory_node_get_name(memory, name.data(), name.size());
    return name.data();
}

void register_vector(
    starpu_data_handle_t& handle,
    int home,
    std::uintptr_t data,
    std::size_t n,
    std::size_t value_size
) {
    const auto size = static_cast<std::uint32_t>(n);
    const std::size_t room = allocated_size(n * value_size);
    if (!copy_records().is_on()) {
        starpu_vector_data_register_allocsize(&handle, home, data, size, value_size, room);
        return;
    }
    static starpu_data_interface_ops ops = recorded_vector(); // StarPU keeps its address
    starpu_vector_interface vector{};
    vector.id = STARPU_VECTOR_INTERFACE_ID;
    vector.ptr = data;
    vector.nx = size;
    vector.elemsize = value_size;
    vector.dev_handle = data;
    vector.allocsize = room;
    starpu_data_register(&handle, home, &vector, &ops);
}

} // namespace starfmm
