# SPDX-License-Identifier: GPL-2.0
"""The memory that a program writes from cannot be read to its end."""

from __future__ import annotations

import mmap
import socket
import tempfile

from conformance.case import pattern
from conformance.wire import Wire
from hand import Check, accepted, main

GOOD = pattern(40000)


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    with tempfile.TemporaryFile() as file:
        file.truncate(mmap.PAGESIZE)
        with mmap.mmap(file.fileno(), mmap.PAGESIZE) as memory:
            file.truncate(0)  # what is mapped there is no more
            taken = program.sendmsg([GOOD, memory])
    yield 0 < taken <= len(GOOD), "some of what is in front of a fault is taken", f"{taken} bytes"
    got = peer.hear(2, peer.agree)
    yield got.data == GOOD[:taken], "and sent", f"{len(got.data)} bytes of {taken}"
    program.close()


if __name__ == "__main__":
    main(check)
