// SPDX-License-Identifier: BSD-3-Clause
// A kernel with a fault: the harmonic one, of whose pairs one in 1e5 is missing.
#pragma once

namespace starfmm {
struct KernelSet;
}

/// As a user's kernel gets them, for CPU workers alone. Direct sums miss the same pairs as P2P.
starfmm::KernelSet& drops_pairs();
