// SPDX-License-Identifier: BSD-3-Clause
// Bodies of what reads and writes the caller's arrays where they lie, and looks at them.
#include "codelets/exchange/table_columns.hpp"
#include "codelets/inspection/cancellation.hpp"
#include "codelets/sets/compile.hpp"

namespace starfmm {

template ArrayOperators::Bodies bodies<ArrayOperators, CurrentBackend>();

} // namespace starfmm
