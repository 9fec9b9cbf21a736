# SPDX-License-Identifier: MIT
"""Short flows, as of people who read pages: a connection each, at times that do not depend on how
the ones before get on."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from typing import Any

from .connections import Config, Enough, connect, listener, receive_whole
from .transfers import HEAD, head, receive_bytes

MOST, SHAPE = 5_000_000, 1.2  # bytes; exponent of the tail


def size(draw: float, least: float, most: float = MOST) -> float:
    """Of a flow: a bounded Pareto distribution, of which a number below 1 is drawn."""
    ratio = (least / most) ** SHAPE
    return least / (1 - draw * (1 - ratio)) ** (1 / SHAPE)


def mean_size(least: float, most: float = MOST) -> float:
    """Of that distribution."""
    ratio = (least / most) ** SHAPE
    return least * SHAPE / (SHAPE - 1) * (1 - (least / most) ** (SHAPE - 1)) / (1 - ratio)


def least_size(mean: float) -> float:
    """The smallest flow of the distribution with this mean, by halving the interval."""
    low, high = 1.0, float(MOST)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_size(middle) < mean else (low, middle)
    return low


def serve(c: Config) -> Config:
    """Answer each connection with as many bytes as it asks for."""
    waiting = listener(c)

    def answer(peer: socket.socket) -> None:
        request = bytearray(HEAD.size)
        with peer, contextlib.suppress(ConnectionError):
            if receive_whole(peer, request):
                peer.sendall(bytes(HEAD.unpack(request)[1]))

    with contextlib.suppress(Enough):
        while True:
            threading.Thread(target=answer, args=(waiting.accept()[0],), daemon=True).start()
    return {}


def browse(c: Config) -> Config:
    """`rate` bytes a second on the mean, in flows of a mean `size`: of each when it began, its
    bytes, and how long it took (None: it did not end)."""
    drawn, flows = random.Random(c["draw"]), []
    least = least_size(c["size"])

    def fetch(flow: list[Any]) -> None:
        with contextlib.suppress(OSError), connect(c) as peer:
            peer.sendall(head(HEAD.size, flow[1]))
            if receive_bytes(peer, flow[1]):
                flow[2] = time.monotonic() - flow[0]

    with contextlib.suppress(Enough):
        time.sleep(c["delay"])
        due = time.monotonic()
        end = due + c["seconds"]
        while (due := due + drawn.expovariate(c["rate"] / c["size"])) < end:
            time.sleep(max(0.0, due - time.monotonic()))
            flows.append([time.monotonic(), round(size(drawn.random(), least)), None])
            threading.Thread(target=fetch, args=(flows[-1],), daemon=True).start()
        time.sleep(c["patience"])
    return {"flows": flows}
