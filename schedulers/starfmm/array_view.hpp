// SPDX-License-Identifier: BSD-3-Clause
// Views of the caller's arrays, which sums read and write where they lie.
#pragma once

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace starfmm {

/// The type of an array's numbers.
enum class Number : std::uint8_t { float32, float64 };

namespace detail {

template <class T>
concept RealNumber = std::same_as<T, float> || std::same_as<T, double>;

/// What one element of a container holds: a number, or a std::array of them.
template <class T>
struct Row;

template <RealNumber T>
struct Row<T> {
    using Real = T;
    static constexpr std::size_t width = 1;
};

template <RealNumber T, std::size_t n>
struct Row<std::array<T, n>> {
    using Real = T;
    static constexpr std::size_t width = n;
};

/// A container whose numbers lie side by side: std::vector, std::array and std::span of numbers or
/// of std::arrays of numbers.
template <class Range>
concept Rows = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> && requires {
    Row<std::ranges::range_value_t<Range>>::width;
};

} // namespace detail

/// A view of up to three extents of numbers, which must outlive it. A view without an array is
/// empty.
///
/// Where an array of rows is asked for, as of points (n, D), a view of one extent is taken for the
/// rows one after the other: a std::vector<double> of n D numbers is n points.
/// \tparam Void `void` of numbers that may be written, else `const void`
template <class Void>
class BasicArrayView {
public:
    static constexpr std::size_t most_extents = 3;

    BasicArrayView() = default;

    /// Views a container of numbers, or of rows of them, such as std::vector<double> and
    /// std::vector<std::array<float, 3>>.
    template <class Range>

    requires detail::Rows<std::remove_cvref_t<Range>> && requires(Range& rows) {
        static_cast<Void*>(std::ranges::data(rows));
    }

    BasicArrayView(Range&& rows) // NOLINT(*-explicit-*, *-forward*): a view
        : BasicArrayView(
              std::ranges::data(rows),
              number_of<typename RowOf<Range>::Real>(),
              {std::ranges::size(rows), RowOf<Range>::width},
              RowOf<Range>::width > 1 ? 2 : 1
          ) {}

    /// Views numbers of which those of the last extent lie side by side, as C has them.
    template <class T>
    BasicArrayView(T* data, std::initializer_list<std::size_t> extents)
        : BasicArrayView(
              data, number_of<std::remove_const_t<T>>(), filled(extents), extents.size()
          ) {}

    /// Views numbers that lie anywhere.
    /// \param strides from a number to the next one of an extent; unit: numbers. A stride may be
    /// negative, or zero.
    template <class T>
    BasicArrayView(
        T* data,
        std::initializer_list<std::size_t> extents,
        std::initializer_list<std::ptrdiff_t> strides
    )
        : BasicArrayView(data, extents) {
        if (strides.size() != extents.size()) {
            throw InputError("ArrayView: takes as many strides as extents");
        }
        std::ranges::copy(strides, strides_.begin());
    }

    using Double = std::conditional_t<std::is_const_v<Void>, const double, double>;

    /// Views arrays in host memory as the columns of rows (n, columns), as x, y and z are of
    /// points; or of several tables, one after the other, as (n_tables, n, columns).
    /// \throws InputError for no arrays, arrays of several lengths, or a number of them that is no
    /// multiple of `n_tables`
    [[nodiscard]] static BasicArrayView
    of_columns(const std::vector<std::span<Double>>& arrays, std::size_t n_tables = 1) {
        if (arrays.empty() || n_tables == 0 || arrays.size() % n_tables != 0) {
            throw InputError("ArrayView: each table takes the same number of columns, at least one"
            );
        }
        const std::size_t n = arrays.front().size();
        const std::size_t n_columns = arrays.size() / n_tables;
        BasicArrayView view;
        view.data_ = arrays.front().data();
        view.rank_ = n_tables > 1 ? 3 : 2;
        view.extents_ = n_tables > 1 ? Extents{n_tables, n, n_columns} : Extents{n, n_columns};
        view.strides_[view.rank_ - 2] = 1;
        for (const std::span<Double> array : arrays) {
            if (array.size() != n) {
                throw InputError(
                    "ArrayView: columns of " + std::to_string(n) + " and " +
                    std::to_string(array.size()) + " numbers: must be of one length"
                );
            }
            view.columns_.push_back(array.data());
        }
        return view;
    }

    /// The same numbers in the memory of a GPU, where `data` points to.
    /// \param device CUDA's number of the GPU, which the context works with
    /// \throws InputError for columns that are arrays of their own
    [[nodiscard]] BasicArrayView on_gpu(int device) const {
        if (!columns_.empty()) {
            throw InputError("ArrayView: columns that are arrays of their own lie in host memory");
        }
        BasicArrayView view = *this;
        view.gpu_ = device;
        return view;
    }

    operator BasicArrayView<const void>() const // NOLINT(*-explicit-*): a view of the same
        requires(!std::is_const_v<Void>) {
        BasicArrayView<const void> view;
        view.data_ = data_;
        view.number_ = number_;
        view.rank_ = rank_;
        view.extents_ = extents_;
        view.strides_ = strides_;
        view.gpu_ = gpu_;
        view.columns_.assign(columns_.begin(), columns_.end());
        return view;
    }

    [[nodiscard]] Void* data() const { return data_; }

    [[nodiscard]] Number number() const { return number_; }

    /// Number of extents; 0 without an array.
    [[nodiscard]] std::size_t rank() const { return rank_; }

    [[nodiscard]] std::size_t extent(std::size_t i) const { return extents_[i]; }

    [[nodiscard]] std::ptrdiff_t stride(std::size_t i) const { return strides_[i]; }

    /// The columns of each table, one after the other, if they are arrays of their own.
    [[nodiscard]] std::span<Void* const> columns() const { return columns_; }

    /// CUDA's number of the GPU that the numbers lie on; none in host memory.
    [[nodiscard]] std::optional<int> gpu() const { return gpu_; }

private:
    friend class BasicArrayView<void>;

    using Extents = std::array<std::size_t, most_extents>;

    template <class Range>
    using RowOf = detail::Row<std::ranges::range_value_t<std::remove_cvref_t<Range>>>;

    BasicArrayView(Void* data, Number number, const Extents& extents, std::size_t rank)
        : data_(data), number_(number), rank_(rank), extents_(extents) {
        std::ptrdiff_t stride = 1;
        for (std::size_t i = rank; i-- > 0;) {
            strides_[i] = stride;
            stride *= static_cast<std::ptrdiff_t>(extents_[i]);
        }
    }

    template <detail::RealNumber T>
    static constexpr Number number_of() {
        return std::same_as<T, float> ? Number::float32 : Number::float64;
    }

    static Extents filled(std::initializer_list<std::size_t> extents) {
        if (extents.size() == 0 || extents.size() > most_extents) {
            throw InputError("ArrayView: takes one to three extents");
        }
        Extents all{};
        std::ranges::copy(extents, all.begin());
        return all;
    }

    Void* data_ = nullptr;
    Number number_ = Number::float64;
    std::size_t rank_ = 0;
    Extents extents_{};
    std::array<std::ptrdiff_t, most_extents> strides_{};
    std::optional<int> gpu_;
    std::vector<Void*> columns_;
};

using ArrayView = BasicArrayView<void>;
using ConstArrayView = BasicArrayView<const void>;

} // namespace starfmm
