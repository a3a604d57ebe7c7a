// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/row_shares.hpp"

#include <algorithm>

namespace starfmm {

namespace {

/// Of n rows, what the GPUs alone are given: a little less than they can do, the rest is shared.
std::size_t rows_of_gpus(std::size_t n, const OperatorCosts& costs, const WorkerCounts& workers) {
    constexpr double settled = 0.9;
    const double gpus = workers.n_cuda / costs.cuda.front().unit;
    const double cores = workers.n_cpu / costs.cpu.unit;
    const double rows = settled * static_cast<double>(n) * gpus / (gpus + cores);
    return static_cast<std::size_t>(rows) / gpu_rows * gpu_rows;
}

} // namespace

std::vector<RowShare>
share_rows(std::size_t n, const OperatorCosts& costs, const WorkerCounts& workers) {
    constexpr std::size_t pieces_of_gpu = 4;
    constexpr std::size_t fewest_rows = 64; // lanes and blocks of a core are full
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
    const std::size_t takers =
        static_cast<std::size_t>(workers.n_cpu) + static_cast<std::size_t>(workers.n_cuda);
    while (begin < n) {
        const std::size_t rest = n - begin;
        const std::size_t share = std::max(fewest_rows, rest / (3 * takers));
        const std::size_t size = std::min(share, rest);
        shares.push_back({begin, size, Takers::all});
        begin += size;
    }
    return shares;
}

std::vector<RowShare> equal_rows(std::size_t n, std::size_t size) {
    std::vector<RowShare> rows;
    for (std::size_t begin = 0; begin < n; begin += size) {
        rows.push_back({begin, std::min(size, n - begin), Takers::all});
    }
    return rows;
}

} // namespace starfmm
