// SPDX-License-Identifier: BSD-3-Clause
// Sorting coordinates with their indices on one CPU core.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace starfmm {

/// Stable distribution sort of values, ties by index. The first pass has buckets linear in the
/// value; a crowded bucket is split by the leading bits in which its values differ, so clusters of
/// any scale resolve within a few passes. \tparam Isa keeps the code of instruction sets apart
template <class Real, class Isa>
class RankSorter {
public:
    /// Unsigned integer that is ordered like the value.
    using Key = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;

    struct Record {
        Key key;
        std::uint32_t index;
    };

    struct Result {
        std::uint32_t* rank;  ///< [n], by index
        Real* sorted;         ///< [n], value by rank
        std::uint32_t* order; ///< [n], index by rank
    };

    /// \param x       [n]
    /// \param records [2 n], scratch
    static void sort(const double* x, std::size_t n, Record* records, Result result) {
        const std::size_t n_buckets = std::clamp<std::size_t>(n / few, 1, most_buckets);
        const auto [low, high] = bounds(x, n);
        const Real scale = static_cast<Real>(n_buckets - 1) / (high - low);
        const RankSorter sorter(result);
        if (n_buckets == 1 || !std::isfinite(scale) || !(scale > 0)) {
            for (std::size_t i = 0; i < n; ++i) {
                records[i] = {key_of(value_of(x[i])), static_cast<std::uint32_t>(i)};
            }
            sorter.sort_bits(records, records + n, n, 0);
            return;
        }
        sorter.sort_values(x, n, records, {low, scale, n_buckets});
    }

private:
    static constexpr std::size_t most_buckets = 2048;
    static constexpr std::size_t few = 512;       ///< aim of the first pass
    static constexpr std::size_t in_cache = 4096; ///< a bucket that is finished in the next pass

    struct Buckets {
        Real low;
        Real scale;
        std::size_t n;

        std::size_t operator()(Real value) const {
            return static_cast<std::size_t>(static_cast<std::int32_t>((value - low) * scale));
        }
    };

    explicit RankSorter(Result result) : result_(result) {}

    /// Adding zero turns -0 into +0, so that equal values have equal bits.
    static Real value_of(double x) { return static_cast<Real>(x) + Real(0); }

    static constexpr Key sign = Key(1) << (8 * sizeof(Key) - 1);

    static Key key_of(Real value) {
        const Key bits = std::bit_cast<Key>(value);
        return (bits & sign) != 0 ? ~bits : bits | sign;
    }

    static Real value_of_key(Key key) {
        return std::bit_cast<Real>((key & sign) != 0 ? key ^ sign : ~key);
    }

    static std::pair<Real, Real> bounds(const double* x, std::size_t n) {
        constexpr std::size_t lanes = 32;
        Real low[lanes];
        Real high[lanes];
        std::fill_n(low, lanes, n > 0 ? value_of(x[0]) : Real(0));
        std::copy_n(low, lanes, high);
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const Real value = static_cast<Real>(x[i + lane]);
                low[lane] = value < low[lane] ? value : low[lane];
                high[lane] = value > high[lane] ? value : high[lane];
            }
        }
        for (; i < n; ++i) {
            low[0] = std::min(low[0], static_cast<Real>(x[i]));
            high[0] = std::max(high[0], static_cast<Real>(x[i]));
        }
        return {*std::min_element(low, low + lanes), *std::max_element(high, high + lanes)};
    }

    void sort_values(const double* x, std::size_t n, Record* records, Buckets bucket) const {
        std::array<std::uint32_t, most_buckets + 1> end{};
        for (std::size_t i = 0; i < n; ++i) {
            ++end[bucket(value_of(x[i])) + 1];
        }
        for (std::size_t b = 1; b < bucket.n; ++b) {
            end[b] += end[b - 1];
        }
        for (std::size_t i = 0; i < n; ++i) {
            const Real value = value_of(x[i]);
            records[end[bucket(value)]++] = {key_of(value), static_cast<std::uint32_t>(i)};
        }
        std::size_t begin = 0;
        for (std::size_t b = 0; b < bucket.n; ++b) {
            sort_bits(records + begin, records + n + begin, end[b] - begin, begin);
            begin = end[b];
        }
    }

    /// Sorts n records given in order of index, and writes their results from rank `begin` on.
    void sort_bits(Record* records, Record* spare, std::size_t n, std::size_t begin) const {
        if (n <= 16) {
            insertion_sort(records, n);
            write(records, n, begin);
            return;
        }
        Key low = records[0].key;
        Key high = low;
        for (std::size_t i = 1; i < n; ++i) {
            low = std::min(low, records[i].key);
            high = std::max(high, records[i].key);
        }
        if (low == high) {
            write(records, n, begin);
            return;
        }
        const int bits = std::bit_width(high - low);
        const int wanted = std::min<int>(std::bit_width(most_buckets - 1), std::bit_width(n) + 1);
        const int shift = std::max(bits - wanted, 0);
        const auto end = distribute(records, spare, n, low, shift);
        if (n <= in_cache || shift == 0) {
            insertion_sort(spare, n);
            write(spare, n, begin);
            return;
        }
        std::size_t first = 0;
        for (std::size_t b = 0; first < n; ++b) {
            sort_bits(spare + first, records + first, end[b] - first, begin + first);
            first = end[b];
        }
    }

    /// Ends of the buckets `(key - low) >> shift` in `out`.
    static std::array<std::uint32_t, most_buckets>
    distribute(const Record* in, Record* out, std::size_t n, Key low, int shift) {
        std::array<std::uint32_t, most_buckets> end{};
        for (std::size_t i = 0; i < n; ++i) {
            ++end[(in[i].key - low) >> shift];
        }
        std::uint32_t sum = 0;
        for (std::uint32_t& e : end) {
            const std::uint32_t count = e;
            e = sum;
            sum += count;
        }
        for (std::size_t i = 0; i < n; ++i) {
            out[end[(in[i].key - low) >> shift]++] = in[i];
        }
        return end;
    }

    /// Nearly linear on what `distribute` leaves; where that is too crowded, a comparison sort
    /// takes over.
    static void insertion_sort(Record* records, std::size_t n) {
        std::size_t moves = 0;
        for (std::size_t i = 1; i < n; ++i) {
            const Record record = records[i];
            std::size_t j = i;
            for (; j > 0 && record.key < records[j - 1].key; --j) {
                records[j] = records[j - 1];
            }
            records[j] = record;
            moves += i - j;
            if (moves > 8 * n) {
                std::sort(records, records + n, [](const Record& a, const Record& b) {
                    return a.key < b.key || (a.key == b.key && a.index < b.index);
                });
                return;
            }
        }
    }

    void write(const Record* records, std::size_t n, std::size_t begin) const {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t rank = begin + i;
            result_.sorted[rank] = value_of_key(records[i].key);
            result_.order[rank] = records[i].index;
            result_.rank[records[i].index] = static_cast<std::uint32_t>(rank);
        }
    }

    Result result_;
};

} // namespace starfmm
