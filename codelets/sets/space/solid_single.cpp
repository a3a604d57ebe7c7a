// SPDX-License-Identifier: BSD-3-Clause
// Translations of solid harmonics in single precision, which all kernels over them share.
#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/m2m.hpp"
#include "codelets/sets/compile.hpp"
#include "core/expansions/solid_harmonics3d.hpp"

namespace starfmm {

using Solid = TranslationOperators<SolidHarmonics3D<float>>;

template Solid::Bodies bodies<Solid, CurrentBackend>();

} // namespace starfmm
