# SPDX-License-Identifier: MIT
"""Many servers that are asked at the same instant: one program has all of them, one all clients.

With a process for each, 300 servers would need more memory than a guest has. In virtual time they
lose nothing: what a program computes takes none.
"""

from __future__ import annotations

import contextlib
import random
import selectors
import socket
import struct
import time

from .connections import LIBC, Config, connect, listener, receive_whole, subflows, totals

CLONE_NEWNET = 0x40000000
SETTLE = 0.5  # seconds for a connection's subflows to come up
LENGTH = struct.Struct("=I")
PIECE = memoryview(bytes(1 << 18))


def enter(namespace: str) -> None:
    """Sockets from here on, and counters, are those of the namespace."""
    with open(f"/run/netns/{namespace}") as file:  # noqa: PTH123 (no pathlib: slow)
        if LIBC.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(f"cannot enter the network namespace {namespace}")


def timeouts(netstat: str) -> int:
    """Retransmission timers that expired, of a /proc/net/netstat."""
    names, values = (line.split() for line in netstat.splitlines() if line.startswith("TcpExt:"))
    return int(values[names.index("TCPTimeouts")])


def _timeouts_here() -> int:
    with open("/proc/thread-self/net/netstat") as file:  # noqa: PTH123
        return timeouts(file.read())


class Answering:
    """A server. A request is the length of its answer; of length 0: it was the last."""

    peer: socket.socket | None = None

    def __init__(self, c: Config) -> None:
        self.c = c
        self.request, self.owed, self.ended = bytearray(), 0, False
        self.found: Config = {}

    def accept(self, listening: socket.socket) -> socket.socket:
        self.peer = listening.accept()[0]
        self.peer.setblocking(False)
        return self.peer

    def read(self) -> None:
        try:
            got = self.peer.recv(LENGTH.size - len(self.request))
        except BlockingIOError:  # it was nothing
            return
        self.request += got
        self.ended = not got
        if len(self.request) == LENGTH.size:
            length = LENGTH.unpack(self.request)[0]
            self.request.clear()
            self.owed += length
            self.ended = not length

    def write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self.owed:
                self.owed -= self.peer.send(PIECE[: self.owed])

    def end(self) -> None:
        """Everything arrived, as the client says, who waits for the end."""
        enter(self.c["host"])
        self.found = {
            "trace": [[time.monotonic(), subflows(self.peer, self.c)]],
            "totals": totals(self.peer, self.c),
            "timeouts": _timeouts_here(),
        }
        self.peer.close()


def _each(c: Config) -> list[Config]:
    return [{**c, **flow} for flow in c["flows"]]


def answer(c: Config) -> Config:
    """Answer each request of every client."""
    servers = [Answering(each) for each in _each(c)]
    with selectors.DefaultSelector() as waiting:
        for server in servers:
            enter(server.c["host"])
            waiting.register(listener(server.c), selectors.EVENT_READ, server)
        while waiting.get_map():
            for key, events in waiting.select():
                if key.data.peer:
                    _serve(waiting, key.data, events)
                else:
                    waiting.unregister(key.fileobj)  # of a server there is one client
                    waiting.register(key.data.accept(key.fileobj), selectors.EVENT_READ, key.data)
    return {"servers": [server.found for server in servers]}


def _serve(waiting: selectors.BaseSelector, server: Answering, events: int) -> None:
    """What has come, and as much of the answer as the socket takes."""
    if events & selectors.EVENT_READ:
        server.read()
    if server.ended:
        waiting.unregister(server.peer)
        server.end()
        return
    server.write()
    wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if server.owed else 0)
    waiting.modify(server.peer, wanted, server)


def ask(c: Config) -> Config:
    """Ask all servers for `size` bytes at once, `rounds` times; in random order, as one after the other
    has its turn.

    When each round began, and when the last one ended; how long each server's answer took, by round.
    """
    peers = []
    for each in _each(c):
        enter(each["host"])
        peers.append(connect(each))
        _round(peers[-1:], 1)  # what a server needs before it lets further subflows join
    time.sleep(SETTLE)
    began, took = [], []
    for _ in range(c["rounds"]):
        began.append(time.monotonic())
        answers = _round(peers, c["size"])
        if None in answers:
            break
        took.append(answers)
    began.append(time.monotonic())
    for peer in peers:
        with contextlib.suppress(OSError):
            peer.setblocking(True)
            peer.send(LENGTH.pack(0))
            receive_whole(peer, bytearray(1))
        peer.close()
    return {"rounds": began, "took": took}


def _round(peers: list[socket.socket], size: int) -> list[float | None]:
    """Seconds until each answer was whole; None: it never was."""
    took: list[float | None] = [None] * len(peers)
    missing, buffer = [size] * len(peers), bytearray(1 << 18)
    start = time.monotonic()
    with selectors.DefaultSelector() as waiting:
        for n in random.sample(range(len(peers)), len(peers)):
            peers[n].setblocking(False)
            peers[n].send(LENGTH.pack(size))
            waiting.register(peers[n], selectors.EVENT_READ, n)
        while waiting.get_map():
            for key, _ in waiting.select():
                n = key.data
                try:
                    got = peers[n].recv_into(buffer, min(len(buffer), missing[n]))
                except BlockingIOError:
                    continue
                missing[n] -= got
                if not got or not missing[n]:
                    waiting.unregister(peers[n])
                    took[n] = None if missing[n] else time.monotonic() - start
    return took
