// SPDX-License-Identifier: BSD-3-Clause
// Which operators are compiled together. An operator is listed here, and nowhere else but in the
// graph that submits it.
#pragma once

#include "codelets/task/operator.hpp"

#include <type_traits>

namespace starfmm {

struct SplitBeginTask;
struct SplitTallyTask;
struct SplitCandidatesTask;
struct SplitLabelTask;
struct DealPlacesTask;
struct DealRunsTask;
struct DealTask;
struct DealJoinTask;
struct DealPickTask;
struct DealCollectTask;
struct DealUsersTask;
struct DealOrderTask;
struct RankTask;
struct SortTask;
struct SortGroupTask;
struct SortTargetsTask;
template <int D>
struct ExtentTask;
template <int D>
struct DomainTask;
template <int D>
struct CellsTask;
template <int D>
struct ChunkCellsTask;
template <int D>
struct ChunkPartsTask;
template <int D>
struct CurveTask;
template <int D>
struct GrowTask;
template <int D>
struct BoundsTask;
struct RootTask;
struct CutTask;
template <int D>
struct PowersTask;
template <int D>
struct ConnectTask;

/// Know points of D dimensions and boxes, but no kernel: in double, whatever a kernel's precision.
/// Further ones make the pyramids of the plane, or what lies above groups there.
template <int D, class... Further>
using GeometryOperatorsWith = OperatorList<
    DealRunsTask,
    DealTask,
    DealJoinTask,
    DealPickTask,
    DealCollectTask,
    ExtentTask<D>,
    DomainTask<D>,
    CellsTask<D>,
    ChunkCellsTask<D>,
    ChunkPartsTask<D>,
    CurveTask<D>,
    GrowTask<D>,
    BoundsTask<D>,
    PowersTask<D>,
    ConnectTask<D>,
    Further...>;

template <int D>
using GeometryOperators = std::conditional_t<
    D == 3,
    GeometryOperatorsWith<3>,
    GeometryOperatorsWith<
        2,
        SplitBeginTask,
        SplitTallyTask,
        SplitCandidatesTask,
        SplitLabelTask,
        DealPlacesTask,
        DealUsersTask,
        DealOrderTask,
        RankTask,
        SortTask,
        SortGroupTask,
        SortTargetsTask,
        RootTask,
        CutTask>>;

template <class Real>
struct StrengthsTask;
template <class Real>
struct GatherTask;
template <class Real>
struct GatherAllTask;
struct GatherBeginTask;

/// Bring strengths to the tree's order and results back. One set per precision.
template <class Real>
using GatherOperators =
    OperatorList<StrengthsTask<Real>, GatherTask<Real>, GatherAllTask<Real>, GatherBeginTask>;

template <class E>
struct M2MTask;
template <class E>
struct M2MTopTask;
template <class E>
struct M2LTask;
template <class E>
struct L2LTask;

/// Know expansions, but no points: kernels over the same expansion `E` share them.
template <class E>
using TranslationOperators = OperatorList<M2MTask<E>, M2MTopTask<E>, M2LTask<E>, L2LTask<E>>;

template <class K>
struct P2MTask;
template <class K>
struct P2LTask;
template <class K>
struct L2PTask;
template <class K>
struct M2PTask;
template <class K>
struct P2PTask;
template <class K>
struct P2PColumnsTask;
template <class K>
struct DirectTask;

/// Know what expansions of kernel `K` have to do with points.
template <class K>
using PointOperators = OperatorList<P2MTask<K>, P2LTask<K>, L2PTask<K>, M2PTask<K>>;

/// Know what kernel `K` makes of pairs of points.
template <class K>
using PairOperators = OperatorList<P2PTask<K>, P2PColumnsTask<K>, DirectTask<K>>;

struct AdvanceTask;
struct EnergiesTask;

/// Move bodies, and see what their motion conserves.
using MotionOperators = OperatorList<AdvanceTask, EnergiesTask>;

struct ReadColumnTask;
struct WriteColumnTask;
struct CheckRangeTask;
struct CancellationTask;

/// Read, write and look at the caller's arrays where they lie.
using ArrayOperators =
    OperatorList<ReadColumnTask, WriteColumnTask, CheckRangeTask, CancellationTask>;

/// Stands for any kernel, law, expansion or precision where only an operator's place in its list
/// matters.
struct Any;

/// Bodies of a list for one kind of worker: defined, by `List::compiled<Backend>()`, in the source
/// that CMake's starfmm_add_kernel compiles for each.
template <class List, class Backend>
[[nodiscard]] typename List::Bodies bodies();

} // namespace starfmm
