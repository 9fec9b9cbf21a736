# SPDX-License-Identifier: MIT
"""Files of others: each at its time, over a connection of its own."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any

from ..connections import Config, Enough, connect
from ..transfers import HEAD, head, receive_bytes


def files(c: Config) -> Config:
    """`plan`: when each begins, and its bytes. Of each how long it took (None: it did not end)."""
    found: list[Any] = [None] * len(c["plan"])

    def fetch(number: int, size: int) -> None:
        began = time.monotonic()
        with contextlib.suppress(OSError), connect(c) as peer:
            peer.sendall(head(HEAD.size, size))
            if receive_bytes(peer, size):
                found[number] = time.monotonic() - began

    with contextlib.suppress(Enough):
        time.sleep(c["delay"])
        start = time.monotonic()
        for number, (at, size) in enumerate(c["plan"]):
            time.sleep(max(0.0, start + at - time.monotonic()))
            threading.Thread(target=fetch, args=(number, size), daemon=True).start()
        while True:
            time.sleep(3600)
    return {"seconds": found}
