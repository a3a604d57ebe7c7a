# SPDX-License-Identifier: BSD-3-Clause
"""The leaves of trees, as arrays and as pictures."""

import numpy as np
import pytest

import starfmm

KERNELS = [(starfmm.Log2d(), 2), (starfmm.Laplace3d(), 3)]


@pytest.mark.parametrize(("kernel", "dimension"), KERNELS)
def test_leaves_hold_all_points(random, kernel, dimension):
    x = random.random((5000, dimension))
    f = starfmm.Sum(kernel, x, method="fmm")
    mesh = f.mesh(0)
    assert mesh.low.shape == mesh.high.shape == (f.report.leaves, dimension)
    assert mesh.low.min() >= x.min() and mesh.high.max() <= x.max()
    assert (mesh.low <= mesh.high).all()
    assert list(mesh.relation).index("self") == 0
    assert {"near", "self"} <= set(mesh.relation) <= {"none", "self", "near", "far"}
    inside = ((mesh.low[None] <= x[:, None]) & (x[:, None] <= mesh.high[None])).all(axis=-1)
    assert inside.any(axis=1).all()


@pytest.mark.parametrize(("kernel", "dimension"), KERNELS)
def test_pictures(random, kernel, dimension, tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    f = starfmm.Sum(kernel, random.random((3000, dimension)), method="fmm")
    ax = f.plot_mesh()
    (leaves,) = ax.collections
    n = len(leaves.get_paths())
    assert 0 < n <= f.report.leaves and (n == f.report.leaves) == (dimension == 2)
    assert f.plot_mesh(ax, leaf=1) is ax and len(ax.collections) == 2
    ax.figure.savefig(tmp_path / "mesh.png")
    assert (tmp_path / "mesh.png").stat().st_size > 1000


def test_sums_without_leaves_are_refused(random):
    x = random.random((100, 3))
    with pytest.raises(starfmm.InputError, match="method = 'direct': the sum has no tree"):
        starfmm.Sum(starfmm.Laplace3d(), x, method="direct").mesh()
    with pytest.raises(starfmm.InputError, match="leaf = -1: must be one of"):
        starfmm.Sum(starfmm.Laplace3d(), np.tile(x, (20, 1)), method="fmm").mesh(-1)
