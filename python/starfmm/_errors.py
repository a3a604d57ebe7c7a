# SPDX-License-Identifier: BSD-3-Clause
"""What the package raises, besides MemoryError, OSError and KeyboardInterrupt."""


class Error(RuntimeError):
    """What was asked for cannot be done here and now, as in a forked child."""


class InputError(ValueError):
    """An argument is unusable: the message names it, its value, what is allowed, and the cure."""


for _each in (Error, InputError):
    _each.__module__ = "starfmm"
