// SPDX-License-Identifier: BSD-3-Clause
// The CUDA sides of all operators.
#pragma once

#include "codelets/bounds.cuh"
#include "codelets/connect.cuh"
#include "codelets/direct.cuh"
#include "codelets/gather.cuh"
#include "codelets/l2l.cuh"
#include "codelets/l2p.cuh"
#include "codelets/m2l.cuh"
#include "codelets/m2m.cuh"
#include "codelets/m2p.cuh"
#include "codelets/p2l.cuh"
#include "codelets/p2m.cuh"
#include "codelets/p2p.cuh"
#include "codelets/sort.cuh"
#include "codelets/sort_targets.cuh"
