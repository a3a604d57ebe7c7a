#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times laplace3d against FMM3D (github.com/flatironinstitute/FMM3D) on the same points.

Potentials and gradients of charges of random sign, uniform in the unit cube, at the charges
themselves, on one core. Ours is the median of `time_s.total` of the record of three runs, which
starts with arrays in memory as FMM3D's call does, and leaves files out. Theirs is one call of
lfmm3d, which is serial in the package of PyPI. Errors are L2 at random targets, by direct sums in
extended precision.
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MISSING = """peer_fmm3d.py: {error}
FMM3D's Python package is not installed for {python}; nothing was measured. To install it:
  python3 -m venv fmm3d && fmm3d/bin/pip install fmm3dpy "numpy<2"
and run this script with fmm3d/bin/python."""

try:
    import fmm3dpy
    import numpy as np
except ImportError as error:
    print(MISSING.format(error=error, python=sys.executable))
    sys.exit(0)

# tolerance: our time over the peer's, at most
BARS = {1e-3: 1 / 14, 1e-6: 1 / 18, 1e-9: 1 / 10}


def peer_factor():
    """What multiplies 1 / |x - y| there: 1, or 1 / (4 pi) since version 1.1."""
    two = np.array([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    return float(fmm3dpy.lfmm3d(eps=1e-9, sources=two, charges=np.array([1.0, 0.0]), pg=1).pot[1])


def peer(points, q, tolerance):
    """Potentials, gradients, seconds."""
    factor = peer_factor()
    sources = np.ascontiguousarray(points.T)
    start = time.perf_counter()
    out = fmm3dpy.lfmm3d(eps=tolerance, sources=sources, charges=q, pg=2)
    seconds = time.perf_counter() - start
    return out.pot / factor, out.grad.T / factor, seconds


def ours(driver, folder, tolerance):
    """Potentials, gradients, seconds."""
    result, record = folder / "result.npy", folder / "record.json"
    command = [driver, "--input", folder / "charges.npy", "--tol", tolerance, "--gradient"]
    command += ["--cpus", 1, "--gpus", 0, "--method", "fmm", "--warmup", 1, "--repeat", 3]
    command += ["--output", result, "--json", record, "--quiet"]
    subprocess.run([str(word) for word in command], check=True)
    values = np.load(result)
    seconds = statistics.median(json.loads(record.read_text())["time_s"]["total"])
    return values[:, 0], values[:, 1:], seconds


def exact_values(points, q, which):
    """Potentials and gradients at the targets `which`, in extended precision."""
    x, charges = points.astype(np.longdouble), q.astype(np.longdouble)
    potentials = np.empty(len(which), dtype=np.longdouble)
    gradients = np.empty((len(which), 3), dtype=np.longdouble)
    for i, target in enumerate(which):
        d = x - x[target]
        r2 = (d * d).sum(axis=1)
        r2[target] = 1
        weight = charges / np.sqrt(r2)
        weight[target] = 0
        potentials[i] = weight.sum()
        gradients[i] = (weight / r2) @ d
    return potentials, gradients


def l2_error(values, exact):
    return float(np.sqrt(((values - exact) ** 2).sum() / (exact**2).sum()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", required=True, help="build/bin/laplace3d")
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--check", type=int, default=200)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    points, q = rng.random((options.n, 3)), rng.uniform(-1, 1, options.n)
    which = rng.choice(options.n, min(options.check, options.n), replace=False)
    potentials, gradients = exact_values(points, q, which)
    print("tolerance  ours [s]  FMM3D [s]  ratio (bar)      errors: ours, FMM3D (potential, gradient)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "charges.npy", np.column_stack([points, q]))
        for tolerance, bar in BARS.items():
            own = ours(options.driver, folder, tolerance)
            other = peer(points, q, tolerance)
            errors = [
                f"{l2_error(each[0][which], potentials):.1e}, {l2_error(each[1][which], gradients):.1e}"
                for each in (own, other)
            ]
            print(
                f"{tolerance:.0e}     {own[2]:8.3f}  {other[2]:9.2f}  1/{other[2] / own[2]:.1f}"
                f" (1/{1 / bar:.0f})      {errors[0]}; {errors[1]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
