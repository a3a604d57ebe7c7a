# SPDX-License-Identifier: BSD-3-Clause
"""A sum is planned once and evaluated any number of times."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import as_real, numbers_of, points_of, strengths_of, values_array
from ._context import current
from ._errors import Error, InputError
from ._gpu import GpuNumbers, as_given, host_copy, like_numbers
from ._info import Info, info_of
from ._kernels import Gravity, Harmonic2d, Kernel, Tolerance, kernel_made, tolerance_made
from ._mesh import Mesh, mesh_of, plot_mesh

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse.linalg import LinearOperator

Values = Any  # an array, or a tuple of arrays where values have parts


def _lengths(given: ArrayLike | None) -> np.ndarray | None:
    if given is None:
        return None
    lengths = numbers_of(given, "lengths")
    if lengths.dtype.kind == "c":
        raise InputError("lengths: must be real numbers")
    return lengths


class Sum:
    """Phi(y_i) = sum over j with x_j != y_i of G(y_i, x_j) q_j, of any strengths q.

    kernel: what one source does to one target: Laplace3d, Log2d, Harmonic2d, Gravity
    x: (n, D) sources; in the plane also (n,) complex numbers
    targets: (m, D), the places y; by default the sources
    tol: the error allowed, ||error|| / ||values||; L2 says the same. For gravity also Median
    method: 'fmm', 'direct' or 'automatic'
    precision: 'double', 'mixed', 'single' or 'automatic'
    lengths: (n,), of Gravity(Spline()): a softening length for each source, in the place of epsilon. A
        pair of bodies has the longer one, a target that is none of them the source's
    choices: what else is chosen by predicted time: tree, order, theta, leaf_size and so on

    Raises InputError for arrays of other shapes, coordinates that are not finite, or a tolerance
    that no method has in the precision asked for; MemoryError if memory is short.

    >>> import numpy, starfmm
    >>> y = numpy.random.rand(500, 2)
    >>> f = starfmm.Sum(starfmm.Log2d(), numpy.random.rand(1000, 2), targets=y, tol=1e-9)
    >>> f(numpy.ones((3, 1000))).shape
    (3, 500)
    """

    _ends_after = 1
    _points: tuple[np.ndarray, np.ndarray]  # of a sum with targets of its own: sources and targets

    def __init__(
        self,
        kernel: Kernel,
        x: ArrayLike,
        targets: ArrayLike | None = None,
        tol: Tolerance = 1e-6,
        method: str = "automatic",
        precision: str = "automatic",
        lengths: ArrayLike | None = None,
        **choices: Any,
    ) -> None:
        self._core: _core.Sum | None = None
        self._made = kernel_made(kernel)
        self._is_complex = isinstance(kernel, Harmonic2d)
        self._takes_complex = self._made.strengths == 2
        self.kernel = kernel
        self.tol = tol
        self._asked = {"tol": tol, "method": method, "precision": precision, **choices}
        sources, places = self._places(x, targets)
        own = _lengths(lengths)
        tolerance = tolerance_made(tol)
        self._runtime = current()
        with self._runtime._use() as context:
            self._runtime._users.add(self)  # before: a signal may come between the two
            self._core = _core.Sum(
                context, self._made, sources, places, own, tolerance, method, precision, choices
            )
        self._keep(sources, places)

    def __call__(self, q: ArrayLike, out: Values = None) -> Values:
        """The values at the targets.

        q: (n,) strengths, or (k, n) of k right-hand sides, up to four of which share the work
        out: arrays that take the values; by default new ones, of the precision of q, and like q in
            a GPU's memory or not
        Returns an array, or a tuple of them where values have parts, such as (potential, gradient):
        (m,) of numbers, (m, D) of vectors, with k in front.

        Raises InputError for other shapes, or strengths that are not finite: `out` stays as it was.
        Ctrl-C raises KeyboardInterrupt; the sum can be evaluated again.
        """
        strengths = self._strengths(q)
        parts = self._new_values(strengths) if out is None else self._taken(out, strengths, "out")
        with self._use() as core:
            core.evaluate(as_real(strengths), [as_real(part) for part in parts])
        if out is not None:
            return out
        values = [as_given(part) for part in parts]
        return tuple(values) if len(values) > 1 else values[0]

    def move(self, x: ArrayLike, targets: ArrayLike | None = None, lengths: ArrayLike | None = None) -> None:
        """Takes other points, with the same options.

        Targets that are left out are the sources, or, where the sum has targets of its own, stay, as do
        lengths that are left out.
        """
        sources, places = self._places(x, targets)
        own = _lengths(lengths)
        with self._use() as core:
            core.move(sources, places, own)
        self._keep(sources, places)

    def check(self, q: ArrayLike, values: Values = None, n: int = 1000, seed: int = 1) -> _core.Errors:
        """The errors of values at n random targets, against sums in extended precision.

        values: what the sum returned for q; by default it is evaluated
        """
        strengths = self._strengths(host_copy(q))
        if n < 1:
            raise InputError(f"n = {n}: compares nothing; must be at least 1")
        given = self(q) if values is None else values
        given = tuple(map(host_copy, given)) if isinstance(given, (tuple, list)) else host_copy(given)
        parts = self._taken(given, strengths, "values", is_written=False)
        columns = [self._table(part, strengths.ndim == 2) for part in parts]
        table = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=-1)
        with self._use() as core:
            return core.check(as_real(strengths), table, n, seed)

    @property
    def report(self) -> _core.Report:
        """What was chosen and why, what it took, and the tolerance that it reaches."""
        with self._use() as core:
            return core.report()

    @property
    def info(self) -> Info:
        """What was chosen, as a value to compare and to keep."""
        return info_of(self.report)

    @property
    def choices(self) -> dict[str, Any]:
        """What was chosen, such that Sum(kernel, x, **choices) chooses the same."""
        with self._use() as core:
            return core.choices()

    @property
    def n_sources(self) -> int:
        return self._n_sources

    @property
    def n_targets(self) -> int:
        return self._n_targets

    def as_linear_operator(self) -> LinearOperator:
        """The sum as a matrix of scipy.sparse.linalg, (m, n), of kernels whose value is a number.

        Its adjoint is the sum with sources and targets exchanged, which its first use plans.
        """
        from ._operator import linear_operator

        return linear_operator(self)

    def mesh(self, leaf: int | None = None) -> Mesh:
        """The leaves of the tree, as leaf number `leaf` meets them, by default one past the middle.

        Raises InputError for a sum without a tree, or of gravity.
        """
        return mesh_of(self, leaf)

    def plot_mesh(self, ax: Axes | None = None, leaf: int | None = None) -> Axes:
        """Draws the leaves with matplotlib; in space those at the height of `leaf`'s middle.

        ax: where to draw; by default a new figure
        Returns the axes. Raises as mesh().
        """
        return plot_mesh(self, ax, leaf)

    def __repr__(self) -> str:
        what = f"<starfmm.Sum of {self.kernel}, {self.n_sources} sources, {self.n_targets} targets"
        try:
            report = self.report
        except Error:
            return f"{what}: its runtime has ended>"
        how = "every pair"
        if report.method == "fmm":
            how = f"{report.tree}, order {report.order}, theta {report.theta:.3g}"
        return f"{what}, tol {report.tolerance:g}: {how}, {report.precision} precision>"

    @contextmanager
    def _use(self) -> Iterator[_core.Sum]:
        with self._runtime._use():
            if self._core is None:
                raise Error("the runtime of this sum has ended: make the sum again")
            yield self._core

    def _release(self) -> None:
        if self._core is not None:
            self._core.end()
        self._core = None

    def _places(self, x: ArrayLike, targets: ArrayLike | None) -> tuple[np.ndarray, np.ndarray | None]:
        dimension = self._made.dimension
        places = None if targets is None else points_of(targets, "targets", dimension)
        return points_of(x, "x", dimension), places

    def _keep(self, sources: np.ndarray, places: np.ndarray | None) -> None:
        """Keeps the sizes, and points that the adjoint is planned with, where the sum itself is not it."""
        self._n_sources = len(sources)
        if places is not None:
            self._n_targets = len(places)
            self._has_targets = True
        elif not getattr(self, "_has_targets", False):
            self._n_targets = len(sources)
            self._has_targets = False
        if self._has_targets:
            stays = self._points[1] if places is None else np.array(host_copy(places))
            self._points = (np.array(host_copy(sources)), stays)

    def _exchanged(self) -> Sum:
        """The sum of strengths of the targets at the sources."""
        sources, targets = self._points
        return Sum(self.kernel, targets, sources, **self._asked)

    def _strengths(self, q: ArrayLike) -> np.ndarray:
        name = "m" if isinstance(self.kernel, Gravity) else "q"
        return strengths_of(q, name, self._n_sources, self._takes_complex)

    def _shapes(self, strengths: np.ndarray) -> list[tuple[int, ...]]:
        """The shape of each part of the values."""
        if self._is_complex:
            return [(*strengths.shape[:-1], self._n_targets)]
        front = (*strengths.shape[:-1], self._n_targets)
        return [front if part.size == 1 else (*front, part.size) for part in self._made.parts]

    def _new_values(self, strengths: np.ndarray) -> list[np.ndarray]:
        is_single = strengths.real.dtype == np.float32
        real, complex_ = ("f4", "c8") if is_single else ("f8", "c16")
        number = np.dtype(complex_ if self._is_complex else real)
        if isinstance(strengths, GpuNumbers):
            return [like_numbers(strengths, shape, number) for shape in self._shapes(strengths)]
        return [np.empty(shape, number) for shape in self._shapes(strengths)]

    def _taken(
        self, given: Values, strengths: np.ndarray, name: str, is_written: bool = True
    ) -> list[np.ndarray]:
        """Arrays of the user's for the parts of the values."""
        shapes = self._shapes(strengths)
        parts = given if isinstance(given, (tuple, list)) and len(shapes) > 1 else (given,)
        if len(parts) != len(shapes):
            names = ", ".join(part.name for part in self._made.parts)
            raise InputError(f"{name}: takes a tuple of {len(shapes)} arrays, ({names})")
        named = [name] if len(shapes) == 1 else [f"{name}[{i}]" for i in range(len(shapes))]
        return [
            values_array(part, which, shape, self._is_complex, is_written)
            for part, which, shape in zip(parts, named, shapes, strict=True)
        ]

    def _table(self, part: np.ndarray, has_front: bool) -> np.ndarray:
        """Values (m, size) or (k, m, size) of real numbers."""
        real = as_real(part)
        return real if real.ndim == (3 if has_front else 2) else real[..., np.newaxis]
