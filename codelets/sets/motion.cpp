// SPDX-License-Identifier: BSD-3-Clause
// Bodies of what moves bodies.
#include "codelets/motion/advance.hpp"
#include "codelets/motion/energies.hpp"
#include "codelets/sets/compile.hpp"

namespace starfmm {

template MotionOperators::Bodies bodies<MotionOperators, CurrentBackend>();

} // namespace starfmm
