// SPDX-License-Identifier: BSD-3-Clause
// Translations of Laurent2D in double precision, which all kernels over it share.
#include "codelets/sets/instantiate_translations.hpp"
#include "core/expansions/laurent2d.hpp"

template <>
starfmm::TranslationBodies
starfmm::translation_bodies<starfmm::Laurent2D<double, false>, starfmm::CurrentBackend>() {
    return own_translations<Laurent2D<double, false>, CurrentBackend>();
}

template <>
starfmm::TranslationBodies
starfmm::translation_bodies<starfmm::Laurent2D<double, true>, starfmm::CurrentBackend>() {
    return own_translations<Laurent2D<double, true>, CurrentBackend>();
}
