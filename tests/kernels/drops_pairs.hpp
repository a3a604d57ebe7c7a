// SPDX-License-Identifier: BSD-3-Clause
// This kernel has a fault: it is the harmonic kernel without one pair in 1e5.
#pragma once

namespace starfmm {
struct KernelSet;
}

/// Returns the kernel's codelets as a user's kernel gets them, for CPU workers alone. Direct sums
/// miss the same pairs as P2P.
starfmm::KernelSet& drops_pairs();
