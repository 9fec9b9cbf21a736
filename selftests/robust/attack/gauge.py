# SPDX-License-Identifier: GPL-2.0
"""What something costs the kernel: CPU time, memory, sockets."""

from __future__ import annotations

import ctypes
import mmap
import platform
import time
from collections.abc import Callable
from pathlib import Path

from net import inside

# rdtsc; shl rdx, 32; or rax, rdx; ret
RDTSC = b"\x0f\x31\x48\xc1\xe2\x20\x48\x09\xd0\xc3"


def make_clock() -> Callable[[], int]:
    """Ticks of the CPU. A guest in virtual time jumps over idle times and does not see how long it computes:
    these ticks are what it took of the host."""
    if platform.machine() != "x86_64":
        return time.monotonic_ns
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(RDTSC)
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    function = ctypes.CFUNCTYPE(ctypes.c_uint64)(address)

    def ticks(_keep: mmap.mmap = code) -> int:
        return function()

    return ticks


ticks = make_clock()


def lines(namespace: str, name: str) -> list[list[str]]:
    with inside(namespace):
        return [line.split() for line in Path("/proc/thread-self/net", name).read_text().splitlines()]


def sockets(namespace: str) -> int:
    """Of MPTCP, closed ones that still live included."""
    return next((int(words[2]) for words in lines(namespace, "protocols") if words[0] == "MPTCP"), 0)


def orphans(namespace: str) -> int:
    """Those that TCP counts."""
    return next(int(words[4]) for words in lines(namespace, "sockstat") if words[0] == "TCP:")


def buffers(namespace: str) -> int:
    """Memory of TCP's sockets, in KB."""
    return 4 * next(int(words[-1]) for words in lines(namespace, "sockstat") if words[0] == "TCP:")


def slab() -> int:
    """What the kernel holds in objects, in KB."""
    with Path("/proc/meminfo").open(encoding="ascii") as found:
        return next(int(line.split()[1]) for line in found if line.startswith("SUnreclaim"))
