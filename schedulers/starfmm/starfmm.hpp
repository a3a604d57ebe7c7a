// SPDX-License-Identifier: BSD-3-Clause
// Everything that programs call: contexts, kernels, sums, bodies that move, and what they throw.
// docs/library.md goes through it.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "starfmm/array_view.hpp"
#include "starfmm/context.hpp"
#include "starfmm/kernel_named.hpp"
#include "starfmm/kernels.hpp"
#include "starfmm/leapfrog.hpp"
#include "starfmm/sum.hpp"
