# SPDX-License-Identifier: GPL-2.0
"""A negative length is not a very large one."""

from __future__ import annotations

import ctypes
import errno

from ends import SOL_MPTCP, Ends, main
from hand import Check

MPTCP_INFO = 1
SIZE = 1024
libc = ctypes.CDLL(None, use_errno=True)


def info(fd: int, length: int) -> tuple[int, int]:
    """The error, and how many bytes were written."""
    memory, asked = ctypes.create_string_buffer(b"\xa5" * SIZE, SIZE), ctypes.c_int(length)
    failed = libc.getsockopt(fd, SOL_MPTCP, MPTCP_INFO, memory, ctypes.byref(asked))
    return ctypes.get_errno() if failed else 0, len(memory.raw.rstrip(b"\xa5"))


def check(ends: Ends) -> Check:
    conn, _ = ends.connection(ends.listener())
    got = info(conn.fileno(), 8)
    yield got[0] == 0 and got[1] <= 8, "of a short length, no more is written", f"error, bytes: {got}"
    got = info(conn.fileno(), -1)
    yield got == (errno.EINVAL, 0), "a negative one is refused", f"error, bytes: {got}"


if __name__ == "__main__":
    main(check)
