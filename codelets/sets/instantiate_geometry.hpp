// SPDX-License-Identifier: BSD-3-Clause
// Included by the sources of sort and connect, one for each number of dimensions, so that they
// compile side by side.
#pragma once

#include "codelets/exchange/deal.hpp"
#include "codelets/sets/compile.hpp"
#include "codelets/tree/domain.hpp"
#include "codelets/tree/extent.hpp"

#ifdef __CUDACC__
#include "codelets/tree/bounds.cuh"
#include "codelets/tree/cells.cuh"
#include "codelets/tree/chunk_cells.cuh"
#include "codelets/tree/connect.cuh"
#include "codelets/tree/curve.cuh"
#include "codelets/tree/grow.cuh"
#include "codelets/tree/powers.cuh"
#else
#include "codelets/tree/bounds.hpp"
#include "codelets/tree/cells.hpp"
#include "codelets/tree/chunk_cells.hpp"
#include "codelets/tree/connect.hpp"
#include "codelets/tree/curve.hpp"
#include "codelets/tree/grow.hpp"
#include "codelets/tree/powers.hpp"
#endif
