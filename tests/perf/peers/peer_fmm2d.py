#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times pyramid2d against FMM2D (github.com/flatironinstitute/fmm2d) on the same points.

Harmonic sums Phi_i = sum_j q_j / (z_j - z_i) with real q_j. FMM2D has two entry points for them:
rfmm2d computes u = sum q_j log|z - z_j| and its gradient, and Phi = -(u_x - i u_y); cfmm2d with
dipole strengths q_j computes sum q_j / (z - z_j) = -Phi. Both are timed, the faster one counts;
that both identities hold is verified before.

Ours and theirs take turns; medians are of the turns. Ours is `time_s.total` of the record that
pyramid2d writes, which starts with arrays in memory as FMM2D's call does, and leaves files out.
Every process runs once untimed before each measurement.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MISSING = """peer_fmm2d.py: {error}
FMM2D's Python package is not installed for {python}; nothing was measured. To install it:
  python3 -m venv fmm2d && fmm2d/bin/pip install fmm2dpy "numpy<2"
and run this script with fmm2d/bin/python."""

try:
    import fmm2dpy
    import numpy as np
except ImportError as error:
    print(MISSING.format(error=error, python=sys.executable))
    sys.exit(0)

# (workers, tolerance): our time over the peer's, at most
BARS = {(1, 1e-6): 1 / 18, (1, 1e-12): 1 / 22, (2, 1e-6): 1 / 17, (2, 1e-12): 1 / 20}
ANSWER = "seconds: "
ENTRY_POINTS = ("rfmm2d", "cfmm2d")


def peer_potentials(entry_point, tolerance, points, q):
    """Phi by one of the entry points, and the seconds of its call."""
    sources = np.ascontiguousarray(points.T)
    dipoles = q.astype(complex)
    start = time.perf_counter()
    if entry_point == "rfmm2d":
        out = fmm2dpy.rfmm2d(eps=tolerance, sources=sources, charges=q, pg=2)
    else:
        out = fmm2dpy.cfmm2d(eps=tolerance, sources=sources, dipstr=dipoles, pg=1)
    seconds = time.perf_counter() - start
    if entry_point == "rfmm2d":
        return -out.grad[0] + 1j * out.grad[1], seconds
    return -out.pot, seconds


def direct(points, q, which):
    """Phi at the targets `which`, in extended precision."""
    x, y = points.T.astype(np.longdouble)
    strengths = q.astype(np.longdouble)
    exact = np.empty(len(which), dtype=np.clongdouble)
    for i, target in enumerate(which):
        dx, dy = x - x[target], y - y[target]
        r2 = dx * dx + dy * dy
        r2[target] = 1  # dx = dy = 0 there
        weight = strengths / r2
        exact[i] = np.dot(weight, dx) - 1j * np.dot(weight, dy)
    return exact


def l2_error(values, exact):
    return float(np.linalg.norm(values - exact) / np.linalg.norm(exact))


def verify_identities():
    """Both entry points compute our sum, signs included."""
    rng = np.random.default_rng(0)
    points, q = rng.random((500, 2)), rng.uniform(-1, 1, 500)
    exact = direct(points, q, range(500))
    for entry_point in ENTRY_POINTS:
        error = l2_error(peer_potentials(entry_point, 1e-12, points, q)[0], exact)
        if error > 1e-11:
            sys.exit(f"{entry_point} does not compute our harmonic sum: L2 error {error:.1e}")


class Peer:
    """FMM2D in a process of its own: OpenMP reads OMP_NUM_THREADS once."""

    def __init__(self, threads, folder):
        self.output = folder / f"peer_{threads}.npy"
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(folder)],
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, entry_point, tolerance):
        print(entry_point, tolerance, self.output, file=self.process.stdin, flush=True)
        for line in self.process.stdout:  # FMM2D's Fortran prints lines of its own
            if line.startswith(ANSWER):
                return float(line[len(ANSWER):]), np.load(self.output)
        sys.exit("peer_fmm2d.py: the peer's process ended")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def serve(folder):
    """A Peer's process: one call a line, answered by its time."""
    columns = np.load(folder / "points.npy")
    points, q = columns[:, :2].copy(), columns[:, 2].copy()
    for line in sys.stdin:
        entry_point, tolerance, output = line.split()
        potentials, seconds = peer_potentials(entry_point, float(tolerance), points, q)
        np.save(output, potentials)
        print(f"\n{ANSWER}{seconds}", flush=True)


def run_ours(driver, workers, tolerance, folder):
    command = [driver, "--input", folder / "points.npy", "--output", folder / "ours.npy",
               "--json", folder / "ours.json", "--cpus", workers, "--gpus", 0,
               "--tol", tolerance, "--warmup", 1]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    record = json.loads((folder / "ours.json").read_text())
    return record["time_s"]["total"][0], np.load(folder / "ours.npy")


def measure(options, workers, tolerance, folder, which, exact):
    """Medians and errors of ours and both entry points, by name."""
    peer = Peer(workers, folder)
    runs = {"ours": lambda: run_ours(options.driver, workers, tolerance, folder)}
    for entry_point in ENTRY_POINTS:
        runs[entry_point] = lambda name=entry_point: peer.run(name, tolerance)
    times = {name: [] for name in runs}
    errors = {}
    for turn in range(-1, options.repeat):
        for name, run in runs.items():
            seconds, values = run()
            if turn >= 0:
                times[name].append(seconds)
                errors[name] = l2_error(values[which], exact)
    peer.close()
    return {name: statistics.median(values) for name, values in times.items()}, errors


def print_line(workers, tolerance, times, errors):
    best = min(ENTRY_POINTS, key=times.get)
    bar = BARS[workers, tolerance]
    ratio = times["ours"] / times[best]
    print(f"{workers:7d} {tolerance:9.0e} {times['ours']:9.4f} {times['rfmm2d']:9.3f} "
          f"{times['cfmm2d']:9.3f}    1/{1 / ratio:<6.1f} 1/{1 / bar:<4.0f} "
          f"{'met' if ratio <= bar else 'MISSED':7s} {errors['ours']:8.1e} {errors[best]:8.1e}",
          flush=True)


def main():
    build = Path(__file__).resolve().parents[2] / "build"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", default=build / "bin" / "pyramid2d", help="our driver")
    parser.add_argument("--n", type=float, default=1e6, help="number of points")
    parser.add_argument("--repeat", type=int, default=5, help="turns that count")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], choices=[1, 2])
    parser.add_argument("--check", type=int, default=1000, help="targets of the error")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    verify_identities()
    n = int(options.n)
    rng = np.random.default_rng(1)
    columns = np.column_stack([rng.random((n, 2)), rng.uniform(-1, 1, n)])
    which = np.sort(rng.choice(n, min(options.check, n), replace=False))
    print(f"N = {n} uniform, real strengths, medians of {options.repeat} turns in seconds, "
          f"L2 errors at {len(which)} targets; the direct sum takes a while", flush=True)
    exact = direct(columns[:, :2], columns[:, 2], which)
    print("workers tolerance      ours    rfmm2d    cfmm2d    ratio    bar    "
          "verdict     ours     peer", flush=True)
    with tempfile.TemporaryDirectory(prefix="starfmm-peer") as name:
        folder = Path(name)
        np.save(folder / "points.npy", columns)
        for workers, tolerance in BARS:
            if workers in options.workers:
                print_line(workers, tolerance,
                           *measure(options, workers, tolerance, folder, which, exact))


if __name__ == "__main__":
    main()
