#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solves a boundary integral equation by scipy's GMRES and starfmm's sums, beside fmm2dpy's.

Laplace's equation inside a starfish, with the values of Re 1 / (z - 3 - 2i) on its curve. The
double layer of a density m is Re 1 / (2 pi i) times the Cauchy integral of m, by the trapezoidal
rule, whose values on the curve have the limit m / 2 from inside: (1 / 2 + K) m = f. The solution is
compared with the analytic one at points inside.

    python3 -m venv peers && peers/bin/pip install "numpy<2" scipy fmm2dpy
    peers/bin/pip install ./python && peers/bin/python tests/perf/peers/boundary_integral.py
"""
import argparse
import os
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before a library reads it

import fmm2dpy
import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

import starfmm

POLE = 3 + 2j


class Curve:
    """Points of a starfish, and what the trapezoidal rule takes of each."""

    def __init__(self, n):
        t = 2 * np.pi * np.arange(n) / n
        radius, spin = 1 + 0.3 * np.cos(5 * t), np.exp(1j * t)
        first, second = -1.5 * np.sin(5 * t), -7.5 * np.cos(5 * t)  # of the radius
        self.z = radius * spin
        velocity = (first + 1j * radius) * spin
        bend = (second + 2j * first - radius) * spin
        self.weight = velocity / (1j * n)  # dz / (2 pi i)
        self.own = (bend / velocity).imag / (2 * n)  # the kernel where both points are one
        self.values = (1 / (self.z - POLE)).real


def solve(curve, cauchy):
    """The density, with the number of products, and seconds of the processor.

    `cauchy(q)` are the sums q_j / (z_j - z_i) over j != i."""
    products = 0

    def product(density):
        nonlocal products
        products += 1
        layer = cauchy(density * curve.weight).real
        return density / 2 + layer + curve.own * density

    n = len(curve.z)
    start = time.process_time()
    density, failed = gmres(
        LinearOperator((n, n), product, dtype=np.float64), curve.values, rtol=1e-12, restart=100
    )
    if failed:
        raise RuntimeError(f"gmres: {failed} iterations did not do")
    return density, products, time.process_time() - start


def error_inside(curve, density):
    """The largest error at points inside, over the largest value."""
    inside = 0.3 * np.exp(2j * np.pi * np.arange(50) / 50)
    found = [(density * curve.weight / (curve.z - z)).sum().real for z in inside]
    exact = (1 / (inside - POLE)).real
    return np.abs(found - exact).max() / np.abs(exact).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=float, default=1e5, help="unknowns (default: %(default)g)")
    curve = Curve(int(parser.parse_args().n))
    sources = np.ascontiguousarray([curve.z.real, curve.z.imag])
    with starfmm.runtime(cores=1, gpus=0):
        start = time.process_time()
        cauchy = starfmm.Sum(starfmm.Harmonic2d(complex_strengths=True), curve.z, tol=1e-12)
        planned = time.process_time() - start
        results = {"starfmm": (planned, *solve(curve, cauchy))}
    results["fmm2dpy"] = (
        0.0,
        *solve(curve, lambda q: -fmm2dpy.cfmm2d(eps=1e-12, sources=sources, dipstr=q, pg=1).pot),
    )
    for name, (planned, density, products, seconds) in results.items():
        print(
            f"{name}: {planned + seconds:.3f} s, {products} products of "
            f"{1e3 * seconds / products:.1f} ms, error {error_inside(curve, density):.1e}"
        )


if __name__ == "__main__":
    main()
