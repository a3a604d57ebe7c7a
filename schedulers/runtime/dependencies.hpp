// SPDX-License-Identifier: BSD-3-Clause
// This header finds which tasks wait for which, from what the tasks read and write.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace starfmm {

/// How a task uses one datum.
struct DatumAccess {
    std::uintptr_t datum; ///< name of the datum: any number that no other datum has
    starpu_data_access_mode mode;
};

/// Follows the accesses of tasks in the order of their submission, by the rules of StarPU. A reader
/// waits for the last writer, and a writer waits for the readers before it. Writers that commute
/// (`STARPU_COMMUTE`) wait for what came before all of them and not for each other.
/// `STARPU_SCRATCH` waits for nobody.
class Dependencies {
public:
    /// Adds a task and finds its predecessors.
    /// \param task number larger than those of earlier calls
    /// \returns the tasks that `task` waits for, ascending, each once; a task is left out if the
    /// accesses to the same datum show that another one of them has waited for it
    std::vector<std::size_t> add(std::size_t task, std::span<const DatumAccess> accesses);

    /// Forgets all tasks.
    void clear() { data_.clear(); }

private:
    using Tasks = std::vector<std::size_t>;

    /// The last users of one datum.
    struct Users {
        Tasks writers; ///< the last one, or several that commute
        Tasks readers; ///< readers since the last write
        Tasks before;  ///< tasks that each of the commuting writers waited for
        bool commute = false;
    };

    static const Tasks& add_writer(Users& users, std::size_t task, bool commutes);

    std::unordered_map<std::uintptr_t, Users> data_;
};

} // namespace starfmm
