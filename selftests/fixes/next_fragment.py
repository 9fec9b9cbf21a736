# SPDX-License-Identifier: GPL-2.0
"""With checksums a retransmission sends the whole fragment, with what was not sent before.

The window takes but a part of the fragment. It opens when the send buffer is full; then that part is
acknowledged to TCP alone, so that the retransmission comes when the subflow is idle, and fills the
send buffer again. The first of it that comes is acknowledged as all.
"""

from __future__ import annotations

import socket
import subprocess
import sys

from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256
from conformance.wire import Wire
from ends import complaints
from hand import Check, accepted, main

SIZE = 30_000


def check(wire: Wire, waiting: socket.socket) -> Check:
    before = complaints()
    subprocess.run(["ip", "-n", sys.argv[3], "link", "set", "s1", "gso_max_segs", "1"], check=True)
    wire.window = 3000
    peer, program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    program.setblocking(False)
    written = program.send(bytes(SIZE))
    unheard = peer.ack
    first = len(peer.hear(0.1).data)
    heard, peer.ack, wire.window = peer.ack, unheard, 65000
    peer.say()
    peer.ack = heard
    peer.say(b"")
    peer.read = written
    peer.hear(1, lambda _: peer.say())
    all_of_it = peer.reached() == written
    yield all_of_it and first < written, "all comes, in two parts", f"{first}, {peer.reached()} of {written}"
    yield complaints() == before, "the kernel does not complain when it is acknowledged", "see the kernel log"


if __name__ == "__main__":
    main(check)
