// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of a list of operators, besides their stems; there, `template List::Bodies
// starfmm::bodies<List, starfmm::CurrentBackend>();` gives the list its bodies.
#pragma once

#include "codelets/sets/backend.hpp"
#include "codelets/sets/operators.hpp"

namespace starfmm {

template <class List, class Backend>
typename List::Bodies bodies() {
    return List::template compiled<Backend>();
}

} // namespace starfmm
