// SPDX-License-Identifier: BSD-3-Clause
// Sorting coordinates with their indices on one CPU core.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace starfmm {

/// A stable distribution sort of values, with ties by index, in about O(n). The first pass has
/// buckets linear in the value; a bucket with too many values is split by the leading bits in which
/// its values differ, so that clusters of any scale resolve within a few passes. A bucket that fits
/// into the first cache is finished in 32-bit words.
/// \tparam Isa keeps the code of instruction sets apart
template <class Isa>
class RankSorter {
public:
    struct Record {
        double value;
        std::uint32_t index;
        std::uint32_t rest; ///< the next `rest_bits` of the value's position within its bucket
    };

    struct Result {
        double* sorted;       ///< [n], value by rank
        std::uint32_t* order; ///< [n], index by rank
    };

    /// Sorts the values `x`.
    /// \param x       [n]
    /// \param records [2 n], scratch
    static void sort(const double* x, std::size_t n, Record* records, Result result) {
        const RankSorter sorter(result);
        const std::size_t n_buckets = std::clamp<std::size_t>(n / few, 1, most_buckets);
        const auto [low, high] = bounds(x, n);
        // Below n_buckets even after rounding, which is monotone: so is the bucket.
        const double scale =
            (static_cast<double>(n_buckets) - 0x1p-10) * (1U << rest_bits) / (high - low);
        if (n > 0 && std::isfinite(scale) && scale > 0) {
            sorter.sort_values(x, n, records, {low, scale});
            return;
        }
        for (std::size_t i = 0; i < n; ++i) {
            records[i] = {value_of(x[i]), static_cast<std::uint32_t>(i), 0};
        }
        sorter.sort_bits(records, records + n, n, 0);
    }

private:
    static constexpr std::size_t most_buckets = 1024; ///< more streams than these thrash the caches
    static constexpr std::size_t few = 768; ///< number of values in a bucket that a pass aims at
    static constexpr int slot_bits = 12;
    static constexpr int rest_bits = 32 - slot_bits;
    static constexpr std::uint32_t slot_mask = (1U << slot_bits) - 1;
    static constexpr std::uint32_t rest_mask = (1U << rest_bits) - 1;

    using Key = std::uint64_t; ///< bits that are ordered like the value

    /// The integer position of a value: its bucket, then `rest_bits` within that.
    struct Linear {
        double low;
        double scale;

        std::uint64_t operator()(double value) const {
            return static_cast<std::uint64_t>(static_cast<std::int64_t>((value - low) * scale));
        }
    };

    explicit RankSorter(Result result) : result_(result) {}

    /// Returns the value without its sign if it is zero: adding zero turns -0 into +0, so that
    /// equal values have equal bits.
    static double value_of(double x) { return x + 0.0; }

    static Key key_of(double value) {
        constexpr Key sign = Key(1) << 63;
        const Key bits = std::bit_cast<Key>(value);
        return (bits & sign) != 0 ? ~bits : bits | sign;
    }

    static std::pair<double, double> bounds(const double* x, std::size_t n) {
        constexpr std::size_t lanes = 32;
        std::array<double, lanes> low;
        low.fill(n > 0 ? x[0] : 0);
        std::array<double, lanes> high = low;
        const std::size_t n_full = n / lanes * lanes;
        for (std::size_t i = 0; i < n_full; i += lanes) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                low[lane] = x[i + lane] < low[lane] ? x[i + lane] : low[lane];
                high[lane] = x[i + lane] > high[lane] ? x[i + lane] : high[lane];
            }
        }
        for (std::size_t i = n_full; i < n; ++i) {
            low[0] = std::min(low[0], x[i]);
            high[0] = std::max(high[0], x[i]);
        }
        return {
            value_of(*std::min_element(low.begin(), low.end())),
            value_of(*std::max_element(high.begin(), high.end()))};
    }

    using Ends = std::array<std::uint32_t, most_buckets>;

    static void to_begins(Ends& counts) {
        std::uint32_t sum = 0;
        for (std::uint32_t& count : counts) {
            sum += std::exchange(count, sum);
        }
    }

    void sort_values(const double* x, std::size_t n, Record* records, Linear position) const {
        Ends end{};
        for (std::size_t i = 0; i < n; ++i) {
            ++end[position(value_of(x[i])) >> rest_bits];
        }
        to_begins(end);
        for (std::size_t i = 0; i < n; ++i) {
            const double value = value_of(x[i]);
            const std::uint64_t p = position(value);
            records[end[p >> rest_bits]++] = {
                value, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(p) & rest_mask};
        }
        sort_buckets(records, records + n, n, end, 0);
    }

    /// Sorts the records of each bucket, given in order of index and with their position within it.
    void sort_buckets(
        Record* buckets, Record* room, std::size_t n, const Ends& end, std::size_t begin
    ) const {
        std::size_t first = 0;
        for (std::size_t b = 0; first < n; ++b) {
            const std::size_t count = end[b] - first;
            if (count <= slot_mask) {
                sort_in_cache(buckets + first, count, begin + first);
            } else {
                sort_bits(buckets + first, room + first, count, begin + first);
            }
            first = end[b];
        }
    }

    /// Sorts n records given in order of index, and writes their results from rank `begin` on.
    void sort_bits(Record* records, Record* spare, std::size_t n, std::size_t begin) const {
        Key low = ~Key(0);
        Key high = 0;
        for (std::size_t i = 0; i < n; ++i) {
            low = std::min(low, key_of(records[i].value));
            high = std::max(high, key_of(records[i].value));
        }
        const auto wanted =
            static_cast<int>(std::bit_width(std::clamp<std::size_t>(n / few, 1, most_buckets - 1)));
        const int shift = std::max(static_cast<int>(std::bit_width(high - low)) - wanted, 0);
        Ends end{};
        for (std::size_t i = 0; i < n; ++i) {
            ++end[(key_of(records[i].value) - low) >> shift];
        }
        to_begins(end);
        for (std::size_t i = 0; i < n; ++i) {
            const Key position = key_of(records[i].value) - low;
            const auto rest = static_cast<std::uint32_t>(
                shift > rest_bits ? position >> (shift - rest_bits)
                                  : position << (rest_bits - shift)
            );
            spare[end[position >> shift]++] = {
                records[i].value, records[i].index, rest & rest_mask};
        }
        if (shift == 0) {
            write(spare, n, begin);
        } else {
            sort_buckets(spare, records, n, end, begin);
        }
    }

    /// Sorts words (rest, slot of the record): distribution by their leading bits, then exchanges
    /// of neighbours, which have no branches to mispredict, then insertion.
    void sort_in_cache(const Record* records, std::size_t n, std::size_t begin) const {
        std::array<std::uint32_t, slot_mask + 1> words;
        distribute_words(records, n, words.data());
        for (int pass = 0; pass < 2 && n > 1; ++pass) {
            exchange_neighbours(words.data(), n);
            exchange_neighbours(words.data() + 1, n - 1);
        }
        if (!insertion_sort(records, words.data(), n)) {
            std::sort(words.data(), words.data() + n, [records](std::uint32_t a, std::uint32_t b) {
                const double x = records[a & slot_mask].value;
                const double y = records[b & slot_mask].value;
                return x < y || (x == y && (a & slot_mask) < (b & slot_mask));
            });
        }
        for (std::size_t i = 0; i < n; ++i) {
            write(records + (words[i] & slot_mask), 1, begin + i);
        }
    }

    static void distribute_words(const Record* records, std::size_t n, std::uint32_t* words) {
        const int bits = std::min(static_cast<int>(std::bit_width(n)), slot_bits - 1);
        const int shift = rest_bits - bits;
        const std::size_t n_buckets = std::size_t(1) << bits;
        std::array<std::uint16_t, std::size_t(1) << (slot_bits - 1)> end;
        std::fill_n(end.begin(), n_buckets, 0);
        for (std::size_t i = 0; i < n; ++i) {
            ++end[records[i].rest >> shift];
        }
        unsigned sum = 0;
        for (std::size_t b = 0; b < n_buckets; ++b) {
            sum += std::exchange(end[b], static_cast<std::uint16_t>(sum));
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t rest = records[i].rest;
            words[end[rest >> shift]++] = rest << slot_bits | static_cast<std::uint32_t>(i);
        }
    }

    static void exchange_neighbours(std::uint32_t* words, std::size_t n) {
        for (std::size_t i = 0; i < n / 2; ++i) {
            const std::uint32_t a = words[2 * i];
            const std::uint32_t b = words[2 * i + 1];
            words[2 * i] = a < b ? a : b;
            words[2 * i + 1] = a < b ? b : a;
        }
    }

    /// Makes what little order by value is left to make. \returns false where it is too much
    static bool insertion_sort(const Record* records, std::uint32_t* words, std::size_t n) {
        std::size_t moves = 0;
        for (std::size_t i = 1; i < n; ++i) {
            const std::uint32_t word = words[i];
            const double value = records[word & slot_mask].value;
            std::size_t j = i;
            for (; j > 0 && value < records[words[j - 1] & slot_mask].value; --j) {
                words[j] = words[j - 1];
            }
            words[j] = word;
            moves += i - j;
            if (moves > 8 * n) {
                return false;
            }
        }
        return true;
    }

    void write(const Record* records, std::size_t n, std::size_t begin) const {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t rank = begin + i;
            result_.sorted[rank] = records[i].value;
            result_.order[rank] = records[i].index;
        }
    }

    Result result_;
};

} // namespace starfmm
