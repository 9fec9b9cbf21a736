# SPDX-License-Identifier: MIT
"""Remote procedure calls over one connection."""

from __future__ import annotations

import contextlib
import select
import socket
import time

from .connections import Config, connection, stop_ticks, totals, trace_subflows
from .transfers import CHUNK, HEAD, head


class Calls:
    """Requests on their way, and what came back of their answers."""

    def __init__(self, peer: socket.socket, request: int, answer: int) -> None:
        self._peer, self._answer = peer, answer
        self._request = head(request, answer) + bytes(request - HEAD.size)
        self._unsent, self._got = memoryview(b""), 0
        self.due: list[float] = []
        self.delays: list[float] = []

    @property
    def outstanding(self) -> int:
        return len(self.due) - len(self.delays)

    def ask(self, due: float) -> None:
        self.due.append(due)
        self._unsent = memoryview(bytes(self._unsent) + self._request)
        self._send()

    def _send(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._unsent = self._unsent[self._peer.send(self._unsent) :]

    def turn(self, until: float) -> bool:
        """Wait for the socket or for the time; False: the peer is gone."""
        writes = [self._peer] if self._unsent else []
        # not poll(), whose clock is too coarse
        readable, writable, _ = select.select([self._peer], writes, [], max(0.0, until - time.monotonic()))
        if writable:
            self._send()
        return not readable or self._receive()

    def _receive(self) -> bool:
        count = len(self._peer.recv(CHUNK))
        self._got += count
        now = time.monotonic()
        while self._got >= self._answer and self.outstanding:
            self._got -= self._answer
            self.delays.append(now - self.due[len(self.delays)])
        return count > 0


def call(c: Config) -> Config:
    """For `seconds`, calls that are due at equal intervals, answered before or not; or, without an
    interval, each when the one before is answered. What is under way then is waited for."""
    trace: list[object] = []
    peer = connection(c)
    start = time.monotonic()
    trace_subflows(peer, c, trace)
    peer.setblocking(False)
    calls, end, interval = Calls(peer, c["request"], c["answer"]), start + c["seconds"], c["interval"]
    while time.monotonic() < end + c["patience"]:
        due = start + len(calls.due) * interval if interval else time.monotonic()
        more = due < end
        if more and due <= time.monotonic() and (interval or not calls.outstanding):
            calls.ask(due)
            continue
        done = not more and not calls.outstanding
        if done or not calls.turn(due if more and interval else end + c["patience"]):
            break
    stop_ticks()
    return {
        **{"start": start, "due": [d - start for d in calls.due], "delays": calls.delays},
        **{"trace": trace, "totals": totals(peer, c)},
    }
