// SPDX-License-Identifier: BSD-3-Clause
// Bodies of strengths and gather over float.
#include "codelets/exchange/gather.hpp"
#include "codelets/sets/compile.hpp"

template starfmm::GatherOperators<float>::Bodies
starfmm::bodies<starfmm::GatherOperators<float>, starfmm::CurrentBackend>();
