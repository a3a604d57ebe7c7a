# SPDX-License-Identifier: BSD-3-Clause
"""Bodies that move by what a sum says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import points_of, strengths_of
from ._errors import Error, InputError
from ._gpu import host_copy
from ._kernels import number
from ._sum import Sum, Values


class Conserved(NamedTuple):
    """What the motion of bodies conserves: the sum of both energies, and both momenta."""

    kinetic: float
    potential: float
    momentum: tuple[float, float, float]
    angular_momentum: tuple[float, float, float]

    @property
    def energy(self) -> float:
        return self.kinetic + self.potential


class Leapfrog:
    """Moves bodies by leapfrog steps: half a kick, a drift, half a kick.

    f: a sum whose values begin with an acceleration, as those of Gravity do, of n sources without
    targets; its points are moved by these steps alone
    x, v: (n, 3) positions and velocities, m: (n,) masses; they are copied. On a GPU bodies by a tree
    stay in its memory until they are looked at, and f is where they were looked at last.
    dt: time of a step, not 0; may be negative

    >>> import numpy, starfmm
    >>> x = numpy.random.rand(1000, 3)
    >>> f = starfmm.Sum(starfmm.Gravity(starfmm.Plummer(1e-2)), x, tol=1e-3)
    >>> run = starfmm.Leapfrog(f, x, numpy.zeros_like(x), numpy.full(1000, 1e-3), dt=1e-3)
    >>> run.step(2)
    >>> run.time
    0.002
    """

    _ends_after = 0

    def __init__(self, f: Sum, x: ArrayLike, v: ArrayLike, m: ArrayLike, dt: float) -> None:
        if not isinstance(f, Sum):
            raise InputError(f"f = {f!r}: must be a starfmm.Sum")
        self._core: _core.Leapfrog | None = None
        self._sum = f
        dimension = f._made.dimension
        places = points_of(host_copy(x), "x", dimension)
        velocities = points_of(host_copy(v), "v", dimension)
        masses = strengths_of(host_copy(m), "m", f.n_sources, f._takes_complex)
        if masses.ndim != 1:
            raise InputError(f"m: has the shape {masses.shape}; takes ({f.n_sources},)")
        time = number("dt", dt)
        with f._use() as core:
            f._runtime._users.add(self)
            self._core = _core.Leapfrog(core, places, velocities, masses, time)

    def step(self, n: int = 1) -> None:
        """Takes n steps, each of which evaluates the sum once. Ctrl-C ends between two steps."""
        for _ in range(n):
            with self._use() as core:
                core.step()

    @property
    def time(self) -> float:
        with self._use() as core:
            return core.time

    @property
    def positions(self) -> np.ndarray:
        """(n, 3), a copy."""
        with self._use() as core:
            return core.positions().reshape(self._sum.n_sources, -1)

    @property
    def velocities(self) -> np.ndarray:
        """(n, 3), a copy."""
        with self._use() as core:
            return core.velocities().reshape(self._sum.n_sources, -1)

    @property
    def values(self) -> Values:
        """What the sum is at the present positions: the acceleration, and what comes with it."""
        with self._use() as core:
            table = core.values().reshape(self._sum.n_sources, -1)
        ends = np.cumsum([part.size for part in self._sum._made.parts])
        parts = [
            columns[:, 0] if columns.shape[1] == 1 else columns
            for columns in np.split(table, ends[:-1], axis=1)
        ]
        return tuple(parts) if len(parts) > 1 else parts[0]

    @property
    def conserved(self) -> Conserved:
        """Energies and momenta at present, of a sum with potentials."""
        with self._use() as core:
            return Conserved(*core.conserved())

    @contextmanager
    def _use(self) -> Iterator[_core.Leapfrog]:
        with self._sum._use():
            if self._core is None:
                raise Error("the runtime of this run has ended")
            yield self._core

    def _release(self) -> None:
        if self._core is not None:
            self._core.end()
        self._core = None
