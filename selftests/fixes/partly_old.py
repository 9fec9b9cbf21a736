# SPDX-License-Identifier: GPL-2.0
"""The first bytes of a segment came on another subflow, while both waited for the program to read.

A subflow drops on its own what is old when it comes. So the connection's buffer must be full when
they do, and the one that is read first must have the shorter part.
"""

from __future__ import annotations

import contextlib
import platform
import socket
import subprocess
import sys
import time

from conformance.case import pattern
from conformance.mapping import MASK32
from conformance.wire import Wire
from ends import complaints
from hand import Check, Peer, accepted, dss_of, main

# the long segment takes more than a page
SIZE, SEGMENTS, LONG = 1000, 4, 6000
DATA = pattern(2 * LONG)


def acknowledged(peer: Peer) -> int:
    dss = dss_of(peer.stream.segments[-1][1])
    assert dss and dss.ack is not None
    return dss.ack & MASK32


def fill(peer: Peer) -> int:
    """More than the buffer takes. How much of it got further than to the subflow."""
    before = acknowledged(peer)
    for at in range(0, SEGMENTS * SIZE, SIZE):
        peer.say(data=DATA[at : at + SIZE])
    peer.hear(0.5)
    return (acknowledged(peer) - before) & MASK32


def read(program: socket.socket) -> bytes:
    got = b""
    with contextlib.suppress(BlockingIOError):
        while data := program.recv(1 << 20):
            got += data
    return got


def check(wire: Wire, waiting: socket.socket) -> Check:
    before = complaints()
    for options, device in (([], "c1"), (["-n", sys.argv[3]], "s1")):
        subprocess.run(["ip", *options, "link", "set", device, "mtu", "9000"], check=True)
    peer, program = accepted(wire, waiting)
    program.setblocking(False)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    other, start = peer.join(), peer.sent
    old = fill(peer)
    yield 0 < old < SEGMENTS * SIZE, "some waits for the program to read", f"{old} bytes do not"
    peer.say_over(other, DATA[old : old + LONG], start + old)
    peer.hear(0.5)
    got = read(program)
    # Linux 7 takes nothing for which the buffer has no room: a peer sends it again
    want = old if int(platform.release().split(".")[0]) >= 7 else old + LONG
    yield got == DATA[:want], "each byte arrives once", f"{len(got)} bytes of {want}"
    program.close()
    peer.fastclose(0)
    time.sleep(70)
    yield (
        complaints() == before,
        "the kernel does not complain when the connection goes",
        "see the kernel log",
    )


if __name__ == "__main__":
    main(check)
