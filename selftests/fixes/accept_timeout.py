# SPDX-License-Identifier: GPL-2.0
"""How long accept() waits when nobody comes."""

from __future__ import annotations

import socket
import struct
import threading
import time

from ends import Ends, main
from hand import Check

SECONDS = 1


def check(ends: Ends) -> Check:
    waiting = ends.listener()
    waiting.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", SECONDS, 0))
    took = []

    def accept() -> None:
        begin = time.monotonic()
        try:
            waiting.accept()
        except BlockingIOError:
            took.append(time.monotonic() - begin)

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    accepting.join(3 * SECONDS)
    yield bool(took), "accept() gives up", f"it still waits after {3 * SECONDS} s"
    if took:
        yield abs(took[0] - SECONDS) < 0.2, "after as long as was asked for", f"{took[0]:.1f} s"


if __name__ == "__main__":
    main(check)
