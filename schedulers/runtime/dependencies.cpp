// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/dependencies.hpp"

#include <algorithm>
#include <utility>

namespace starfmm {

/// Makes a task the last writer of a datum, or one more of those that commute.
/// \returns the tasks that the writer waits for
const Dependencies::Tasks& Dependencies::add_writer(Users& users, std::size_t task, bool commutes) {
    if (!commutes || !users.commute || !users.readers.empty()) {
        users.before = std::move(users.readers.empty() ? users.writers : users.readers);
        users.writers.clear();
        users.readers.clear();
        users.commute = commutes;
    }
    users.writers.push_back(task);
    return users.before;
}

std::vector<std::size_t>
Dependencies::add(std::size_t task, std::span<const DatumAccess> accesses) {
    Tasks after;
    for (const DatumAccess& access : accesses) {
        if ((access.mode & STARPU_SCRATCH) != 0) {
            continue;
        }
        Users& users = data_[access.datum];
        const bool writes = (access.mode & STARPU_W) != 0;
        const bool commutes = (access.mode & STARPU_COMMUTE) != 0;
        const Tasks& waits_for = writes ? add_writer(users, task, commutes) : users.writers;
        after.insert(after.end(), waits_for.begin(), waits_for.end());
        if (!writes) {
            users.readers.push_back(task);
        }
    }
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
    std::erase(after, task); // one datum as two of its buffers
    return after;
}

} // namespace starfmm
