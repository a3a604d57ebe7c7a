#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times starfmm beside packages of PyPI that sum the same, in one run, on one core.

- `laplace3d` with gradients beside fmm3dpy's lfmm3d, at tolerances of 1e-3, 1e-6 and 1e-9;
- `log2d` with gradients beside fmm2dpy's rfmm2d, at the same tolerances;
- `gravity` beside pytreegrav's Accel, at the median error that it has with its own theta.

Both take the same arrays of numpy and give new ones; what either plans is in its time, which is the
processor's. Ours is the median of three calls around one of theirs; errors are L2 (gravity: the median) at 200 of the
points, by sums in extended precision.

    python3 -m venv peers && peers/bin/pip install "numpy<2" fmm2dpy fmm3dpy pytreegrav
    peers/bin/pip install ./python && peers/bin/python tests/perf/peers/peers_in_python.py
"""
import argparse
import os
import statistics
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before a library reads it

import fmm2dpy  # noqa: E402
import fmm3dpy  # noqa: E402
import numpy as np  # noqa: E402
import pytreegrav  # noqa: E402

import starfmm  # noqa: E402

SOFTENING = 1e-3  # radius of the spline of a body; points of a unit cube are 0.006 apart


def seconds(call):
    """What a call takes of the processor, and returns: other programs do not count."""
    start = time.process_time()
    values = call()
    return time.process_time() - start, values


def beside(ours, theirs):
    """Times and values of both: ours twice, theirs, ours."""
    times, mine = zip(*(seconds(ours) for _ in range(2)))
    peer_time, peer = seconds(theirs)
    last, _ = seconds(ours)
    return statistics.median([*times, last]), mine[0], peer_time, peer


def pairs(x, which):
    """Differences of each target to all points, and their squares, in extended precision."""
    for target in which:
        d = x.astype(np.longdouble) - x[target].astype(np.longdouble)
        r2 = (d * d).sum(axis=1)
        r2[target] = 1
        yield target, d, r2


def exact_field(x, q, which):
    """Potentials and gradients of 1 / r or log r."""
    potentials, gradients = [], []
    for target, d, r2 in pairs(x, which):
        weight = q.astype(np.longdouble)
        weight[target] = 0
        if x.shape[1] == 3:
            potentials.append((weight / np.sqrt(r2)).sum())
            gradients.append((weight / (r2 * np.sqrt(r2))) @ d)
        else:
            potentials.append((weight * np.log(r2) / 2).sum())
            gradients.append(-(weight / r2) @ d)
    return np.array(potentials), np.array(gradients)


def exact_gravity(x, m, which):
    """Accelerations; no target of `which` has a neighbour within the softening."""
    for target, d, r2 in pairs(x, which):
        weight = m.astype(np.longdouble)
        weight[target] = 0
        yield (weight / (r2 * np.sqrt(r2))) @ d


def error(values, exact):
    """Relative error in L2."""
    return float(np.sqrt(((values - exact) ** 2).sum() / (exact**2).sum()))


def row(what, ours, theirs, errors):
    print(
        f"| {what} | {ours:.3g} | {theirs:.3g} | 1/{theirs / ours:.1f} | "
        + " | ".join(errors)
        + " |",
        flush=True,
    )


def fields(name, peer_name, x, q, ours, theirs, which):
    exact = exact_field(x, q, which)
    for tolerance in (1e-3, 1e-6, 1e-9):
        mine, values, peer, peers = beside(lambda: ours(tolerance), lambda: theirs(tolerance))
        shown = [
            " ".join(f"{error(part[which], true):.1e}" for part, true in zip(both, exact))
            for both in (values, peers)
        ]
        row(f"{name}, {peer_name}, {tolerance:g}", mine, peer, shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=float, default=1e6, help="points (default: %(default)g)")
    n = int(parser.parse_args().n)
    random = np.random.default_rng(1)
    x, q = random.random((n, 3)), random.choice([-1.0, 1.0], n)
    which = random.choice(n, min(n, 200), replace=False)
    print("| sums | starfmm, s | peer, s | ratio | our error | the peer's |\n|---|---|---|---|---|---|")
    with starfmm.runtime(cores=1, gpus=0):
        factor = 4 * np.pi if fmm3d_has_unit() else 1.0
        columns = np.ascontiguousarray(x.T)

        def lfmm3d(tolerance):
            out = fmm3dpy.lfmm3d(eps=tolerance, sources=columns, charges=q, pg=2)
            return factor * out.pot, factor * out.grad.T

        fields(
            "laplace3d",
            "fmm3dpy",
            x,
            q,
            lambda tolerance: starfmm.laplace3d(x, q, tol=tolerance, gradient=True),
            lfmm3d,
            which,
        )
        plane = np.ascontiguousarray(x[:, :2])
        rows = np.ascontiguousarray(plane.T)

        def rfmm2d(tolerance):
            out = fmm2dpy.rfmm2d(eps=tolerance, sources=rows, charges=q, pg=2)
            return out.pot, out.grad.T

        fields(
            "log2d",
            "fmm2dpy",
            plane,
            q,
            lambda tolerance: starfmm.log2d(plane, q, tol=tolerance, gradient=True),
            rfmm2d,
            which,
        )
        gravity(x, np.full(n, 1 / n), which)


def fmm3d_has_unit():
    """Whether fmm3dpy divides by 4 pi, as versions since 1.1 do."""
    two = np.array([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    out = fmm3dpy.lfmm3d(eps=1e-9, sources=two, charges=np.array([1.0, 0.0]), pg=1)
    return abs(out.pot[1] - 1) > 0.5


def gravity(x, m, which):
    lengths = np.full(len(x), SOFTENING)
    apart = [t for t, _, r2 in pairs(x, which) if r2.min() > SOFTENING**2]
    exact = np.array(list(exact_gravity(x, m, apart)))

    def median_error(values):
        difference = values[apart].astype(np.longdouble) - exact
        lengths2 = (exact**2).sum(axis=1)
        return float(np.median(np.sqrt((difference**2).sum(axis=1) / lengths2)))

    def accel():
        return pytreegrav.Accel(x, m, softening=lengths, method="tree", parallel=False)

    pytreegrav.Accel(x[:1000], m[:1000], softening=lengths[:1000], method="tree")  # compiles
    tolerance = starfmm.Median(median_error(accel()))
    kernel = starfmm.Spline(SOFTENING / 2.8)
    mine, values, peer, peers = beside(
        lambda: starfmm.gravity(x, m, softening=kernel, tol=tolerance), accel
    )
    errors = [f"{median_error(both):.1e}" for both in (values, peers)]
    row("gravity, pytreegrav", mine, peer, errors)


if __name__ == "__main__":
    main()
