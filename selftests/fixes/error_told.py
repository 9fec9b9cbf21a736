# SPDX-License-Identifier: GPL-2.0
"""The last subflow is closed for an error of protocol: does the program come to know?"""

from __future__ import annotations

import socket
import time

from conformance.byhand import ISN, is_reset
from conformance.capture import ACK, RST
from conformance.wire import Wire
from hand import Check, accepted, main

# longer than the kernel waits for another subflow
PATIENCE = 100


def outcome(program: socket.socket) -> str:
    try:
        return "the end" if not program.recv(100) else "data"
    except OSError as error:
        # that of settimeout() has no number
        return str(error) if error.errno else "nothing"


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    # with a second subflow it cannot go on as TCP any more
    other = peer.join()
    peer.say_over(other, b"more", peer.sent)
    yield program.recv(100) == b"more", "the second subflow carries data", "it does not"
    wire.send(other.port, RST | ACK, ISN + 1 + len(b"more"), other.ack)
    time.sleep(1)
    peer.say(b"", b"without mapping")
    got = wire.answer(peer.port, is_reset)
    yield is_reset(got), "data without a mapping on the last one: RST", repr(got)
    start = time.monotonic()
    program.settimeout(PATIENCE)
    told = outcome(program)
    took = f"{told} after {time.monotonic() - start:.1f} s"
    yield told not in ("nothing", "data"), "the program is told", took


if __name__ == "__main__":
    main(check)
