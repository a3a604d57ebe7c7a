// SPDX-License-Identifier: BSD-3-Clause
// Bodies of strengths and gather, and of what reads, writes and looks at the caller's arrays where
// they lie.
#include "codelets/exchange/gather.hpp"
#include "codelets/exchange/table_columns.hpp"
#include "codelets/inspection/cancellation.hpp"
#include "codelets/sets/compile.hpp"

namespace starfmm {

template ArrayOperators::Bodies bodies<ArrayOperators, CurrentBackend>();
template GatherOperators<double>::Bodies bodies<GatherOperators<double>, CurrentBackend>();
template GatherOperators<float>::Bodies bodies<GatherOperators<float>, CurrentBackend>();

} // namespace starfmm
