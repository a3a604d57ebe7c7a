// SPDX-License-Identifier: BSD-3-Clause
// Bodies of sort and connect in the plane.
#include "codelets/sets/instantiate_geometry.hpp"
#include "codelets/tree/cut.hpp"
#include "codelets/tree/root.hpp"

#ifdef __CUDACC__
#include "codelets/tree/sort/rank.cuh"
#include "codelets/tree/sort/sort.cuh"
#include "codelets/tree/sort/sort_targets.cuh"
#include "codelets/tree/sort/split.cuh"
#else
#include "codelets/tree/sort/sort.hpp"
#include "codelets/tree/sort/sort_targets.hpp"
#include "codelets/tree/sort/split.hpp"
#endif

template starfmm::GeometryOperators<2>::Bodies
starfmm::bodies<starfmm::GeometryOperators<2>, starfmm::CurrentBackend>();
