// SPDX-License-Identifier: BSD-3-Clause
// OpenCL kernel of M2L. The program defines DIMENSION and N_COEFFICIENTS, and ends with translate,
// which is written from the kernel's own m2l of one order. A work item has a row, that is a target
// box. `parameter` is the kernel's own, if it has one.

/// Adds to `sum` what the expansion of a box displaced by `d` is at the target.
void translate(
    real parameter,
    const real* d,
    real source_radius,
    real target_radius,
    global const real* multipole,
    real* sum
);

/// M2L: adds to rows [first_row, end_row) those far boxes that lie in one slot; the first slot's
/// overwrite. Frames are stored component by component, the radii last, their strides apart. A
/// slot's box is counted from its first_box. Differences are taken in double precision in any case.
kernel void m2l(
    real parameter,
    global real* locals,
    global const uint* lists,
    ulong references_at,
    global const double* targets,
    ulong target_stride,
    global const real* multipoles,
    global const double* sources,
    ulong source_stride,
    uint slot,
    ulong first_row,
    ulong end_row,
    uint number_bits,
    ulong first_box,
    double smallest_radius
) {
    const ulong row = first_row + get_global_id(0);
    if (row >= end_row) {
        return;
    }
    double y[DIMENSION];
    real sum[N_COEFFICIENTS];
    for (int c = 0; c < DIMENSION; ++c) {
        y[c] = targets[c * target_stride + row];
    }
    const real target_radius =
        (real)fmax(targets[DIMENSION * target_stride + row], smallest_radius);
    for (int i = 0; i < N_COEFFICIENTS; ++i) {
        sum[i] = slot == 0 ? 0 : locals[row * N_COEFFICIENTS + i];
    }
    const uint end = lists[row + 1];
    for (uint k = lists[row]; k < end; ++k) {
        const uint reference = lists[references_at + k];
        if (reference >> number_bits != slot) {
            continue;
        }
        const ulong box = first_box + (reference & ((1u << number_bits) - 1));
        real d[DIMENSION];
        for (int c = 0; c < DIMENSION; ++c) {
            d[c] = (real)(sources[c * source_stride + box] - y[c]);
        }
        const real source_radius =
            (real)fmax(sources[DIMENSION * source_stride + box], smallest_radius);
        translate(
            parameter, d, source_radius, target_radius, multipoles + box * N_COEFFICIENTS, sum
        );
    }
    for (int i = 0; i < N_COEFFICIENTS; ++i) {
        locals[row * N_COEFFICIENTS + i] = sum[i];
    }
}
