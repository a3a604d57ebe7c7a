// SPDX-License-Identifier: BSD-3-Clause
// Translations of softened Taylor expansions in double precision, which all kernels over them
// share.
#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/m2m.hpp"
#include "codelets/sets/compile.hpp"
#include "core/expansions/gravity_kernels3d.hpp"

namespace starfmm {

using Taylor = TranslationOperators<SoftenedTaylor3D<double>>;

template Taylor::Bodies bodies<Taylor, CurrentBackend>();

} // namespace starfmm
