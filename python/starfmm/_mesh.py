# SPDX-License-Identifier: BSD-3-Clause
"""The leaves of a sum's tree, and pictures of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._sum import Sum

_RELATIONS = np.array(["none", "self", "far", "near"])
_COLOURS = {"none": "white", "self": "tab:red", "far": "tab:blue", "near": "tab:orange"}


@dataclass(frozen=True)
class Mesh:
    """The leaves of a tree: the bounds of each one's points, and how one leaf meets it.

    low, high: (leaves, D) least and largest coordinates, in the unit of the points
    relation: (leaves,) 'self'; 'near', summed pair by pair; 'far', by expansions; else 'none', as an
    ancestor's box meets that leaf
    """

    low: np.ndarray
    high: np.ndarray
    relation: np.ndarray


def mesh_of(sum_: Sum, leaf: int | None) -> Mesh:
    n = sum_.report.leaves
    if sum_.report.method != "fmm":
        raise InputError(f"method = {sum_.report.method!r}: the sum has no tree, and so no leaves")
    if leaf is None:
        leaf = n // 2 + n // 8
    if not 0 <= leaf < n:
        raise InputError(f"leaf = {leaf}: must be one of {n} leaves, from 0 on")
    with sum_._use() as core:
        bounds, relations = core.mesh(leaf)
    if len(relations) == 0:
        raise InputError(f"kernel = {sum_.kernel}: shows no leaves")
    places = bounds.reshape(-1, 3, 2)[:, : sum_._made.dimension]
    return Mesh(places[:, :, 0], places[:, :, 1], _RELATIONS[relations])


def plot_mesh(sum_: Sum, ax: Axes | None, leaf: int | None) -> Axes:
    from matplotlib.collections import PolyCollection

    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure().add_subplot()
    mesh = mesh_of(sum_, leaf)
    shown = _slice(mesh) if mesh.low.shape[1] == 3 else slice(None)
    (x0, y0), (x1, y1) = mesh.low[shown, :2].T, mesh.high[shown, :2].T
    corners: Any = np.stack((x0, y0, x1, y0, x1, y1, x0, y1), axis=-1).reshape(-1, 4, 2)
    colours: Any = [_COLOURS[relation] for relation in mesh.relation[shown]]
    ax.add_collection(PolyCollection(corners, facecolors=colours, edgecolors="black", linewidths=0.3))
    ax.autoscale_view()
    ax.set_aspect("equal")
    return ax


def _slice(mesh: Mesh) -> np.ndarray:
    """The leaves at the height of the middle of the leaf that looks at the others."""
    own = mesh.relation == "self"
    z = (mesh.low[own, 2] + mesh.high[own, 2]).mean() / 2
    return np.asarray((mesh.low[:, 2] <= z) & (z <= mesh.high[:, 2]))
