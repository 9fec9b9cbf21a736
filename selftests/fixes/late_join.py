# SPDX-License-Identifier: GPL-2.0
"""A subflow joins, and half of a mapping comes on it, while a system call owns the connection.

That is setsockopt(TCP_CONGESTION), which waits for a program that loads the module.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.byhand import ISN
from conformance.capture import ACK
from conformance.case import pattern
from conformance.raw import is_fourth
from conformance.wire import Wire
from hand import Check, accepted, main

HELPER = Path("/proc/sys/kernel/modprobe")
SIZE, SECONDS = 500, 2
DATA = pattern(2 * SIZE)


@contextmanager
def slow_to_load() -> Iterator[None]:
    before = HELPER.read_text()
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory, "load")
        program.write_text(f"#!/bin/sh\nexec sleep {SECONDS}\n")
        program.chmod(0o755)
        HELPER.write_text(str(program))
        try:
            yield
        finally:
            HELPER.write_text(before)


def own(program: socket.socket) -> int:
    """In a process of its own, whose number this is."""
    child = os.fork()
    if not child:
        with contextlib.suppress(OSError):
            program.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"nonesuch")
        os._exit(0)
    time.sleep(0.5)
    return child


def read(program: socket.socket) -> bytes:
    got = b""
    program.settimeout(5)
    with contextlib.suppress(TimeoutError):
        while len(got) < len(DATA) and (data := program.recv(len(DATA))):
            got += data
    return got


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    start = peer.sent
    with slow_to_load():
        owner = own(program)
        other = peer.join()
        yield is_fourth(other.got), "a subflow joins", "it does not"
        mapping = peer.dss(DATA, place=start, ssn=1)
        wire.send(other.port, ACK, ISN + 1, other.ack, mapping, DATA[:SIZE])
        owned = os.waitpid(owner, os.WNOHANG) == (0, 0)
        yield owned, "while somebody owns the connection", "nobody does"
        if owned:
            os.waitpid(owner, 0)
    wire.send(other.port, ACK, ISN + 1 + SIZE, other.ack, mapping, DATA[SIZE:])
    got = read(program)
    yield got == DATA, "all that it maps arrives in its place", f"{len(got)} bytes"


if __name__ == "__main__":
    main(check)
