// SPDX-License-Identifier: BSD-3-Clause
// Translations of Laurent2D in double precision, which all kernels over it share.
#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/m2m.hpp"
#include "codelets/sets/compile.hpp"
#include "core/expansions/laurent2d.hpp"

namespace starfmm {

using WithoutLog = TranslationOperators<Laurent2D<double, false>>;
using WithLog = TranslationOperators<Laurent2D<double, true>>;

template WithoutLog::Bodies bodies<WithoutLog, CurrentBackend>();
template WithLog::Bodies bodies<WithLog, CurrentBackend>();

} // namespace starfmm
