// SPDX-License-Identifier: BSD-3-Clause
// Sorting points by their places on the Z-order curve, on one CPU core.
#pragma once

#include "core/tree/morton.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The place of a point, and its index.
struct CurvePoint {
    DeepCode code;
    std::uint32_t index;
};

/// Sorts few points by place, as sort_by_place() does many.
inline void insert_by_place(CurvePoint* points, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
        const CurvePoint point = points[i];
        std::size_t j = i;
        for (; j > 0 && points[j - 1].code > point.code; --j) {
            points[j] = points[j - 1];
        }
        points[j] = point;
    }
}

/// Sorts points by place in about O(n) by a stable distribution sort: by the leading bits in which
/// codes differ, then each bucket by itself, so that clusters of any scale resolve within a few
/// passes.
/// \param spare [n]
inline void sort_by_place(CurvePoint* points, std::size_t n, CurvePoint* spare) {
    constexpr std::size_t few = 24;
    constexpr int most_bits = 8; // 256 streams: more take longer, fewer take more passes
    DeepCode differing = 0;
    for (std::size_t i = 1; i < n; ++i) {
        differing |= points[i].code ^ points[0].code;
    }
    if (n <= few || differing == 0) {
        insert_by_place(points, n);
        return;
    }
    const int bits = std::min(most_bits, static_cast<int>(std::bit_width(n)));
    const int shift = std::max(0, static_cast<int>(std::bit_width(differing)) - bits);
    const std::size_t n_buckets = std::size_t(1) << bits;
    const auto bucket_of = [&](const CurvePoint& point) {
        return (point.code >> shift) & (n_buckets - 1);
    };
    std::uint32_t next[(1U << most_bits) + 1] = {}; // of a bucket; once it is full, its end
    for (std::size_t i = 0; i < n; ++i) {
        ++next[bucket_of(points[i]) + 1];
    }
    for (std::size_t bucket = 1; bucket <= n_buckets; ++bucket) {
        next[bucket] += next[bucket - 1];
    }
    for (std::size_t i = 0; i < n; ++i) {
        spare[next[bucket_of(points[i])]++] = points[i];
    }
    std::copy_n(spare, n, points);
    std::size_t begin = 0;
    for (std::size_t bucket = 0; bucket < n_buckets && shift > 0; ++bucket) {
        sort_by_place(points + begin, next[bucket] - begin, spare);
        begin = next[bucket];
    }
}

} // namespace starfmm
