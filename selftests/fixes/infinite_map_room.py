# SPDX-License-Identifier: GPL-2.0
"""The segment with the infinite mapping gets lost: does it come again?"""

from __future__ import annotations

import socket
import threading
import time

from conformance.case import pattern
from conformance.wire import Wire
from hand import MSS_1460, Check, Peer, accepted, is_infinite, main

BYTES, SOME = 300_000, 60_000


def lose(peer: Peer, wire: Wire) -> bool:
    """The infinite mapping and what comes behind it; False if there is none."""
    while (tcp := wire.answer(peer.port)) and not is_infinite(tcp):
        peer.take(tcp)
        peer.agree(tcp)
    time.sleep(0.1)
    while wire.answer(peer.port, patience=0.01):
        pass
    return tcp is not None


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting, tcp_options=MSS_1460)
    threading.Thread(target=program.sendall, args=(pattern(BYTES),), daemon=True).start()
    while len(peer.stream.data) < SOME:
        peer.hear(0.01, peer.agree)
    peer.fail(len(peer.stream.data))
    found = lose(peer, wire)
    yield found, "MP_FAIL is answered by an infinite mapping", f"none in {len(peer.stream.data)} bytes"
    peer.read = None
    got = peer.hear(60, peer.agree)
    yield got.data == pattern(BYTES), "it is lost, comes again, and all behind it", f"{len(got.data)} bytes"


if __name__ == "__main__":
    main(check)
