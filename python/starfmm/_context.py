# SPDX-License-Identifier: BSD-3-Clause
"""Where sums run: one runtime a process at a time, made when the first sum needs it."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from . import _core
from ._errors import Error, InputError


class _User(Protocol):
    """What a runtime has to outlive: runs, which end before sums."""

    _ends_after: int

    def _release(self) -> None: ...


class Runtime:
    """StarPU with workers on this machine's cores: `with starfmm.runtime(cores=2) as rt: ...`.

    Sums that are made within run there, and end with it.
    """

    def __init__(
        self,
        cores: int | None = None,
        gpus: int | None = None,
        scheduler: str = "",
        record: bool = False,
    ) -> None:
        self._options = (cores, gpus, scheduler, record)
        self._context: _core.Context | None = None
        self._process = 0
        self._lock = threading.Lock()  # of whoever uses the context
        self._users: weakref.WeakSet[_User] = weakref.WeakSet()

    def __enter__(self) -> Runtime:
        _begin(self)
        return self

    def __exit__(self, *_: object) -> None:
        _end(self)

    def __repr__(self) -> str:
        if self._context is None:
            return "<starfmm.Runtime, not running>"
        return f"<starfmm.Runtime, {self.cores} cores, {self.gpus} GPUs, scheduler {self.scheduler}>"

    @property
    def cores(self) -> int:
        return self._running().cores

    @property
    def gpus(self) -> int:
        return self._running().gpus

    @property
    def scheduler(self) -> str:
        return self._running().scheduler

    @property
    def notice(self) -> str:
        """What to know of how StarPU started; empty if all is as usual."""
        return self._running().notice

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes when and where tasks ran, of a runtime with record=True.

        The suffix chooses the format: `.json` for Perfetto, `.html` and `.txt` to read.
        """
        with self._use() as context:
            context.write_trace(os.fspath(path))

    def _running(self) -> _core.Context:
        if self._context is None:
            raise Error("the runtime has ended, and its sums with it: make them again")
        _check_process(self._process)
        return self._context

    @contextmanager
    def _use(self) -> Iterator[_core.Context]:
        """The context, for one thread at a time. Ctrl-C ends the waiting for others."""
        self._running()
        with self._lock:
            yield self._running()

    def _start(self) -> None:
        self._context = _core.Context(*self._options)
        self._process = os.getpid()

    def _stop(self) -> None:
        with self._lock:
            for user in sorted(self._users, key=lambda user: user._ends_after):
                user._release()
            if self._context is not None:
                self._context.end()
            self._context = None


_lock = threading.RLock()  # of what follows
_current: Runtime | None = None
_is_default = False


def runtime(
    *,
    cores: int | None = None,
    gpus: int | None = None,
    scheduler: str = "",
    record: bool = False,
) -> Runtime:
    """Where the sums of a `with` block run; without it they run on every core.

    A process has one runtime at a time: the one that earlier sums have made ends, and they with it.

    cores, gpus: how many; by default every core, GPUs not yet
    scheduler: a policy of StarPU's or the library's; by default as workers ask
    record: whether to keep when each task ran, for `write_trace`

    >>> import numpy, starfmm
    >>> with starfmm.runtime(cores=1) as rt:
    ...     phi = starfmm.laplace3d(numpy.random.rand(1000, 3), numpy.ones(1000))
    ...     print(rt.cores)
    1
    """
    return Runtime(cores, gpus, scheduler, record)


def current() -> Runtime:
    """The runtime of the `with` block, else the default one."""
    global _current, _is_default
    with _lock:
        if _current is None:
            default = Runtime()
            default._start()
            _current, _is_default = default, True
        _check_process(_current._process)
        return _current


def _begin(starting: Runtime) -> None:
    global _current, _is_default
    with _lock:
        if _current is not None:
            _check_process(_current._process)
            if not _is_default:
                raise InputError("runtime: another one runs already; leave its `with` block first")
            _current._stop()
            _current = None
        starting._start()
        _current, _is_default = starting, False


def _end(ending: Runtime) -> None:
    global _current
    with _lock:
        if _current is not ending:
            return
        if ending._process == os.getpid():
            ending._stop()
            _current = None


def _check_process(process: int) -> None:
    if process != os.getpid():
        raise Error(
            "this process was forked from one in which starfmm runs, whose workers it does not"
            " have: start processes by multiprocessing.get_context('spawn'), or fork before the"
            " first sum"
        )


def _renew_lock() -> None:
    """In a forked child: the lock may be that of a thread that the child does not have."""
    global _lock
    _lock = threading.RLock()


def _end_at_exit() -> None:
    if _current is None or _current._process != os.getpid():
        return
    if not _current._lock.acquire(blocking=False):
        _core.end_sums()  # the sum of a thread that nobody waits for
        if not _current._lock.acquire(timeout=10):
            return
    _current._lock.release()
    _end(_current)


os.register_at_fork(after_in_child=_renew_lock)
atexit.register(_end_at_exit)
