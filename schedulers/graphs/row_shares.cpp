// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/row_shares.hpp"

#include "schedulers/runtime/policy.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <algorithm>

namespace starfmm {

namespace {

/// Number of shares into which each GPU's own rows are cut.
constexpr std::size_t pieces_of_gpu = 4;

std::size_t n_takers(const WorkerCounts& workers) {
    return static_cast<std::size_t>(workers.n_cpu) + static_cast<std::size_t>(workers.n_cuda);
}

/// Rows that are given to the GPUs alone, of n rows: a little less than they can do, as the rest is
/// shared.
std::size_t rows_of_gpus(std::size_t n, const OperatorCosts& costs, const WorkerCounts& workers) {
    constexpr double settled = 0.9;
    const double gpus = workers.n_cuda / costs.cuda.front().unit;
    const double cores = workers.n_cpu / costs.cpu.unit;
    const double rows = settled * static_cast<double>(n) * gpus / (gpus + cores);
    return static_cast<std::size_t>(rows) / gpu_rows * gpu_rows;
}

/// Rows of the largest shares: a GPU takes all of them at its full rate, and a core does not take
/// long.
std::size_t most_rows(std::size_t rows_of_cores, int n_cpu) {
    constexpr std::size_t shares_of_core = 16;
    const std::size_t rows = rows_of_cores / (shares_of_core * static_cast<std::size_t>(n_cpu));
    return std::max(gpu_rows, rows / gpu_rows * gpu_rows);
}

/// Rows of the smallest shares, the last that a core takes. They are a small part of a core's time,
/// but not so small that a GPU, which takes as long for fewer rows as for `gpu_rows`, is no faster
/// than a core.
std::size_t fewest_rows(std::size_t rows_of_cores, int n_cpu) {
    constexpr std::size_t block = 64; // lanes and blocks of a core are full
    constexpr std::size_t most = gpu_rows / 4;
    constexpr std::size_t shares_of_core = 27;
    const std::size_t rows = rows_of_cores / (shares_of_core * static_cast<std::size_t>(n_cpu));
    return std::clamp(rows / block * block, block, most);
}

} // namespace

std::vector<RowShare>
share_rows(std::size_t n, const OperatorCosts& costs, const WorkerCounts& workers) {
    std::vector<RowShare> shares;
    const std::size_t settled = rows_of_gpus(n, costs, workers);
    const std::size_t pieces = pieces_of_gpu * static_cast<std::size_t>(workers.n_cuda);
    const std::size_t piece =
        std::max(gpu_rows, (settled / pieces + gpu_rows - 1) / gpu_rows * gpu_rows);
    std::size_t begin = 0;
    while (begin < settled) {
        const std::size_t size = std::min(piece, settled - begin);
        shares.push_back({begin, size, Takers::gpus});
        begin += size;
    }
    const std::size_t takers = n_takers(workers);
    const std::size_t fewest = fewest_rows(n - begin, workers.n_cpu);
    const std::size_t most = most_rows(n - begin, workers.n_cpu);
    while (begin < n) {
        const std::size_t rest = n - begin;
        const std::size_t share = std::clamp(rest / (3 * takers), fewest, most);
        const std::size_t whole = share > gpu_rows ? share / gpu_rows * gpu_rows : share;
        const std::size_t size = std::min(whole, rest);
        shares.push_back({begin, size, Takers::all});
        begin += size;
    }
    return shares;
}

void await_takers(Runtime& runtime, Takers takers) {
    constexpr std::size_t in_hand = 2; // shares of each worker: the one that it sums, and the next
    const WorkerCounts& workers = runtime.engaged();
    const bool is_shared = takers == Takers::all && workers.n_cpu > 0 && workers.n_cuda > 0;
    if (is_shared && !shares_among_cores(runtime.policy())) {
        const std::size_t of_gpus = pieces_of_gpu * static_cast<std::size_t>(workers.n_cuda);
        runtime.wait_for_all_but(of_gpus + in_hand * n_takers(workers));
    }
}

std::vector<RowShare> equal_rows(std::size_t n, std::size_t size) {
    std::vector<RowShare> rows;
    for (std::size_t begin = 0; begin < n; begin += size) {
        rows.push_back({begin, std::min(size, n - begin), Takers::all});
    }
    return rows;
}

} // namespace starfmm
