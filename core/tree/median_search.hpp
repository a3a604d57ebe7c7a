// SPDX-License-Identifier: BSD-3-Clause
// The exact median of a node's points, which may lie in several arrays: radix selection over
// (coordinate, user index). Each round counts the candidates by the next bits of what orders them
// and keeps those of one bin, so that arrays exchange counts only.
#pragma once

#include "core/host_device.hpp"
#include "core/tree/geometry.hpp"

#include <bit>
#include <cstdint>

namespace starfmm {

/// Unsigned integers in the order of finite reals; both zeros have one key.
using OrderedKey = std::uint64_t;

inline constexpr OrderedKey sign_bit = OrderedKey(1) << 63;

STARFMM_HOST_DEVICE constexpr OrderedKey to_key(double x) {
    const auto bits = std::bit_cast<OrderedKey>(x == 0.0 ? 0.0 : x);
    return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}

STARFMM_HOST_DEVICE constexpr double from_key(OrderedKey key) {
    return std::bit_cast<double>((key & sign_bit) != 0 ? key & ~sign_bit : ~key);
}

/// Returns the number of bits up to the highest that is set. std::bit_width is 0 in device code.
STARFMM_HOST_DEVICE inline int significant_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
    return 64 - __clzll(static_cast<long long>(bits));
#else
    return static_cast<int>(std::bit_width(bits));
#endif
}

/// The part of a node that one array holds: bounds as keys, if they are measured, and the number of
/// points.
struct NodeExtent {
    using Key = OrderedKey;
    Key min[2];
    Key max[2];
    std::uint32_t count = 0;

    STARFMM_HOST_DEVICE NodeExtent() {
        for (int d = 0; d < 2; ++d) {
            min[d] = ~Key(0);
            max[d] = 0;
        }
    }

    STARFMM_HOST_DEVICE void add(const NodeExtent& other) {
        for (int d = 0; d < 2; ++d) {
            min[d] = other.min[d] < min[d] ? other.min[d] : min[d];
            max[d] = other.max[d] > max[d] ? other.max[d] : max[d];
        }
        count += other.count;
    }

    STARFMM_HOST_DEVICE Bounds<double, 2> bounds() const {
        auto bounds = Bounds<double, 2>::nothing();
        for (int d = 0; d < 2 && count > 0; ++d) {
            bounds.min[d] = from_key(min[d]);
            bounds.max[d] = from_key(max[d]);
        }
        return bounds;
    }
};

/// A point that may be the median of its node.
struct MedianCandidate {
    OrderedKey key;
    std::uint32_t index;
};

/// The bins of a search's candidates.
struct MedianBins {
    static constexpr int bin_bits = 10; ///< bits of a key that one round looks at
    static constexpr std::uint32_t n_bins = 1U << bin_bits;
    static constexpr std::uint32_t no_bin = ~0U;

    /// Returns the number of rounds that decide every search.
    static constexpr int n_rounds() {
        const auto rounds = [](int bits) { return (bits + bin_bits - 1) / bin_bits; };
        return rounds(64) + rounds(32);
    }
};

/// The search in one node, which has no candidate left once it is decided.
struct MedianSearch : MedianBins {
    using Key = OrderedKey;

    Bounds<double, 2> bounds;    ///< bounds of the node
    Key low = ~Key(0);           ///< candidates' keys: from here, the last `key_bits` bits vary
    std::uint32_t index_low = 0; ///< where the indices of candidates with key `low` begin
    std::uint32_t rank = 0;      ///< rank of the upper half's first point among the candidates
    int key_bits = 0;
    int index_bits = 0;
    int direction = 0;

    /// Begins a search.
    /// \param n  number of the node's points
    /// \param n_lower  number of points that go to the lower half; n: all
    STARFMM_HOST_DEVICE static MedianSearch
    begin(const Bounds<double, 2>& bounds, std::uint64_t n, std::uint64_t n_lower) {
        MedianSearch search;
        search.bounds = bounds;
        search.direction = split_direction(bounds);
        if (n_lower < n) {
            search.low = to_key(bounds.min[search.direction]);
            search.key_bits = significant_bits(to_key(bounds.max[search.direction]) - search.low);
            search.index_bits = 32;
            search.rank = static_cast<std::uint32_t>(n_lower);
            search.settle();
        }
        return search;
    }

    STARFMM_HOST_DEVICE bool is_decided() const { return key_bits + index_bits == 0; }

    /// Returns the bin of a candidate in this round; no_bin for other points.
    STARFMM_HOST_DEVICE std::uint32_t bin(Key key, std::uint32_t index) const {
        if (key_bits > 0) {
            const Key bin = (key - low) >> shift(key_bits);
            return bin >> digit(key_bits) == 0 ? static_cast<std::uint32_t>(bin) : no_bin;
        }
        if (index_bits == 0 || key != low) {
            return no_bin;
        }
        const std::uint32_t bin = (index - index_low) >> shift(index_bits);
        return bin >> digit(index_bits) == 0 ? bin : no_bin;
    }

    /// Whether the median is in a bin. It is in none where the node has fewer points than it
    /// should, because the search above it is undecided.
    /// \param n_before  number of candidates in the bins before it
    /// \param n  number of candidates in the bin
    STARFMM_HOST_DEVICE bool is_in(std::uint32_t n_before, std::uint32_t n) const {
        return n_before <= rank && rank - n_before < n;
    }

    /// Keeps the candidates of one bin.
    /// \param n_before candidates in the bins before it, at most `rank`
    STARFMM_HOST_DEVICE void keep(std::uint32_t bin, std::uint32_t n_before) {
        rank -= n_before;
        if (key_bits > 0) {
            low += Key(bin) << shift(key_bits);
            key_bits = shift(key_bits);
            settle();
        } else {
            index_low += bin << shift(index_bits);
            index_bits = shift(index_bits);
        }
    }

    /// Whether a point that is no candidate goes to the lower half.
    STARFMM_HOST_DEVICE bool is_below(Key key, std::uint32_t index) const {
        return key < low || (key == low && index < index_low);
    }

    STARFMM_HOST_DEVICE bool is_candidate(Key key, std::uint32_t index) const {
        return bin(key, index) != no_bin;
    }

    /// Returns the bounds of a half as far as the plane tells them.
    STARFMM_HOST_DEVICE Bounds<double, 2> half(bool upper) const {
        const double plane = low == ~Key(0) ? bounds.max[direction] : from_key(low);
        Bounds<double, 2> half = bounds;
        (upper ? half.min : half.max)[direction] = plane;
        return half;
    }

private:
    /// Ends the search if no point with the median's key goes to the lower half.
    STARFMM_HOST_DEVICE void settle() {
        if (key_bits == 0 && rank == 0) {
            index_bits = 0;
        }
    }

    STARFMM_HOST_DEVICE static int digit(int bits) { return bits < bin_bits ? bits : bin_bits; }

    STARFMM_HOST_DEVICE static int shift(int bits) { return bits - digit(bits); }
};

} // namespace starfmm
