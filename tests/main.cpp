// SPDX-License-Identifier: BSD-3-Clause
// The test program runs all tests; ctest runs one test file of it at a time.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
