// SPDX-License-Identifier: BSD-3-Clause
// The columns of the caller's tables as sums take them: where they lie, if that is an array of
// doubles, else copies, in host memory or on a GPU.
#pragma once

#include "core/particles/points.hpp"
#include "schedulers/runtime/gpu_array.hpp"
#include "starfmm/detail/host_column.hpp"
#include "starfmm/detail/table.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starfmm::detail {

/// Arrays, on GPUs and in host memory, that are used again from one call to the next. What no call
/// uses for a while goes.
class ColumnPool {
public:
    /// Gives an array of `n` values, which is the caller's until the pool has it back.
    [[nodiscard]] GpuArray take(Runtime& runtime, std::size_t n, std::size_t gpu);

    /// The same in host memory. An array that is used for the second time is page-locked, if it is
    /// large and there are GPUs: once, that takes longer than it saves.
    [[nodiscard]] HostColumn take(Runtime& runtime, std::size_t n);

    void give_back(GpuArray&& array) { on_gpu_.add(std::move(array)); }

    void give_back(HostColumn&& array) { in_host_.add(std::move(array)); }

private:
    template <class Array>
    class Kept {
    public:
        void add(Array&& array) { all_.emplace_back(std::move(array), n_takes_); }

        template <class Serves>
        std::optional<Array> take(const Serves& serves);

    private:
        std::vector<std::pair<Array, std::size_t>> all_; ///< with n_takes_ when it came
        std::size_t n_takes_ = 0;
    };

    Kept<GpuArray> on_gpu_;
    Kept<HostColumn> in_host_;
};

/// A stretch of memory.
struct Stretch {
    std::byte* data;
    std::size_t n_bytes;
};

/// The memory of tables: the stretches that numbers lie in, or between, and where numbers are once
/// these lie one after the other.
struct TableMemory {
    Number number;
    std::size_t rows;
    std::optional<int> gpu{};
    std::vector<Stretch> stretches{};
    std::ptrdiff_t first = 0; ///< number of the first, from the first stretch on; strides as Tables
    std::ptrdiff_t to_table = 0;
    std::ptrdiff_t to_row = 0;
    std::ptrdiff_t to_column = 0;

    [[nodiscard]] std::size_t n_bytes() const;
};

template <class Void>
[[nodiscard]] TableMemory memory_of(const Tables<Void>& tables);

extern template TableMemory memory_of(const Tables<void>& tables);
extern template TableMemory memory_of(const Tables<const void>& tables);

/// Whether tables in host memory travel to the GPU as they lie, which splits them into columns: large
/// ones without gaps, in pageable memory, that are a small part of what a single GPU holds, which
/// works alone. Cores would copy each column first, and the link would wait.
template <class Void>
[[nodiscard]] bool travels(const Runtime& runtime, const Tables<Void>& tables);

/// A table of the caller's on a GPU, or a copy of one in host memory, whose columns tasks copy.
class GpuTable {
public:
    /// \param name in messages
    /// \throws InputError if the runtime does not work with that GPU
    GpuTable(Runtime& runtime, ColumnPool& pool, TableMemory memory, const std::string& name);
    GpuTable(const GpuTable&) = delete;
    GpuTable& operator=(const GpuTable&) = delete;
    ~GpuTable();

    [[nodiscard]] std::size_t gpu() const { return gpu_; }

    /// Brings the copy to the GPU.
    void upload();

    /// Brings the copy back, whose tasks have ended. No column is read or written afterwards.
    void download();

    /// Copies a column. \param column of the table's GPU
    void read(std::size_t table, std::size_t column, const GpuArray& into);

    /// Writes a column.
    void write(const GpuArray& from, std::size_t table, std::size_t column);

private:
    [[nodiscard]] TaskArgs args_of(std::size_t table, std::size_t column) const;
    [[nodiscard]] StagedCopies& copies() const;

    Runtime& runtime_;
    ColumnPool& pool_;
    TableMemory lies_;
    std::size_t gpu_;
    std::optional<GpuArray> copy_; ///< of tables in host memory
    Handle memory_;
};

/// How an input is taken.
struct Taking {
    std::string name;   ///< in messages
    bool stay;          ///< whether columns may lie on a GPU, or come to the host
    bool borrow = true; ///< whether arrays of doubles in host memory are taken where they lie
};

/// The columns of an input. Unless they are borrowed, the caller's tables may change.
class InputColumns {
public:
    /// \param pool must outlive the object
    InputColumns(
        Runtime& runtime, ColumnPool& pool, const Tables<const void>& tables, const Taking& how
    );

    InputColumns(const InputColumns&) = delete;
    InputColumns& operator=(const InputColumns&) = delete;
    ~InputColumns();

    [[nodiscard]] const std::vector<std::span<const double>>& all() const { return columns_; }

    [[nodiscard]] std::span<const double> column(std::size_t table, std::size_t column) const {
        return columns_[table * n_columns_ + column];
    }

    /// Strengths of a right-hand side: one or two columns.
    [[nodiscard]] StrengthsRef strengths(std::size_t table) const;

    [[nodiscard]] std::vector<StrengthsRef> all_strengths() const;

private:
    void take_from_gpu(Runtime& runtime, const Tables<const void>& tables, const std::string& name);
    void bring_home(Runtime& runtime, std::size_t rows);

    ColumnPool& pool_;
    std::size_t n_columns_;
    std::vector<GpuArray> on_gpu_;
    std::vector<HostColumn> copies_;
    std::vector<std::span<const double>> columns_; ///< table by table
};

/// A table of values, which are the components of a kernel's from `first` on.
struct ValueTable {
    Tables<void> tables;
    std::size_t first;
    std::string name;
};

/// The columns of all values, for sums to write.
class OutputColumns {
public:
    /// \param apart whether no column is written where it lies, for it may be an input
    OutputColumns(
        Runtime& runtime,
        ColumnPool& pool,
        std::span<const ValueTable> values,
        bool stay,
        bool apart
    );

    OutputColumns(const OutputColumns&) = delete;
    OutputColumns& operator=(const OutputColumns&) = delete;
    ~OutputColumns();

    [[nodiscard]] std::span<const ResultsRef> results() const { return results_; }

    /// Brings the values to where the caller has them.
    void finish();

private:
    /// A column that is not written where it lies.
    struct Copy {
        std::size_t table_of; ///< number of the ValueTable
        std::size_t table;
        std::size_t column;
        std::optional<HostColumn> host;
        std::optional<GpuArray> on_gpu;
    };

    std::span<double> place(std::size_t table_of, std::size_t table, std::size_t column);

    Runtime& runtime_;
    ColumnPool& pool_;
    std::span<const ValueTable> values_;
    bool stay_;
    bool apart_;
    std::vector<std::unique_ptr<GpuTable>> gpu_tables_; ///< of each ValueTable that has copies
    std::deque<Copy> copies_;                           ///< addresses stay
    std::vector<ResultsRef> results_;
};

/// Whether two tables have memory in common, or may have: both lie between the same two numbers.
[[nodiscard]] bool overlap(const Tables<const void>& a, const Tables<void>& b);

} // namespace starfmm::detail
