// SPDX-License-Identifier: BSD-3-Clause
// Which tasks wait for which, as follows from what they read and write.
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
    std::uintptr_t datum; ///< its name: any number that no other datum has
    starpu_data_access_mode mode;
};

/// Follows the accesses of tasks in the order of their submission, by the rules of StarPU: who
/// reads waits for who wrote, who writes for who read; writers that commute (`STARPU_COMMUTE`) wait
/// for what came before all of them and not for each other; `STARPU_SCRATCH` waits for nobody.
class Dependencies {
public:
    /// \param task larger than those of earlier calls
    /// \returns the tasks that it waits for, ascending, each once; those that these waited for are
    /// left out where the same datum tells
    std::vector<std::size_t> add(std::size_t task, std::span<const DatumAccess> accesses);

    /// Forgets all tasks.
    void clear() { data_.clear(); }

private:
    using Tasks = std::vector<std::size_t>;

    /// The last users of a datum.
    struct Users {
        Tasks writers; ///< the last one, or several that commute
        Tasks readers; ///< since then
        Tasks before;  ///< what each of the writers that commute waited for
        bool commute = false;
    };

    static const Tasks& add_writer(Users& users, std::size_t task, bool commutes);

    std::unordered_map<std::uintptr_t, Users> data_;
};

} // namespace starfmm
