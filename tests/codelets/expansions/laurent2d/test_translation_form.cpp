// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/expansions/laurent2d/translation_form.hpp"

#include <doctest/doctest.h>

using starfmm::has_matrix_code;
using starfmm::translation_form;
using starfmm::TranslationForm;

TEST_CASE("translation form: matrix units where double precision is half as fast as single") {
    for (const int capability : {80, 90, 100}) {
        CAPTURE(capability);
        CHECK(translation_form({2, capability}) == TranslationForm::matrix);
    }
}

TEST_CASE("translation form: lanes where matrix units of double precision are but a name") {
    for (const int capability : {86, 87, 89, 103, 120}) {
        CAPTURE(capability);
        CHECK(translation_form({32, capability}) == TranslationForm::lanes);
        CHECK(translation_form({64, capability}) == TranslationForm::lanes);
        CHECK(has_matrix_code({64, capability})); // so that a caller may ask for the matrix form
    }
}

TEST_CASE("translation form: code for older devices has lanes only, whatever runs it") {
    CHECK(translation_form({2, 75}) == TranslationForm::lanes);
    CHECK(translation_form({32, 75}) == TranslationForm::lanes);
    CHECK(!has_matrix_code({2, 75}));
    CHECK(translation_form({2, 80}) == TranslationForm::matrix); // on any later device
}

TEST_CASE("translation form: what a task asks for by number") {
    const starfmm::TaskArgs args;
    CHECK(static_cast<TranslationForm>(args.implementation) == TranslationForm::by_device);
    CHECK(static_cast<int>(TranslationForm::matrix) < starfmm::max_implementations);
    CHECK(static_cast<int>(TranslationForm::lanes) < starfmm::max_implementations);
}
