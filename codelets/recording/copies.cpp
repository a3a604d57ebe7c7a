// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/recording/copies.hpp"

#include "codelets/recording/device_clocks.hpp"
#include "core/backends.hpp"
#include "core/config.hpp"

#include <algorithm>
#include <utility>

namespace starfmm {

namespace {

bool is_hosts(unsigned memory) {
    return starpu_node_get_kind(memory) == STARPU_CPU_RAM;
}

/// Copies data that has no method of its own; the copy has ended when the call returns.
int copy_any(void* from, unsigned from_memory, void* to, unsigned to_memory, void* channel) {
    const std::size_t n_bytes = size_of(*static_cast<const starpu_vector_interface*>(from));
    const double start = starpu_clock();
    const auto any_to_any = starpu_interface_vector_ops.copy_methods->any_to_any;
    const int code = any_to_any(from, from_memory, to, to_memory, channel);
    if (copy_records().is_on()) {
        copy_records().add({{from_memory, to_memory, n_bytes, start, starpu_clock()}});
    }
    return code;
}

starpu_data_copy_methods make_methods() {
    starpu_data_copy_methods methods{};
    methods.any_to_any = copy_any;
    if constexpr (with_cuda) {
        add_cuda_copies(methods);
    }
    if constexpr (with_opencl) {
        add_opencl_copies(methods);
    }
    return methods;
}

} // namespace

void CopyRecords::begin() {
    const std::scoped_lock lock(mutex_);
    copies_.clear();
    memory_uses_.clear();
    const double now = starpu_clock();
    for (unsigned memory = 0; memory < starpu_memory_nodes_get_count(); ++memory) {
        if (!is_hosts(memory)) {
            memory_uses_.push_back({memory, now, starpu_memory_get_used(memory)});
        }
    }
    is_on_ = true;
}

void CopyRecords::end() {
    is_on_ = false;
    const std::scoped_lock lock(mutex_);
    copies_.clear();
    memory_uses_.clear();
}

std::uint64_t CopyRecords::add(CopyRecord record) {
    const std::scoped_lock lock(mutex_);
    copies_.emplace(++n_copies_, std::move(record));
    return n_copies_;
}

void CopyRecords::ended(std::uint64_t number, double time_s) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = copies_.find(number); found != copies_.end()) {
        found->second.transfer.end_s = time_s;
    }
}

void CopyRecords::note_memory(unsigned memory) {
    if (is_on_ && !is_hosts(memory)) {
        const std::scoped_lock lock(mutex_);
        memory_uses_.push_back({memory, starpu_clock(), starpu_memory_get_used(memory)});
    }
}

void CopyRecords::fail(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    error_ = std::move(error);
}

std::vector<Transfer> CopyRecords::transfers() {
    const std::scoped_lock lock(mutex_);
    if (error_ != nullptr) {
        std::rethrow_exception(std::exchange(error_, nullptr));
    }
    DeviceClocks clocks;
    std::vector<Transfer> transfers;
    for (const auto& [number, copy] : copies_) {
        Transfer transfer = copy.transfer;
        if (copy.begin && copy.end) {
            transfer.start_s = clocks.seconds_at(*copy.begin);
            transfer.end_s = clocks.seconds_at(*copy.end);
        }
        transfers.push_back(transfer);
    }
    std::ranges::stable_sort(transfers, {}, &Transfer::start_s);
    return transfers;
}

std::vector<MemoryUse> CopyRecords::memory_uses() {
    const std::scoped_lock lock(mutex_);
    return memory_uses_;
}

CopyRecords& copy_records() {
    static CopyRecords records;
    return records;
}

const starpu_data_copy_methods& recorded_copies() {
    static const starpu_data_copy_methods methods = make_methods();
    return methods;
}

} // namespace starfmm
