// SPDX-License-Identifier: BSD-3-Clause
// OpenCL kernels of P2P and of direct sums. The program defines DIMENSION, N_STRENGTHS and
// N_VALUES, and ends with add_pair, which is written from the kernel's own p2p. A work item sums up
// one target's pairs. `parameter` is the kernel's own, if it has one.

/// Adds to `sum` what a source of strength `q` does to a target from which it is displaced by `d`.
void add_pair(real parameter, const real* d, const real* q, real* sum);

/// Adds sources [begin, end) to the sums of the target at `y`. Arrays are stored component by
/// component, `source_stride` and `strength_stride` apart. Source `self` is the target itself, which
/// is left out. Differences are taken in double precision in any case.
void add_sources(
    real parameter,
    const double* y,
    global const double* sources,
    ulong source_stride,
    global const real* strengths,
    ulong strength_stride,
    ulong begin,
    ulong end,
    long self,
    real* sum
) {
    for (ulong j = begin; j < end; ++j) {
        if ((long)j == self) {
            continue;
        }
        real d[DIMENSION];
        real q[N_STRENGTHS];
        for (int c = 0; c < DIMENSION; ++c) {
            d[c] = (real)(sources[c * source_stride + j] - y[c]);
        }
        for (int c = 0; c < N_STRENGTHS; ++c) {
            q[c] = strengths[c * strength_stride + j];
        }
        add_pair(parameter, d, q, sum);
    }
}

/// Direct: adds all sources to each target's value. The first target is source `self`, if it is one.
kernel void direct(
    real parameter,
    global real* values,
    ulong value_stride,
    global const double* targets,
    ulong n_targets,
    global const double* sources,
    ulong n_sources,
    global const real* strengths,
    ulong strength_stride,
    long self
) {
    const ulong i = get_global_id(0);
    if (i >= n_targets) {
        return;
    }
    double y[DIMENSION];
    real sum[N_VALUES];
    for (int c = 0; c < DIMENSION; ++c) {
        y[c] = targets[c * n_targets + i];
    }
    for (int c = 0; c < N_VALUES; ++c) {
        sum[c] = 0;
    }
    add_sources(
        parameter,
        y,
        sources,
        n_sources,
        strengths,
        strength_stride,
        0,
        n_sources,
        self + (long)i,
        sum
    );
    for (int c = 0; c < N_VALUES; ++c) {
        values[c * value_stride + i] += sum[c];
    }
}

/// P2P: a work group has a leaf, and adds to its targets those near leaves that lie in one slot;
/// the first slot's overwrite. In a pyramid arithmetic tells where a slot's leaf begins: leaf
/// first_leaf of n_points << level_bits, less the slot's own first point. In an orthtree it is read
/// from place leaf_begin_at of `boxes`.
kernel void p2p(
    real parameter,
    global real* values,
    ulong value_stride,
    global const uint* lists,
    ulong offsets_at,
    ulong references_at,
    global const double* targets,
    ulong target_stride,
    global const uint* target_offsets,
    global const double* sources,
    ulong source_stride,
    global const real* strengths,
    ulong strength_stride,
    uint slot,
    uint number_bits,
    ulong n_points,
    uint level_bits,
    ulong first_leaf,
    ulong first_point,
    global const uint* boxes,
    ulong leaf_begin_at
) {
    const ulong leaf = get_group_id(0);
    const uint begin = lists[offsets_at + leaf];
    const uint end = lists[offsets_at + leaf + 1];
    for (ulong i = target_offsets[leaf] + get_local_id(0); i < target_offsets[leaf + 1];
         i += get_local_size(0)) {
        double y[DIMENSION];
        real sum[N_VALUES];
        for (int c = 0; c < DIMENSION; ++c) {
            y[c] = targets[c * target_stride + i];
        }
        for (int c = 0; c < N_VALUES; ++c) {
            sum[c] = slot == 0 ? 0 : values[c * value_stride + i];
        }
        for (uint k = begin; k < end; ++k) {
            const uint reference = lists[references_at + k];
            if (reference >> number_bits != slot) {
                continue;
            }
            const ulong number = reference & ((1u << number_bits) - 1);
            ulong first = 0;
            ulong last = 0;
            if (boxes != 0) {
                first = boxes[leaf_begin_at + number];
                last = boxes[leaf_begin_at + number + 1];
            } else {
                const ulong node = first_leaf + number;
                first = (n_points * node >> level_bits) - first_point;
                last = (n_points * (node + 1) >> level_bits) - first_point;
            }
            add_sources(
                parameter,
                y,
                sources,
                source_stride,
                strengths,
                strength_stride,
                first,
                last,
                sources == targets ? (long)i : -1,
                sum
            );
        }
        for (int c = 0; c < N_VALUES; ++c) {
            values[c * value_stride + i] = sum[c];
        }
    }
}
