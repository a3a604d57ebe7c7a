// SPDX-License-Identifier: BSD-3-Clause
// The test program; ctest runs one test file at a time of it.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
