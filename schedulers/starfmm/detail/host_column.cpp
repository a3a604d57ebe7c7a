// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/detail/host_column.hpp"

#include <limits>
#include <new>
#include <utility>

namespace starfmm::detail {

namespace {

constexpr std::size_t page = 4096; // of which no other array has a part: pages are locked once

std::size_t bytes_of(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(double) - page) {
        throw std::bad_alloc();
    }
    return (n * sizeof(double) + page - 1) / page * page;
}

} // namespace

HostColumn::HostColumn(std::size_t n) : pages_(allocate_pages(bytes_of(n) + page)), n_(n) {
    void* first = pages_.get();
    std::size_t room = bytes_of(n) + page;
    data_ = static_cast<double*>(std::align(page, bytes_of(n), first, room));
}

HostColumn& HostColumn::operator=(HostColumn&& other) noexcept { // a lock ends before its pages
    std::swap(pages_, other.pages_);
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    std::swap(lock_, other.lock_);
    return *this;
}

void HostColumn::lock_pages() {
    if (!lock_ && n_ > 0) {
        lock_.emplace(data_, bytes_of(n_));
    }
}

} // namespace starfmm::detail
