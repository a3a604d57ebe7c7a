// SPDX-License-Identifier: BSD-3-Clause
// P2P finds the near field of each leaf, by direct summation over its near leaves [GE12 Sec 3.3.5].
// O(pairs).
#pragma once

#include "codelets/opencl/pairs.hpp"
#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"
#include "core/tree/interaction_lists.hpp"

#ifndef __CUDACC__
#include "codelets/pairs/gathered_tile.hpp"
#include "codelets/pairs/mixed_tile.hpp"
#include "codelets/pairs/pair_tile.hpp"
#endif

#include <algorithm>
#include <string_view>

namespace starfmm {

/// The first source of each leaf, in each slot's orthtree.
using OrthtreeLeaves = const std::uint32_t* [max_slots];

/// Finds where leaves begin in an orthtree, whose slots' boxes follow their other buffers:
/// positions, and strengths of each right-hand side. In a pyramid, arithmetic tells where leaves
/// begin.
template <int D>
void find_orthtree_leaves(const TaskArgs& args, void** slots, OrthtreeLeaves& leaves) {
    void** boxes = slots + std::size_t(1 + args.columns) * args.n_slots;
    for (std::uint32_t slot = 0; args.has_orthtree() && slot < args.n_slots; ++slot) {
        leaves[slot] = BoxView<D>::of(boxes[slot], args).orthtree().leaf_begin;
    }
}

template <class K>
struct P2PTask;
template <class K, class Isa>
void p2p_cpu(const P2PTask<K>& task);
template <class K>
void p2p_cuda(const P2PTask<K>& task);

template <class K>
struct P2PTask {
    static constexpr std::string_view name = "p2p";
    static constexpr Color color = Color::red;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    TaskArgs args;
    ValueView<K> near;                      ///< W  results of each right-hand side, tree order
    const std::uint32_t* lists;             ///< R
    PointView<D> targets;                   ///< R
    const std::uint32_t* target_offsets;    ///< R  [leaves + 1]
    PointView<D> sources[max_slots];        ///< R  sources of each slot
    StrengthView<K> strengths[max_slots];   ///< R  strengths of each slot
    OrthtreeLeaves source_leaves;           ///< R  leaves of orthtrees
    const double* target_lengths = nullptr; ///< R  those of kernels that have them; null: zero

    template <class Buffers>
    static P2PTask of(Buffers& buffers) {
        P2PTask task{
            buffers.args(),
            buffers.template write<ValueView<K>>(),
            buffers.template read<std::uint32_t>(),
            buffers.template read<PointView<D>>(),
            buffers.template read<std::uint32_t>(),
            {},
            {},
            {}};
        void** slots = buffers.read_rest();
        for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
            void** own = slots + std::size_t(1 + task.args.columns) * slot;
            task.sources[slot] = PointView<D>::of(own[0]);
            task.strengths[slot] = StrengthView<K>::of_columns(own + 1, task.args.columns);
        }
        find_orthtree_leaves<D>(task.args, slots, task.source_leaves);
        if constexpr (has_lengths<K>) {
            task.find_target_lengths();
        }
        return task;
    }

    template <class Isa>
    static void cpu(const P2PTask& task) {
        p2p_cpu<K, Isa>(task);
    }

    static void cuda(const P2PTask& task) { p2p_cuda<K>(task); }

    static void opencl(
        void* buffers[], const TaskArgs& args
    ) requires(columns_at_once<K> == 1 && TraceableKernel<K>) {
        p2p_opencl(opencl_pairs<K>(), buffers, args, traced_parameter<K>(args.kernel));
    }

    STARFMM_HOST_DEVICE ListView near_list() const {
        return args.lists.near(const_cast<std::uint32_t*>(lists));
    }

private:
    /// Targets that are a slot's sources have these lengths; others have none.
    void find_target_lengths() {
        for (std::uint32_t slot = 0; slot < args.n_slots; ++slot) {
            if (sources[slot].x[0] == targets.x[0]) {
                target_lengths = strengths[slot].of_component[1];
            }
        }
    }
};

/// The task of P2P for all right-hand sides: what the geometry says of a pair is found once.
template <class K>
struct P2PColumnsTask : P2PTask<Columns<K>> {
    static constexpr std::string_view name = "p2p_columns";

    template <class Buffers>
    static P2PColumnsTask of(Buffers& buffers) {
        return {P2PTask<Columns<K>>::of(buffers)};
    }
};

/// A box that a list of M2P names: its slot, and its index within the slot's arrays over boxes.
struct LeafReference {
    std::uint32_t slot;
    std::size_t box;
};

/// Returns the slot and the index that a reference names.
/// \param leaf  leaf of a pyramid; any box of an orthtree
template <int D>
STARFMM_HOST_DEVICE LeafReference leaf_reference(const TaskArgs& args, BoxReference leaf) {
    if (args.has_orthtree()) {
        const OrthtreeReferences named = args.orthtree_references();
        return {named.slot(leaf), named.number(leaf)};
    }
    const int shift = D * (args.tree.last - args.tree.first);
    const std::size_t box = leaf & ((std::uint32_t(1) << shift) - 1);
    return {leaf >> shift, pyramid_of<D>(args).offset(args.tree.last) + box};
}

/// The sources of a leaf that a list names, as places in their slot's arrays.
struct LeafSources {
    std::uint32_t slot;
    std::size_t begin;
    std::size_t end;
};

template <int D>
STARFMM_HOST_DEVICE LeafSources
leaf_sources(const TaskArgs& args, const OrthtreeLeaves& source_leaves, BoxReference leaf) {
    if (args.has_orthtree()) {
        const OrthtreeReferences named = args.orthtree_references();
        const std::uint32_t slot = named.slot(leaf);
        const std::uint32_t* begin = source_leaves[slot] + named.number(leaf);
        return {slot, begin[0], begin[1]};
    }
    const int shift = D * (args.tree.last - args.tree.first);
    const std::uint32_t slot = leaf >> shift;
    const std::uint64_t box = leaf & ((std::uint32_t(1) << shift) - 1);
    const auto tree = slot_pyramid<D>(args, slot);
    return {
        slot,
        tree.begin(args.n_sources, tree.last, box),
        tree.begin(args.n_sources, tree.last, box + 1)};
}

#ifndef __CUDACC__
/// Returns the sources of a near leaf, among which the targets are if both have one array.
template <class K>
SourcePiece<K> near_piece(const P2PTask<K>& task, BoxReference leaf) {
    const LeafSources range = leaf_sources<dimension_of<K>>(task.args, task.source_leaves, leaf);
    const PointView<dimension_of<K>>& sources = task.sources[range.slot];
    const bool are_targets = sources.x[0] == task.targets.x[0];
    return {
        sources,
        task.strengths[range.slot],
        range.begin,
        range.end,
        are_targets ? 0 : DirectArgs::nowhere};
}

/// Sums one tile of a leaf's targets against all its near leaves.
template <class K, class B, std::size_t n_batches>
void p2p_tile_leaf(const P2PTask<K>& task, std::size_t leaf, std::size_t begin, std::size_t end) {
    using Real = typename K::Real;
    LanePoint<K, B> z[n_batches];
    LaneValue<K, B> sum[n_batches];
    LaneLengths<K, B, n_batches> lengths;
    const auto idle = task.targets[begin];
    for (std::size_t t = 0; t < n_batches; ++t) {
        const std::size_t i = begin + t * B::size;
        const std::size_t count = i < end ? end - i : 0;
        z[t] = load_pair_points<Real, B>(task.targets, i, count, idle);
        lengths.load(t, task.target_lengths, i, count);
        sum[t] = zero_value<K, B>();
    }
    const auto kernel = kernel_of<K>(task.args.kernel);
    const ListView near = task.near_list();
    for (std::uint32_t i = near.offsets[leaf]; i < near.offsets[leaf + 1]; ++i) {
        add_piece<K, B>(kernel, z, begin, near_piece(task, near.boxes[i]), sum, lengths);
    }
    for (std::size_t t = 0; t < n_batches && begin + t * B::size < end; ++t) {
        const std::size_t i = begin + t * B::size;
        store_values<K, B>(task.near, i, end - i, sum[t], Store::overwrite);
    }
}

/// Returns a function that calls what it is given with the sources of each near leaf.
template <class K>
auto near_pieces(const P2PTask<K>& task, std::size_t leaf) {
    return [&task, leaf](const auto& use) {
        const ListView near = task.near_list();
        for (std::uint32_t i = near.offsets[leaf]; i < near.offsets[leaf + 1]; ++i) {
            use(near_piece(task, near.boxes[i]));
        }
    };
}

/// Sums a leaf's targets against all its near leaves, by pairs in PairReal.
template <class K, class Isa>
void p2p_mixed_leaf(const P2PTask<K>& task, std::size_t leaf) {
    mixed_sums<K, Isa>(
        kernel_of<K>(task.args.kernel),
        task.targets,
        task.target_offsets[leaf],
        task.target_offsets[leaf + 1],
        near_pieces(task, leaf),
        {task.near, Store::overwrite}
    );
}

/// Sums a leaf's targets against all its near leaves, one source a lane; in near fields of single
/// precision by points rounded as seen from the leaf.
template <class K, class Isa>
void p2p_gathered_leaf(const P2PTask<K>& task, std::size_t leaf) {
    gathered_sums<K, Isa>(
        kernel_of<K>(task.args.kernel),
        {task.targets, task.target_offsets[leaf], task.target_offsets[leaf + 1]},
        near_pieces(task, leaf),
        task.near,
        rounds_near_field<K> && task.args.is_near_field() ? PairForm::rounded : PairForm::split
    );
}

/// Sums a leaf's targets against all its near leaves.
template <class K, class Isa>
void p2p_leaf(const P2PTask<K>& task, std::size_t leaf) {
    using B = Batch<typename K::Real, Isa>;
    constexpr std::size_t tile = pair_tile<K, B>;
    const std::size_t end = task.target_offsets[leaf + 1];
    std::size_t i = task.target_offsets[leaf];
    for (; i + (tile - 1) * B::size < end; i += tile * B::size) {
        p2p_tile_leaf<K, B, tile>(task, leaf, i, std::min(end, i + tile * B::size));
    }
    for (; i < end; i += B::size) {
        p2p_tile_leaf<K, B, 1>(task, leaf, i, std::min(end, i + B::size));
    }
}

template <class K, class Isa>
void p2p_cpu(const P2PTask<K>& task) {
    for (std::size_t leaf = 0; leaf < n_leaves_of<dimension_of<K>>(task.args); ++leaf) {
        if constexpr (has_mixed_pairs<K>) {
            p2p_mixed_leaf<K, Isa>(task, leaf);
        } else if constexpr (gathers_sources<K>) {
            p2p_gathered_leaf<K, Isa>(task, leaf);
        } else if constexpr (rounds_near_field<K>) {
            task.args.is_near_field() ? p2p_gathered_leaf<K, Isa>(task, leaf)
                                      : p2p_leaf<K, Isa>(task, leaf);
        } else {
            p2p_leaf<K, Isa>(task, leaf);
        }
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/pairs/p2p.cuh"
#endif
