#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Connections that are closed with data left to send, and a peer that is slow to take it.

orphans.py serve PORT [BYTES SECONDS]: accept all, and read so many bytes of each so often; all on SIGUSR1.
orphans.py wait PORT: listen, but never accept.
orphans.py close|disconnect HOST PORT N: fill the send buffers of N connections, and close them.
"""

from __future__ import annotations

import contextlib
import ctypes
import selectors
import signal
import socket
import sys
import time

MPTCP = 262
BUFFER = 8192


def listener(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    sock.bind(("0.0.0.0", port))
    sock.listen(1000)
    print("listening", flush=True)
    return sock


def drain(conns: list[socket.socket]) -> None:
    """To the end of each."""
    for conn in conns:
        conn.settimeout(60)
        with contextlib.suppress(OSError):
            while conn.recv(1 << 20):
                pass
        conn.close()
    conns.clear()


def serve(port: int, size: int, seconds: float) -> None:
    waiting = listener(port)
    conns: list[socket.socket] = []
    signal.signal(signal.SIGUSR1, lambda *_: drain(conns))
    events = selectors.DefaultSelector()
    events.register(waiting, selectors.EVENT_READ)
    due = time.monotonic() + seconds
    while True:
        if events.select(max(0.0, due - time.monotonic()) if size else None):
            conns.append(waiting.accept()[0])
            conns[-1].setblocking(False)
        if size and time.monotonic() >= due:
            due += seconds
            for conn in conns:
                with contextlib.suppress(OSError):
                    conn.recv(size)


def fill(host: str, port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
    sock.connect((host, port))
    sock.settimeout(0.5)
    with contextlib.suppress(TimeoutError):
        while True:
            sock.send(bytes(4096))
    return sock


def close(host: str, port: int, count: int, disconnect: bool) -> None:
    conns = [fill(host, port) for _ in range(count)]
    for conn in conns:
        if disconnect:
            ctypes.CDLL(None).connect(conn.fileno(), bytes(16), 16)  # AF_UNSPEC
        conn.close()
        time.sleep(0.05)


def main() -> None:
    what, *rest = sys.argv[1:]
    if what == "serve":
        serve(int(rest[0]), int(rest[1]) if rest[1:] else 0, float(rest[2]) if rest[2:] else 0)
    elif what == "wait":
        with listener(int(rest[0])):
            signal.pause()
    else:
        close(rest[0], int(rest[1]), int(rest[2]), what == "disconnect")


main()
