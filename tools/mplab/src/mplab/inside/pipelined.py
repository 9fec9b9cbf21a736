# SPDX-License-Identifier: MIT
"""HTTP/1.1 range requests over persistent connections, more than one at a time on each.

h11 parses. It knows one request and its answer at a time, so each request is a parser of its own: what
follows an answer belongs to the next one in the queue.
"""

from __future__ import annotations

import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .connections import Config, protocol
from .segments import Piece, due

sys.path.append("/usr/lib/python3/dist-packages")  # isolated, Python does not look there
try:
    import h11
except ImportError:
    sys.exit("Python's h11 is missing: install python3-h11")

MOST = 1 << 16  # bytes read at a time
ENDED = (h11.NEED_DATA, h11.PAUSED)


class Bad(Exception):
    """An answer that is not what was asked for."""


class Got(NamedTuple):
    """Bytes of a piece. seconds: since it was its turn, if that was its end; else 0."""

    piece: Piece
    offset: int
    count: int
    seconds: float


class _Asked:
    """A request and how much of its answer is there."""

    def __init__(self, piece: Piece) -> None:
        self.piece, self.got = piece, 0
        self.parser = h11.Connection(h11.CLIENT)

    def request(self, host: str) -> bytes:
        last = self.piece.start + self.piece.length - 1
        headers = [("Host", host), ("Range", f"bytes={self.piece.start}-{last}")]
        parts = [h11.Request(method="GET", target="/file", headers=headers), h11.EndOfMessage()]
        return b"".join(self.parser.send(part) or b"" for part in parts)

    def check(self, answer: h11.Response) -> None:
        wanted = f"bytes {self.piece.start}-{self.piece.start + self.piece.length - 1}/".encode()
        if answer.status_code != 206 or not dict(answer.headers).get(b"content-range", b"").startswith(
            wanted
        ):
            raise Bad(f"{answer.status_code} instead of {wanted.decode()}")


class Pipe:
    """A connection to the server, from an address of ours or any."""

    def __init__(self, c: Config, source: str | None, address: str) -> None:
        family = socket.AF_INET6 if c["family"] == 6 else socket.AF_INET
        self.peer = socket.socket(family, socket.SOCK_STREAM, protocol(c))
        self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if source:
            self.peer.bind((source, 0))
        self.peer.connect((address, c["port"]))
        self._host = f"[{address}]" if ":" in address else address
        self._asked: deque[_Asked] = deque()
        self._turn = 0.0  # when the answer that is under way could begin

    def ask(self, piece: Piece) -> None:
        asked = _Asked(piece)
        if not self._asked:
            self._turn = time.monotonic()
        self._asked.append(asked)
        self.peer.sendall(asked.request(self._host))

    def receive(self, now: float) -> Iterator[Got]:
        """What one read gives."""
        data = self.peer.recv(MOST)
        while self._asked:
            first = self._asked[0]
            first.parser.receive_data(data)
            yield from self._events(first, now)
            if first.parser.their_state is not h11.DONE:
                return
            self._asked.popleft()
            data, closed = first.parser.trailing_data
            if not data and not closed:
                return
        raise Bad(f"{len(data)} bytes that nobody asked for" if data else "the server closed the connection")

    def _events(self, first: _Asked, now: float) -> Iterator[Got]:
        while (event := first.parser.next_event()) not in ENDED:
            if isinstance(event, h11.Response):
                first.check(event)
            elif isinstance(event, h11.Data):
                yield Got(first.piece, first.got, len(event.data), 0.0)
                first.got += len(event.data)
            elif isinstance(event, h11.EndOfMessage):
                turn, self._turn = self._turn, now
                yield Got(first.piece, first.got, 0, max(now - turn, 1e-9))
                return
            else:
                raise Bad("the server closed the connection")


def exchange(
    pipes: list[Pipe],
    depth: int,
    take: Callable[[int], Piece | None],
    arrived: Callable[[int, Got, float], None],
    opens: Callable[[], float | None] = lambda: None,
) -> None:
    """Ask and receive until there is nothing left to ask for.

    opens: when there will be more to ask for than now; None: only once something arrives, if ever.
    """
    waiting = [0] * len(pipes)
    with selectors.DefaultSelector() as ready:
        for number, pipe in enumerate(pipes):
            ready.register(pipe.peer, selectors.EVENT_READ, number)
        while True:
            for number, piece in due(waiting, depth, take):
                pipes[number].ask(piece)
            then, now = opens(), time.monotonic()
            if not any(waiting) and then is None:
                return
            if not any(waiting) and then <= now:
                continue
            # what may be asked for and was not waits until an interface has completed a piece
            for key, _ in ready.select(None if then is None or then <= now else then - now):
                now = time.monotonic()
                for got in pipes[key.data].receive(now):
                    arrived(key.data, got, now)
                    waiting[key.data] -= got.seconds > 0
