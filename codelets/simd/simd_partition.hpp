// SPDX-License-Identifier: BSD-3-Clause
// Stable partition of pairs of ranks by the compressing permutations of the instruction
// set that this translation unit is compiled for. `Isa` keeps the symbols of instruction sets
// apart.
#pragma once

#include "codelets/tree/sort/sort_task.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace starfmm {

/// Points behind the end of a list that a partition reads and overwrites.
inline constexpr std::size_t partition_slack = 8;

#if defined(__AVX512F__)

/// The pairs whose rank in a direction is below `pivot` go to the front of `pairs`, the others to
/// `upper`; both keep their order. Both have partition_slack behind their ends.
template <int direction, class Isa>
void stable_partition(RankPair* pairs, std::size_t n, std::uint32_t pivot, RankPair* upper) {
    // By x the other rank is cleared; by y it is in the lower half, where it decides nothing.
    const __m512i compared = _mm512_set1_epi64(direction == 0 ? 0xffffffffLL : -1LL);
    const std::uint64_t least = std::uint64_t(pivot) << 32 * direction;
    const __m512i bound = _mm512_set1_epi64(static_cast<long long>(least));
    std::size_t n_lower = 0;
    for (std::size_t i = 0; i < n; i += 8) {
        const unsigned valid = n - i < 8 ? (1U << (n - i)) - 1 : 0xffU;
        const __m512i pair = _mm512_loadu_si512(pairs + i);
        const unsigned below =
            valid & _mm512_cmplt_epu64_mask(_mm512_and_si512(pair, compared), bound);
        const auto chosen = static_cast<__mmask8>(below);
        const auto others = static_cast<__mmask8>(below ^ valid);
        // Not straight into memory, which is microcode on some processors.
        _mm512_storeu_si512(upper + i - n_lower, _mm512_maskz_compress_epi64(others, pair));
        _mm512_storeu_si512(pairs + n_lower, _mm512_maskz_compress_epi64(chosen, pair));
        n_lower += static_cast<std::size_t>(std::popcount(below));
    }
}

#elif defined(__AVX2__)

/// For each choice of 64-bit lanes, the permutation of 32-bit lanes that brings them to the front.
struct CompressTable {
    alignas(32) std::uint32_t lanes[16][8];
};

constexpr CompressTable make_compress_table() {
    CompressTable table{};
    for (std::uint32_t chosen = 0; chosen < 16; ++chosen) {
        std::uint32_t n = 0;
        for (std::uint32_t lane = 0; lane < 4; ++lane) {
            if ((chosen >> lane & 1) != 0) {
                table.lanes[chosen][n++] = 2 * lane;
                table.lanes[chosen][n++] = 2 * lane + 1;
            }
        }
    }
    return table;
}

inline constexpr CompressTable compress_table = make_compress_table();

/// The pairs whose rank in a direction is below `pivot` go to the front of `pairs`, the others to
/// `upper`; both keep their order. Both have partition_slack behind their ends.
template <int direction, class Isa>
void stable_partition(RankPair* pairs, std::size_t n, std::uint32_t pivot, RankPair* upper) {
    const auto store_chosen = [](RankPair* out, __m256i pair, unsigned chosen) {
        const auto* lanes = reinterpret_cast<const __m256i*>(compress_table.lanes[chosen]);
        const __m256i front = _mm256_permutevar8x32_epi32(pair, _mm256_load_si256(lanes));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), front);
    };
    // The rank compared is in the upper half of its lane, the lower half decides nothing. AVX2
    // compares signed numbers, so both sides are moved by half their range.
    const std::uint64_t half = std::uint64_t(1) << 63;
    const std::uint64_t least = std::uint64_t(pivot) << 32;
    const __m256i bound = _mm256_set1_epi64x(static_cast<long long>(half ^ least));
    const __m256i flip = _mm256_set1_epi64x(static_cast<long long>(half));
    std::size_t n_lower = 0;
    for (std::size_t i = 0; i < n; i += 4) {
        const unsigned valid = n - i < 4 ? (1U << (n - i)) - 1 : 0xfU;
        const __m256i pair = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pairs + i));
        const __m256i rank = direction == 0 ? _mm256_slli_epi64(pair, 32) : pair;
        const __m256i is_below = _mm256_cmpgt_epi64(bound, _mm256_xor_si256(flip, rank));
        const unsigned below =
            valid & static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(is_below)));
        store_chosen(upper + i - n_lower, pair, below ^ valid);
        store_chosen(pairs + n_lower, pair, below);
        n_lower += static_cast<std::size_t>(std::popcount(below));
    }
}

#else

/// The pairs whose rank in a direction is below `pivot` go to the front of `pairs`, the others to
/// `upper`; both keep their order. Both have partition_slack behind their ends.
template <int direction, class Isa>
void stable_partition(RankPair* pairs, std::size_t n, std::uint32_t pivot, RankPair* upper) {
    std::size_t n_lower = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const RankPair pair = pairs[i];
        pairs[n_lower] = pair;
        upper[i - n_lower] = pair;
        n_lower += rank_of(pair, direction) < pivot ? 1 : 0;
    }
}

#endif

} // namespace starfmm
