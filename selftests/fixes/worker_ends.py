# SPDX-License-Identifier: GPL-2.0
"""A peer that fell back closes its window and its end; then the program closes, with data that waits."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from conformance.capture import FIN
from conformance.wire import Wire
from hand import Check, accepted, main

WINDOW, BYTES, LOOKS = 4000, 60000, 200


def works() -> bool:
    """Is one of the kernel's workers running, or wants to?"""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, state = stat.read_text().split("(", 1)[1].rsplit(") ", 1)
        except OSError:
            continue
        if name.startswith("kworker") and state[0] == "R":
            return True
    return False


def check(wire: Wire, waiting: socket.socket) -> Check:
    wire.window = WINDOW
    peer, program = accepted(wire, waiting)
    peer.agree_all()
    peer.read = None
    peer.say(b"", b"as TCP")
    peer.hear(0.1)
    yield program.recv(100) == b"as TCP", "the peer fell back", "it did not"
    # the window is full, so the server's FIN waits, and nothing is ever acknowledged
    program.sendall(bytes(BYTES))
    peer.say(b"", flags=FIN)
    yield program.recv(100) == b"", "its FIN comes", "data instead"
    program.close()
    # without a clock, which in virtual time stands still while a worker runs
    busy = 0
    for _ in range(LOOKS):
        os.sched_yield()
        busy += works()
    yield busy < LOOKS // 2, "no worker runs all the time", f"one runs at {busy} of {LOOKS} looks"


if __name__ == "__main__":
    main(check)
