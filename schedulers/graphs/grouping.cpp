// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/grouping.hpp"

#include "codelets/task/codelet.hpp"
#include "core/tree/pyramid.hpp"

#include <algorithm>
#include <cmath>

namespace starfmm {

namespace {

/// Points below which one GPU takes less time than several GPUs that exchange data.
constexpr std::size_t fewest_points_of_gpus = 20'000'000;

constexpr std::size_t groups_per_worker = 4;
constexpr std::size_t fewest_points_of_group = 4096; // about 200 us of P2P on a core
/// Fewest points of each of many groups on cores: each chunk has a piece of each group, which takes
/// longer to declare than few points take to sort.
constexpr std::size_t fewest_points_of_many = 65'536;
constexpr std::size_t few_groups = 16;

std::size_t wanted_by_cores(int n_cpu) {
    return n_cpu > 1 ? groups_per_worker * n_cpu : 1;
}

std::size_t wanted_by_memory(std::size_t n_points, std::size_t gpu_memory) {
    // The bytes are 24 for each source of 13 neighbours, lists and expansions, for the data of
    // several tasks at a time.
    constexpr std::size_t bytes_per_point = 750;
    return gpu_memory > 0 ? bytes_per_point * n_points / gpu_memory : 1;
}

} // namespace

int default_groups(
    std::size_t n_points, int levels, int n_cpu, int n_cuda, std::size_t gpu_memory
) {
    constexpr std::size_t most_points = 100'000; // what groups hand on stays in the cache
    const bool spread = n_cuda > 1 && n_points >= fewest_points_of_gpus;
    std::size_t wanted = spread ? groups_per_worker * n_cuda : 1;
    if (n_cuda == 0) {
        wanted = std::max(wanted_by_cores(n_cpu), n_points / most_points);
    } else {
        if (n_cpu > 0) { // groups that a core can take without holding up the others
            wanted = max_slots;
        }
        wanted = std::max(wanted, wanted_by_memory(n_points, gpu_memory));
    }
    std::size_t groups = 1;
    constexpr std::size_t siblings = n_boxes<2>(1);
    for (int level = 1; level < levels && groups < wanted && siblings * groups <= max_slots;
         ++level) {
        const bool many = n_cuda == 0 && siblings * groups > few_groups;
        const std::size_t fewest = many ? fewest_points_of_many : fewest_points_of_group;
        if (n_points / (siblings * groups) >= fewest) {
            groups *= siblings;
        }
    }
    return static_cast<int>(groups);
}

int default_runs(
    std::size_t n_points, std::size_t list_words, int n_cpu, int n_cuda, std::size_t gpu_memory
) {
    // Indices have 32 bits; a third is to spare, as groups of equally many points differ in boxes.
    constexpr std::size_t most_words = std::size_t(3) << 30U;
    const std::size_t long_lists = 1 + list_words / most_words;
    std::size_t wanted = 1;
    if (n_cuda == 0) {
        wanted = wanted_by_cores(n_cpu);
    } else if (n_cpu > 0) { // as in default_groups()
        wanted = max_slots;
    } else {
        const std::size_t gpus = n_points >= fewest_points_of_gpus ? n_cuda : 1;
        wanted = (long_lists + gpus - 1) / gpus * gpus; // equally many for each GPU
    }
    wanted = std::max({wanted, long_lists, wanted_by_memory(n_points, gpu_memory)});
    const std::size_t most = std::max<std::size_t>(1, n_points / fewest_points_of_group);
    return static_cast<int>(std::min({wanted, most, std::size_t(max_slots)}));
}

int level_of_groups(int groups) {
    int level = 0;
    while (n_boxes<2>(level) < static_cast<std::size_t>(groups)) {
        ++level;
    }
    return level;
}

int default_chunks(std::size_t n_points, int n_cpu, int n_cuda, std::size_t gpu_memory) {
    constexpr std::size_t bytes_per_point = 150; // data of two tasks: sort, split or deal
    constexpr std::size_t most = max_slots;
    if (n_cuda == 0) {
        // Splits take longer than ranks and sort together, which keep one or two cores busy. Each
        // chunk reads the counts of all others: with k chunks a split takes a / k + b k. There are
        // half as many chunks again as cores, so that no core waits long for the slowest.
        constexpr int fewest_cores = 4;
        constexpr std::size_t fewest_points = 500'000;
        constexpr double points_of_one = 8'000;
        constexpr int most_of_cores = max_slots / 2; // groups then pick from few arrays
        constexpr double of_core = 1.5;
        const double best = std::sqrt(static_cast<double>(n_points) / points_of_one);
        const int wanted = static_cast<int>(std::min(of_core * n_cpu, best));
        const bool is_worth_it = n_cpu >= fewest_cores && n_points >= fewest_points;
        return is_worth_it ? std::clamp(wanted, 1, most_of_cores) : 1;
    }
    std::size_t chunks = gpu_memory > 0 ? 1 + bytes_per_point * n_points / gpu_memory : 1;
    if (n_cuda > 1 && n_points >= fewest_points_of_gpus) {
        chunks = std::max(chunks, static_cast<std::size_t>(n_cuda));
    }
    return static_cast<int>(std::min(chunks, most));
}

} // namespace starfmm
