# SPDX-License-Identifier: MIT
"""Sleeps until the next whole second of the guest's clock. Runs inside the guest, alone.

What came before took a few microseconds more or less, depending on the length of names and on what
else the kernel has. Such a difference at the start grows into another result: so all traffic starts
at the same instant. Python's own sleep() counts in floating point, and is a nanosecond off at times.
"""

from __future__ import annotations

import ctypes
import time

LEAST = 0.5  # seconds: what was started before has settled by then
SECOND = 10**9
ABSOLUTE = 1  # TIMER_ABSTIME


class TimeSpec(ctypes.Structure):
    """struct timespec."""

    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


until = TimeSpec((time.monotonic_ns() + int(LEAST * SECOND)) // SECOND + 1, 0)
ctypes.CDLL(None).clock_nanosleep(time.CLOCK_MONOTONIC, ABSOLUTE, ctypes.byref(until), None)
