# SPDX-License-Identifier: MIT
"""Many servers that are asked at the same instant."""

from __future__ import annotations

import socket
import struct
import time

from .connections import Config, connection, receive_whole, subflows, totals

BARRIER = "/run/barrier"  # of all processes of a guest, whatever their network namespace
SETTLE = 0.5  # seconds for a connection's subflows to come up
LENGTH = struct.Struct("=I")


def answer(c: Config) -> Config:
    """Answer each request with as many bytes as it asks for, over one connection."""
    trace, request = [], bytearray(LENGTH.size)
    with connection(c) as peer:
        while receive_whole(peer, request):
            peer.sendall(bytes(LENGTH.unpack(request)[0]))
            trace = [[time.monotonic(), subflows(peer, c)]]
        return {"trace": trace, "totals": totals(peer, c)}


def ask(c: Config) -> Config:
    """Ask for `size` bytes together with all others, `rounds` times.

    When each round began, and the last one ended; how long the own answer took.
    """
    rounds, took = [], []

    def receive(size: int) -> bool:
        peer.send(LENGTH.pack(size))
        return receive_whole(peer, bytearray(size))

    def wait_for_all() -> None:
        barrier.send(b"!")
        barrier.recv(1)
        rounds.append(time.monotonic())

    with connection(c) as peer, socket.socket(socket.AF_UNIX) as barrier:
        barrier.connect(BARRIER)
        receive(1)  # what the peer needs before it lets further subflows join
        time.sleep(SETTLE)
        wait_for_all()
        for _ in range(c["rounds"]):
            if receive(c["size"]):
                took.append(time.monotonic() - rounds[-1])
            wait_for_all()
    return {"rounds": rounds, "took": took}


def barrier(c: Config) -> Config:
    """Let `count` processes go on together, as often as they want."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(BARRIER)
        listener.listen(c["count"])
        peers = [listener.accept()[0] for _ in range(c["count"])]
    while all([peer.recv(1) for peer in peers]):
        for peer in peers:
            peer.send(b"!")
    for peer in peers:
        peer.close()
    return {}
