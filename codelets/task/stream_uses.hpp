// SPDX-License-Identifier: BSD-3-Clause
// The parts of a task on two streams that must wait for the other stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starfmm {

/// One array that a part uses.
struct StreamUse {
    std::uint32_t datum;
    std::size_t offset; ///< offset of the array within the datum
    bool is_written;
    bool is_aside; ///< whether the part is on the stream aside
};

/// The arrays that both streams have used since they met.
class StreamUses {
public:
    /// Takes the arrays of the next part.
    /// \return whether the part depends on the other stream: then both streams meet before it
    bool must_meet(std::span<const StreamUse> part) {
        const bool meets = std::any_of(part.begin(), part.end(), [&](const StreamUse& use) {
            return std::any_of(uses_.begin(), uses_.end(), [&](const StreamUse& earlier) {
                return depends(earlier, use);
            });
        });
        if (meets) {
            uses_.clear();
        }
        uses_.insert(uses_.end(), part.begin(), part.end());
        return meets;
    }

    void clear() { uses_.clear(); }

private:
    static bool depends(const StreamUse& earlier, const StreamUse& use) {
        return earlier.is_aside != use.is_aside && earlier.datum == use.datum &&
               earlier.offset == use.offset && (earlier.is_written || use.is_written);
    }

    std::vector<StreamUse> uses_;
};

} // namespace starfmm
