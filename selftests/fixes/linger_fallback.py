# SPDX-License-Identifier: GPL-2.0
"""How long close() takes that is to wait for the peer, which does not speak MPTCP and reads late."""

from __future__ import annotations

import socket
import struct
import threading
import time

from ends import Ends, main
from hand import Check

READS_AFTER = 2.0


def read_late(far: socket.socket) -> None:
    time.sleep(READS_AFTER)
    while far.recv(1 << 20):
        pass
    far.close()


def closed_after(ends: Ends, seconds: int, ended: bool = False) -> float:
    """With so much patience. ended: both have said that all is sent."""
    near, far = ends.plain()
    # the peer's TCP cannot take all before it reads
    far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, seconds))
    near.setblocking(False)
    sent = near.send(bytes(1 << 20))
    near.setblocking(True)
    if ended:
        far.shutdown(socket.SHUT_WR)
        time.sleep(0.2)
        near.shutdown(socket.SHUT_WR)
        time.sleep(0.2)
    reader = threading.Thread(target=read_late, args=(far,))
    reader.start()
    begin = time.monotonic()
    near.close()
    took = time.monotonic() - begin
    reader.join()
    print(f"# {sent} bytes, {took:.1f} s")
    return took


def check(ends: Ends) -> Check:
    took = closed_after(ends, 30)
    yield READS_AFTER <= took < 30, "close() waits until the peer has all", f"{took:.1f} s"
    took = closed_after(ends, 30, ended=True)
    yield READS_AFTER <= took < 30, "also after shutdown() at both ends", f"{took:.1f} s"
    took = closed_after(ends, 1)
    yield 0.9 <= took < READS_AFTER, "but no longer than it is to", f"{took:.1f} s"


if __name__ == "__main__":
    main(check)
