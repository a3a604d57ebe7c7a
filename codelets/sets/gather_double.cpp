// SPDX-License-Identifier: BSD-3-Clause
// Bodies of strengths and gather over double.
#include "codelets/exchange/gather.hpp"
#include "codelets/sets/compile.hpp"

template starfmm::GatherOperators<double>::Bodies
starfmm::bodies<starfmm::GatherOperators<double>, starfmm::CurrentBackend>();
