// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/detail/columns.hpp"

#include "codelets/sets/array_set.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "core/parallel_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace starfmm::detail {

namespace {

constexpr std::size_t size_of(Number number) {
    return number == Number::float32 ? sizeof(float) : sizeof(double);
}

/// First and last number of tables, from their data on.
struct Extent {
    std::ptrdiff_t lowest = 0;
    std::ptrdiff_t highest = 0;
};

template <class Void>
Extent extent_of(const Tables<Void>& tables) {
    Extent extent;
    const auto stretch = [&](std::size_t n, std::ptrdiff_t stride) {
        const std::ptrdiff_t last = n > 0 ? static_cast<std::ptrdiff_t>(n - 1) * stride : 0;
        (last < 0 ? extent.lowest : extent.highest) += last;
    };
    stretch(tables.n, tables.to_table);
    stretch(tables.rows, tables.to_row);
    stretch(tables.columns, tables.to_column);
    return extent;
}

/// Memory that numbers lie in, or between.
struct Stretch {
    std::uintptr_t begin;
    std::uintptr_t end;
};

template <class Void>
std::vector<Stretch> stretches_of(const Tables<Void>& tables) {
    const auto size = static_cast<std::ptrdiff_t>(size_of(tables.number));
    const auto stretch = [size](const void* data, const Extent& extent) {
        const auto at = reinterpret_cast<std::uintptr_t>(data);
        return Stretch{
            at + static_cast<std::uintptr_t>(size * extent.lowest),
            at + static_cast<std::uintptr_t>(size * (extent.highest + 1))};
    };
    std::vector<Stretch> all;
    for (const void* const array : tables.arrays) {
        all.push_back(stretch(array, {0, static_cast<std::ptrdiff_t>(tables.rows) - 1}));
    }
    if (all.empty()) {
        all.push_back(stretch(tables.data, extent_of(tables)));
    }
    return all;
}

Tables<const void> const_tables(const Tables<void>& tables) {
    return {
        tables.data,
        tables.number,
        tables.n,
        tables.rows,
        tables.columns,
        tables.to_table,
        tables.to_row,
        tables.to_column,
        tables.gpu};
}

} // namespace

GpuArray ColumnPool::take(Runtime& runtime, std::size_t n, std::size_t gpu) {
    const auto found = std::ranges::find_if(on_gpu_, [&](const GpuArray& array) {
        return array.values().size() == n && array.gpu() == gpu;
    });
    if (found == on_gpu_.end()) {
        return {runtime, n, gpu};
    }
    GpuArray array = std::move(*found);
    on_gpu_.erase(found);
    array.resident().checked.reset(); // its values will be others
    return array;
}

HostColumn ColumnPool::take(Runtime& runtime, std::size_t n) {
    const auto found =
        std::ranges::find_if(in_host_, [&](const HostColumn& array) { return array.size() == n; });
    if (found == in_host_.end()) {
        return HostColumn(n);
    }
    HostColumn array = std::move(*found);
    in_host_.erase(found);
    if (runtime.n_cuda() > 0 && std::cmp_greater_equal(n, few_values)) {
        array.lock_pages();
    }
    return array;
}

GpuTable::GpuTable(Runtime& runtime, const Tables<const void>& tables, const std::string& name)
    : runtime_(runtime), tables_(tables), gpu_(gpu_of_device(runtime, tables.gpu.value(), name)) {
    wait_for_device(*tables.gpu); // the caller's streams may still write it
    const Extent extent = extent_of(tables);
    lowest_ = extent.lowest;
    const std::size_t size = size_of(tables.number);
    auto* const first = static_cast<std::byte*>(const_cast<void*>(tables.data));
    memory_ = Handle::in_memory(
        runtime.gpu_nodes()[gpu_],
        first + lowest_ * static_cast<std::ptrdiff_t>(size),
        static_cast<std::size_t>(extent.highest - extent.lowest) + 1,
        size
    );
}

void GpuTable::read(std::size_t table, std::size_t column, const GpuArray& into) {
    Handle part = std::move(into.resident().parts(1).front());
    const std::array<Handle*, 2> handles{&part, &memory_};
    runtime_.submit(array_set().get<ReadColumnTask>(), handles, args_of(table, column), 0);
}

void GpuTable::write(const GpuArray& from, std::size_t table, std::size_t column) {
    Handle part = std::move(from.resident().parts(1).front());
    const std::array<Handle*, 2> handles{&memory_, &part};
    runtime_.submit(array_set().get<WriteColumnTask>(), handles, args_of(table, column), 0);
}

TaskArgs GpuTable::args_of(std::size_t table, std::size_t column) const {
    TaskArgs args = args_on_gpu(runtime_, gpu_, tables_.rows);
    args.table.first = tables_.first_of(table, column) - lowest_;
    args.table.step = tables_.to_row;
    args.table.rows = tables_.rows;
    args.table.is_single = tables_.number == Number::float32;
    return args;
}

std::vector<GpuArray>
gpu_columns(Runtime& runtime, const Tables<const void>& tables, const std::string& name) {
    std::vector<GpuArray> columns;
    if (tables.rows == 0) {
        return columns;
    }
    runtime.engage(Team::gpus);
    GpuTable table(runtime, tables, name);
    for (std::size_t c = 0; c < tables.columns; ++c) {
        columns.emplace_back(runtime, tables.rows, table.gpu());
        table.read(0, c, columns.back());
    }
    runtime.wait(); // the table may change afterwards
    return columns;
}

InputColumns::InputColumns(
    Runtime& runtime,
    ColumnPool& pool,
    const Tables<const void>& tables,
    const std::string& name,
    bool stay
)
    : pool_(pool), n_columns_(tables.columns) {
    on_gpu_.reserve(tables.n * tables.columns);
    copies_.reserve(tables.n * tables.columns);
    std::unique_ptr<GpuTable> table;
    if (tables.gpu && tables.rows > 0) {
        runtime.engage(Team::gpus);
        table = std::make_unique<GpuTable>(runtime, tables, name);
    }
    for (std::size_t k = 0; k < tables.n; ++k) {
        for (std::size_t c = 0; c < tables.columns; ++c) {
            if (table) {
                on_gpu_.push_back(pool.take(runtime, tables.rows, table->gpu()));
                table->read(k, c, on_gpu_.back());
                columns_.emplace_back(on_gpu_.back().values());
            } else if (tables.has_arrays()) {
                columns_.push_back(tables.array(k, c));
            } else {
                HostColumn& copy = copies_.emplace_back(pool.take(runtime, tables.rows));
                read_column(tables, k, c, copy.values());
                columns_.emplace_back(copy.values());
            }
        }
    }
    if (table && !stay) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            HostColumn& copy = copies_.emplace_back(pool.take(runtime, tables.rows));
            on_gpu_[i].resident().read(copy.values());
            columns_[i] = copy.values();
        }
    }
}

InputColumns::~InputColumns() {
    for (GpuArray& array : on_gpu_) {
        pool_.give_back(std::move(array));
    }
    for (HostColumn& array : copies_) {
        pool_.give_back(std::move(array));
    }
}

StrengthsRef InputColumns::strengths(std::size_t table) const {
    return StrengthsRef(
        column(table, 0), n_columns_ > 1 ? column(table, 1) : std::span<const double>()
    );
}

std::vector<StrengthsRef> InputColumns::all_strengths() const {
    std::vector<StrengthsRef> all;
    for (std::size_t k = 0; k * n_columns_ < columns_.size(); ++k) {
        all.push_back(strengths(k));
    }
    return all;
}

OutputColumns::OutputColumns(
    Runtime& runtime, ColumnPool& pool, std::span<const ValueTable> values, bool stay, bool apart
)
    : runtime_(runtime), pool_(pool), values_(values), stay_(stay), apart_(apart),
      gpu_tables_(values.size()), results_(values.front().tables.n) {
    for (std::size_t v = 0; v < values.size(); ++v) {
        const Tables<void>& tables = values[v].tables;
        if (tables.gpu && tables.rows > 0) {
            gpu_tables_[v] =
                std::make_unique<GpuTable>(runtime, const_tables(tables), values[v].name);
        }
        for (std::size_t k = 0; k < tables.n; ++k) {
            for (std::size_t c = 0; c < tables.columns; ++c) {
                results_[k][values[v].first + c] = place(v, k, c);
            }
        }
    }
}

std::span<double>
OutputColumns::place(std::size_t table_of, std::size_t table, std::size_t column) {
    const Tables<void>& tables = values_[table_of].tables;
    const bool is_on_gpu = gpu_tables_[table_of] != nullptr;
    if (!is_on_gpu && tables.has_arrays() && !apart_) {
        return tables.array(table, column);
    }
    Copy& copy = copies_.emplace_back(Copy{table_of, table, column, {}, {}});
    if (is_on_gpu) {
        copy.on_gpu.emplace(pool_.take(runtime_, tables.rows, gpu_tables_[table_of]->gpu()));
    }
    if (is_on_gpu && stay_) {
        return copy.on_gpu->values();
    }
    copy.host.emplace(pool_.take(runtime_, tables.rows));
    return copy.host->values();
}

void OutputColumns::finish() {
    if (copies_.empty()) {
        return;
    }
    runtime_.engage(Team::gpus);
    for (Copy& copy : copies_) {
        if (!copy.on_gpu) {
            const Tables<void>& tables = values_[copy.table_of].tables;
            write_column(copy.host->values(), tables, copy.table, copy.column);
            continue;
        }
        if (copy.host) {
            copy.on_gpu->resident().assign(copy.host->values());
        }
        gpu_tables_[copy.table_of]->write(*copy.on_gpu, copy.table, copy.column);
    }
    runtime_.wait();
    gpu_tables_.clear(); // their values come home
}

OutputColumns::~OutputColumns() {
    for (Copy& copy : copies_) {
        if (copy.on_gpu) {
            pool_.give_back(std::move(*copy.on_gpu));
        }
        if (copy.host) {
            pool_.give_back(std::move(*copy.host));
        }
    }
}

bool overlap(const Tables<const void>& a, const Tables<void>& b) {
    if (a.gpu != b.gpu || a.rows == 0 || b.rows == 0) {
        return false;
    }
    const std::vector<Stretch> of_b = stretches_of(b);
    return std::ranges::any_of(stretches_of(a), [&](const Stretch& of_a) {
        return std::ranges::any_of(of_b, [&](const Stretch& each) {
            return of_a.begin < each.end && each.begin < of_a.end;
        });
    });
}

} // namespace starfmm::detail
