# SPDX-License-Identifier: GPL-2.0
"""Memory for TCP is used up when the data comes that the program waits for."""

from __future__ import annotations

import contextlib
import socket

from ends import Ends, main
from hand import Check
from short import short_of_memory, take

PATIENCE = 30
LATE = "netem", "delay", "1s"
DATA = b"data"


def received(program: socket.socket) -> bytes:
    program.settimeout(PATIENCE)
    with contextlib.suppress(TimeoutError):
        return program.recv(100)
    return b""


def check(ends: Ends) -> Check:
    """It is on the way when that happens."""
    waiting = ends.listener()
    pairs = [ends.connection(waiting), ends.plain()]
    taken = take(ends, waiting)
    ends.in_server("tc", "qdisc", "replace", "dev", "s1", "root", *LATE)
    for _, sender in pairs:
        sender.send(DATA)
    with short_of_memory():
        got = [received(program) for program, _ in pairs]
    got[1] += received(pairs[1][0])
    for data, what in zip(got, ("Multipath TCP", "after a fallback"), strict=True):
        yield data == DATA, f"{what}: what is next arrives", f"{data!r}"
    for conn in taken:
        conn.close()


if __name__ == "__main__":
    main(check)
