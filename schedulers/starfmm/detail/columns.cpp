// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/detail/columns.hpp"

#include "codelets/sets/array_set.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "core/parallel_copy.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>
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

} // namespace

template <class Array>
template <class Serves>
std::optional<Array> ColumnPool::Kept<Array>::take(const Serves& serves) {
    constexpr std::size_t patience = 256; // takes without a use, after which sizes are others
    ++n_takes_;
    std::erase_if(all_, [&](const auto& each) { return n_takes_ - each.second > patience; });
    const auto found = std::ranges::find_if(all_, serves, &std::pair<Array, std::size_t>::first);
    if (found == all_.end()) {
        return std::nullopt;
    }
    Array array = std::move(found->first);
    all_.erase(found);
    return array;
}

GpuArray ColumnPool::take(Runtime& runtime, std::size_t n, std::size_t gpu) {
    auto kept = on_gpu_.take([&](const GpuArray& array) {
        return array.values().size() == n && array.gpu() == gpu;
    });
    if (!kept) {
        return {runtime, n, gpu};
    }
    kept->resident().checked.reset(); // its values will be others
    return std::move(*kept);
}

HostColumn ColumnPool::take(Runtime& runtime, std::size_t n) {
    auto kept = in_host_.take([&](const HostColumn& array) { return array.size() == n; });
    if (!kept) {
        return HostColumn(n);
    }
    if (runtime.n_cuda() > 0 && std::cmp_greater_equal(n, few_values)) {
        kept->lock_pages();
    }
    return std::move(*kept);
}

std::size_t TableMemory::n_bytes() const {
    std::size_t n = 0;
    for (const Stretch& stretch : stretches) {
        n += stretch.n_bytes;
    }
    return n;
}

template <class Void>
TableMemory memory_of(const Tables<Void>& tables) {
    const std::size_t size = size_of(tables.number);
    const auto address = [](Void* data) {
        return static_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(data)));
    };
    TableMemory memory{tables.number, tables.rows, tables.gpu};
    if (tables.arrays.empty()) {
        const Extent extent = extent_of(tables);
        const auto n = static_cast<std::size_t>(extent.highest - extent.lowest) + 1;
        const auto first = extent.lowest * static_cast<std::ptrdiff_t>(size);
        memory.stretches = {{address(tables.data) + first, n * size}};
        memory.first = -extent.lowest;
        memory.to_table = tables.to_table;
        memory.to_row = tables.to_row;
        memory.to_column = tables.to_column;
        return memory;
    }
    for (Void* const array : tables.arrays) {
        memory.stretches.push_back({address(array), tables.rows * size});
    }
    memory.to_row = 1;
    memory.to_column = static_cast<std::ptrdiff_t>(tables.rows);
    memory.to_table = memory.to_column * static_cast<std::ptrdiff_t>(tables.columns);
    return memory;
}

template TableMemory memory_of(const Tables<void>& tables);
template TableMemory memory_of(const Tables<const void>& tables);

template <class Void>
bool travels(const Runtime& runtime, const Tables<Void>& tables) {
    constexpr std::size_t fewest_rows = 100'000;
    constexpr std::size_t share = 16; // of a GPU's memory, which holds columns, too, and trees
    if (tables.gpu || tables.rows < fewest_rows || runtime.home() != Handle::Home::starpu ||
        runtime.n_cuda() != 1 || runtime.n_cpu() > 0 || runtime.n_opencl() > 0) {
        return false;
    }
    const TableMemory memory = memory_of(tables);
    const std::size_t n = memory.n_bytes();
    const bool has_gaps = n > tables.n * tables.rows * tables.columns * size_of(tables.number);
    return !has_gaps && n <= runtime.gpu_memory() / share &&
           !is_page_locked(memory.stretches.front().data);
}

template bool travels(const Runtime& runtime, const Tables<void>& tables);
template bool travels(const Runtime& runtime, const Tables<const void>& tables);

GpuTable::GpuTable(Runtime& runtime, ColumnPool& pool, TableMemory memory, const std::string& name)
    : runtime_(runtime), pool_(pool), lies_(std::move(memory)),
      gpu_(lies_.gpu ? gpu_of_device(runtime, *lies_.gpu, name) : 0) {
    const std::size_t n_bytes = lies_.n_bytes();
    void* data = lies_.stretches.front().data;
    if (lies_.gpu) {
        wait_for_device(*lies_.gpu); // the caller's streams may still write it
    } else {
        const std::size_t n_doubles = (n_bytes + sizeof(double) - 1) / sizeof(double);
        copy_.emplace(pool.take(runtime, n_doubles, gpu_));
        data = copy_->values().data();
    }
    const std::size_t size = size_of(lies_.number);
    memory_ = Handle::in_memory(runtime.gpu_nodes()[gpu_], data, n_bytes / size, size);
}

GpuTable::~GpuTable() {
    memory_ = {};
    if (copy_) {
        pool_.give_back(std::move(*copy_));
    }
}

StagedCopies& GpuTable::copies() const {
    const unsigned node = runtime_.gpu_nodes()[gpu_];
    return runtime_.arrays().staged_copies(starpu_memory_node_get_devid(node));
}

void GpuTable::upload() {
    auto* place = reinterpret_cast<std::byte*>(copy_->values().data());
    for (const Stretch& stretch : lies_.stretches) {
        copies().to_device(place, stretch.data, stretch.n_bytes);
        place += stretch.n_bytes;
    }
}

void GpuTable::download() {
    memory_ = {}; // which is up to date then where it lies
    const auto* place = reinterpret_cast<const std::byte*>(copy_->values().data());
    for (const Stretch& stretch : lies_.stretches) {
        copies().from_device(stretch.data, place, stretch.n_bytes);
        place += stretch.n_bytes;
    }
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
    TaskArgs args = args_on_gpu(runtime_, gpu_, lies_.rows);
    args.table.first = lies_.first + static_cast<std::ptrdiff_t>(table) * lies_.to_table +
                       static_cast<std::ptrdiff_t>(column) * lies_.to_column;
    args.table.step = lies_.to_row;
    args.table.rows = lies_.rows;
    args.table.is_single = lies_.number == Number::float32;
    return args;
}

InputColumns::InputColumns(
    Runtime& runtime, ColumnPool& pool, const Tables<const void>& tables, const Taking& how
)
    : pool_(pool), n_columns_(tables.columns) {
    on_gpu_.reserve(tables.n * tables.columns);
    copies_.reserve(tables.n * tables.columns);
    if (tables.rows > 0 && (tables.gpu || (how.stay && travels(runtime, tables)))) {
        take_from_gpu(runtime, tables, how.name);
        if (!how.stay) {
            bring_home(runtime, tables.rows);
        }
        return;
    }
    for (std::size_t k = 0; k < tables.n; ++k) {
        for (std::size_t c = 0; c < tables.columns; ++c) {
            if (how.borrow && tables.has_arrays()) {
                columns_.push_back(tables.array(k, c));
            } else {
                HostColumn& copy = copies_.emplace_back(pool.take(runtime, tables.rows));
                read_column(tables, k, c, copy.values());
                columns_.emplace_back(copy.values());
            }
        }
    }
}

void InputColumns::take_from_gpu(
    Runtime& runtime, const Tables<const void>& tables, const std::string& name
) {
    runtime.engage(Team::gpus);
    GpuTable table(runtime, pool_, memory_of(tables), name);
    if (!tables.gpu) {
        table.upload();
    }
    for (std::size_t k = 0; k < tables.n; ++k) {
        for (std::size_t c = 0; c < tables.columns; ++c) {
            on_gpu_.push_back(pool_.take(runtime, tables.rows, table.gpu()));
            table.read(k, c, on_gpu_.back());
            columns_.emplace_back(on_gpu_.back().values());
        }
    }
}

void InputColumns::bring_home(Runtime& runtime, std::size_t rows) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        HostColumn& copy = copies_.emplace_back(pool_.take(runtime, rows));
        on_gpu_[i].resident().read(copy.values());
        columns_[i] = copy.values();
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
        if (tables.rows > 0 && (tables.gpu || (stay && travels(runtime, tables)))) {
            gpu_tables_[v] =
                std::make_unique<GpuTable>(runtime, pool, memory_of(tables), values[v].name);
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
    for (std::size_t v = 0; v < values_.size(); ++v) {
        if (gpu_tables_[v] && !values_[v].tables.gpu) {
            gpu_tables_[v]->download();
        }
    }
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
    const TableMemory of_b = memory_of(b);
    return std::ranges::any_of(memory_of(a).stretches, [&](const Stretch& each) {
        return std::ranges::any_of(of_b.stretches, [&](const Stretch& other) {
            return each.data < other.data + other.n_bytes && other.data < each.data + each.n_bytes;
        });
    });
}

} // namespace starfmm::detail
