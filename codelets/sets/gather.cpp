// SPDX-License-Identifier: BSD-3-Clause
// Bodies of strengths and gather.
#include "codelets/exchange/gather.hpp"

#include "codelets/sets/compile.hpp"

namespace starfmm {

template GatherOperators<double>::Bodies bodies<GatherOperators<double>, CurrentBackend>();
template GatherOperators<float>::Bodies bodies<GatherOperators<float>, CurrentBackend>();

} // namespace starfmm
