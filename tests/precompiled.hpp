// SPDX-License-Identifier: BSD-3-Clause
// Most tests include these headers, which are compiled once.
#pragma once

#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/machine.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>
