# SPDX-License-Identifier: GPL-2.0
"""What MSG_PEEK returns when more has come behind what it returned before."""

from __future__ import annotations

import socket
import time

from ends import Ends, main
from hand import Check

PEEK, WAIT = socket.MSG_PEEK, socket.MSG_WAITALL


def check(ends: Ends) -> Check:
    waiting = ends.listener()
    near, far = ends.connection(waiting)
    far.settimeout(3)
    near.sendall(b"first")
    time.sleep(0.5)
    got = far.recv(100, PEEK)
    yield got == b"first", "what is there", f"{got!r}"
    near.sendall(b", second")
    time.sleep(0.5)
    got = far.recv(100, PEEK)
    yield got == b"first, second", "and what comes behind it", f"{got!r}"
    # without the fix the kernel would loop, and the clock of a simulated machine stand still
    if got == b"first, second":
        near.sendall(b", third")
        time.sleep(0.5)
        got = far.recv(20, PEEK | WAIT)
        yield got == b"first, second, third", "with MSG_WAITALL", f"{got!r}"
        far.setblocking(True)
        far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, b"\1" + bytes(15))
        begin = time.monotonic()
        got = far.recv(21, PEEK | WAIT)
        took = time.monotonic() - begin
        yield got == b"first, second, third" and took >= 0.9, "which waits in vain", f"{got!r}, {took:.1f} s"
    got = far.recv(100)
    yield got.startswith(b"first, second"), "all of it can be read", f"{got!r}"


if __name__ == "__main__":
    main(check)
