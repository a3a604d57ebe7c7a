# SPDX-License-Identifier: BSD-3-Clause
"""Runtimes, threads, forks, Ctrl-C and ends of processes."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from conftest import error, exact_laplace, run_program

import starfmm

X, Q = np.random.default_rng(1).random((400, 3)), np.ones(400)
EXACT = exact_laplace(X, Q)[0]
# a sum of minutes: what ends in SOON was ended, also on a machine that others use; alone it takes a second
SOON = 20
LONG = "starfmm.Sum(starfmm.Laplace3d(), numpy.random.rand(400_000, 3), tol=1e-9, method='direct')"
START = "import os, signal, sys, threading, time\nimport numpy, starfmm\n"


def assert_runs(text: str, *, code: int = 0, timeout: float = 60) -> str:
    ended = run_program(START + text, timeout=timeout)
    assert ended.returncode == code, ended.stderr
    return ended.stdout


def test_runtimes_in_turn():
    assert error(starfmm.laplace3d(X, Q), EXACT) < 1e-6
    for scheduler in ("eager", "prio", ""):
        with starfmm.runtime(cores=1, scheduler=scheduler) as rt:
            assert rt.cores == 1 and rt.gpus == 0
            assert rt.scheduler == scheduler or not scheduler
            assert "1 cores" in repr(rt)
            f = starfmm.Sum(starfmm.Laplace3d(), X)
            assert error(f(Q), EXACT) < 1e-6 and f.report.cores == 1
    assert "not running" in repr(rt)
    assert error(starfmm.laplace3d(X, Q), EXACT) < 1e-6


def test_sums_end_with_their_runtime():
    f = starfmm.Sum(starfmm.Gravity(), X)
    run = starfmm.Leapfrog(f, X, 0 * X, Q, 1e-3)
    with starfmm.runtime(cores=1) as rt:
        for use in (lambda: f(Q), lambda: f.report, lambda: run.step(), lambda: f.move(X)):
            with pytest.raises(starfmm.Error, match="make .* again"):
                use()
        assert "has ended" in repr(f)
        g = starfmm.Sum(starfmm.Laplace3d(), X)
    with pytest.raises(starfmm.Error, match="make .* again"):
        g(Q)
    with pytest.raises(starfmm.Error, match="has ended"):
        rt.cores  # noqa: B018


def test_a_second_runtime_is_refused():
    with starfmm.runtime(cores=1):
        with pytest.raises(starfmm.InputError, match="leave its `with` block first"):
            with starfmm.runtime(cores=1):
                pass
        assert error(starfmm.laplace3d(X, Q), EXACT) < 1e-6


@pytest.mark.parametrize(
    ("workers", "message"),
    [
        ({"cores": -1}, "^cores = -1"),
        ({"cores": 100_000}, "^cores = 100000"),
        ({"scheduler": "none such"}, "none such"),
        ({"gpus": 1}, "(?i)gpu"),
    ],
)
def test_workers_that_are_not_there(workers, message):
    with pytest.raises(starfmm.InputError, match=message):
        with starfmm.runtime(**workers):
            pass
    assert error(starfmm.laplace3d(X, Q), EXACT) < 1e-6


def test_a_runtime_ends_with_an_exception():
    with pytest.raises(ZeroDivisionError):
        with starfmm.runtime(cores=1):
            raise ZeroDivisionError
    with starfmm.runtime(cores=1):
        pass


def test_traces(tmp_path):
    with starfmm.runtime(record=True) as rt:
        starfmm.laplace3d(X, Q)
        rt.write_trace(tmp_path / "run.json")
        with pytest.raises(starfmm.InputError, match="^path = .*run.doc: must end in .json"):
            rt.write_trace(tmp_path / "run.doc")
        with pytest.raises(starfmm.InputError):
            rt.write_trace(tmp_path / "none" / "run.json")
    assert (tmp_path / "run.json").stat().st_size > 100
    with starfmm.runtime() as rt, pytest.raises(starfmm.InputError, match="nothing was recorded"):
        rt.write_trace(tmp_path / "run.json")


def test_threads_share_a_sum():
    x = np.random.default_rng(2).random((5000, 3))
    f = starfmm.Sum(starfmm.Laplace3d(), x)
    expected = f(np.ones(5000))
    found = []

    def work(i):
        for _ in range(5):
            own = starfmm.Sum(starfmm.Laplace3d(), x)
            found.append((f if i % 2 else own)(np.full(5000, i + 1.0)) / (i + 1))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    for values in found:
        assert error(values, expected) < 2e-6  # each is within half of that of the exact ones


def test_other_threads_run_while_a_sum_does():
    x = np.random.default_rng(2).random((30_000, 3))
    f = starfmm.Sum(starfmm.Laplace3d(), x, tol=1e-9, method="direct")
    ticks, is_over = [], threading.Event()

    def tick():
        while not is_over.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    f(np.ones(30_000))
    end = time.monotonic()
    is_over.set()
    thread.join()
    within = [t for t in ticks if start < t < end]
    # at least once in 100 ms, of which 5 would be enough on an idle machine
    assert len(within) >= (end - start) / 0.1


def test_sums_that_are_dropped_while_another_runs():
    x = np.random.default_rng(2).random((20_000, 3))
    f = starfmm.Sum(starfmm.Laplace3d(), x, method="direct")
    thread = threading.Thread(target=f, args=(np.ones(20_000),))
    thread.start()
    for _ in range(20):
        starfmm.Sum(starfmm.Laplace3d(), X)
    thread.join()
    assert f.check(np.ones(20_000), n=10).are_allowed


def forked(work) -> int:
    """The exit code of a child that does something, of which None passes for 0."""
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # ends a child that waits for ever
        try:
            os._exit(work() or 0)
        except BaseException:  # noqa: BLE001
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("use", ["sum", "new sum", "report", "repr", "check", "move", "runtime"])
def test_a_forked_child_gets_an_exception(use):
    x = np.random.default_rng(2).random((150_000, 3))  # as many as threads copy
    q = np.ones(len(x))
    f = starfmm.Sum(starfmm.Laplace3d(), x)
    uses = {
        "sum": lambda: f(q),
        "new sum": lambda: starfmm.laplace3d(x, q),
        "report": lambda: f.report,
        "check": lambda: f.check(q, q),
        "repr": lambda: repr(f),
        "move": lambda: f.move(x),
        "runtime": lambda: starfmm.runtime(cores=1).__enter__(),
    }

    def work():
        try:
            result = uses[use]()
        except starfmm.Error as raised:
            return 0 if "get_context('spawn')" in str(raised) else 1
        return 0 if use == "repr" and "ended" in result else 2

    assert forked(work) == 0
    assert f.report.n_sources == len(x)  # the parent goes on


def test_a_forked_child_ends():
    assert_runs(
        "f = starfmm.Sum(starfmm.Laplace3d(), numpy.random.rand(3000, 3)); f(numpy.ones(3000))\n"
        "child = os.fork()\n"
        "if child == 0: signal.alarm(30); sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "f(numpy.ones(3000))"
    )


def test_a_fork_before_the_first_sum_serves():
    assert_runs(
        "child = os.fork()\n"
        "x = numpy.random.rand(3000, 3)\n"
        "with starfmm.runtime(cores=1): phi = starfmm.laplace3d(x, numpy.ones(3000))\n"
        "assert numpy.isfinite(phi).all()\n"
        "if child: assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
    )


def test_processes_that_are_spawned(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing, numpy, starfmm\n"
        "def work(n):\n"
        "    with starfmm.runtime(cores=1):\n"
        "        return starfmm.laplace3d(numpy.eye(3)[:n], numpy.ones(n)).sum()\n"
        "if __name__ == '__main__':\n"
        "    work(2)\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        assert abs(pool.map(work, [1, 2])[1] - 2 ** 0.5) < 1e-6\n"
    )
    assert_runs(f"import runpy; runpy.run_path({str(program)!r}, run_name='__main__')")


CTRL_C = f"""
f = {LONG}
q = numpy.ones(f.n_sources)
out = numpy.full(f.n_sources, 7.0)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    f(q, out=out)
except KeyboardInterrupt:
    print(time.monotonic() - start - 0.5)
assert (out == 7).all()
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
f.move(numpy.random.rand(1000, 3))
assert f.check(numpy.ones(1000)).are_allowed
"""


def test_ctrl_c_ends_a_long_sum():
    assert float(assert_runs(CTRL_C, timeout=120)) < SOON


def test_ctrl_c_that_nobody_catches():
    text = f"f = {LONG}\nthreading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\nf("
    ended = run_program(START + text + "numpy.ones(f.n_sources))", timeout=120)
    assert ended.returncode == -signal.SIGINT
    assert ended.stderr.rstrip().endswith("KeyboardInterrupt")


def test_a_handler_of_ones_own_says_how_it_goes_on():
    assert_runs(
        "seen = []\n"
        "signal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "f = starfmm.Sum(starfmm.Laplace3d(), numpy.random.rand(40_000, 3), method='direct')\n"
        "q = numpy.ones(40_000)\n"
        "threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "phi = f(q)\n"
        "while not seen: time.sleep(0.01)\n"
        "assert f.check(q, phi, n=20).are_allowed",
        timeout=120,
    )


def test_ctrl_c_while_another_thread_sums():
    out = assert_runs(
        f"f = {LONG}\n"
        "q = numpy.ones(f.n_sources)\n"
        "thread = threading.Thread(target=f, args=(q,), daemon=True)\n"
        "thread.start(); time.sleep(0.3)\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "start = time.monotonic()\n"
        "try: f(q)\n"
        "except KeyboardInterrupt: print(time.monotonic() - start)\n",
        timeout=120,
    )
    assert float(out) < SOON


def test_a_process_ends_with_live_sums():
    out = assert_runs(
        "f = starfmm.Sum(starfmm.Laplace3d(), numpy.random.rand(3000, 3)); f(numpy.ones(3000))\n"
        "g = starfmm.Sum(starfmm.Gravity(), numpy.random.rand(3000, 3))\n"
        "run = starfmm.Leapfrog(g, numpy.random.rand(3000, 3), numpy.zeros((3000, 3)),"
        " numpy.ones(3000), 1e-3)\n"
        "g.itself = g; sys.keep = f, g, run\n"
        "print('done')"
    )
    assert out == "done\n"


def test_a_process_ends_within_a_runtime():
    assert_runs(
        "rt = starfmm.runtime(cores=1); rt.__enter__()\n"
        "f = starfmm.Sum(starfmm.Laplace3d(), numpy.random.rand(3000, 3)); f(numpy.ones(3000))\n"
        "sys.exit(3)",
        code=3,
    )


def test_a_process_ends_while_a_daemon_sums():
    out = assert_runs(
        f"f = {LONG}\n"
        "threading.Thread(target=f, args=(numpy.ones(f.n_sources),), daemon=True).start()\n"
        "time.sleep(0.5); print(time.monotonic())",
        timeout=120,
    )
    assert time.monotonic() - float(out) < SOON  # the clock is the machine's


def test_nothing_is_printed():
    ended = run_program(START + "starfmm.laplace3d(numpy.random.rand(3000, 3), numpy.ones(3000))")
    assert (ended.stdout, ended.stderr) == ("", "")


def test_the_import_starts_nothing():
    assert_runs("assert starfmm._context._current is None and 'scipy' not in sys.modules")


def test_the_version_is_that_of_the_library():
    assert starfmm.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="has no attribute 'version'"):
        starfmm.version  # noqa: B018
