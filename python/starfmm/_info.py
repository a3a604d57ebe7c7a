# SPDX-License-Identifier: BSD-3-Clause
"""What was chosen for a sum, as a value."""

from __future__ import annotations

from dataclasses import dataclass, fields

from . import _core


@dataclass(frozen=True)
class Info:
    """What was chosen for a sum. What a sum without a tree does not have is None.

    method, precision, tree: by the names that Sum takes
    order, theta: terms of an expansion, and the opening angle
    levels, leaves, leaf_size, roots, groups, chunks: of the tree and its tasks
    tolerance, reachable_tolerance: the error asked for, and the least that these choices serve
    cores, gpus: how many work on it
    """

    method: str
    precision: str
    n_sources: int
    n_targets: int
    tolerance: float
    reachable_tolerance: float
    cores: int
    gpus: int
    tree: str | None = None
    order: int | None = None
    theta: float | None = None
    levels: int | None = None
    leaves: int | None = None
    leaf_size: float | None = None
    roots: int | None = None
    groups: int | None = None
    chunks: int | None = None


def info_of(report: _core.Report) -> Info:
    names = [field.name for field in fields(Info)]
    if report.method != "fmm":
        of_trees = [field.name for field in fields(Info) if field.default is None]
        names = [name for name in names if name not in of_trees]
    if report.method == "near_field":
        names.append("levels")
    return Info(**{name: getattr(report, name) for name in names})
