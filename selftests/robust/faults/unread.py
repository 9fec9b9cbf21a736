#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Data that nobody reads.

unread.py serve PORT PROTOCOL: accept all, and read nothing.
unread.py send HOST PORT PROTOCOL N BYTES: so much on each of N connections, or what goes, once
there is a line to read.
"""

from __future__ import annotations

import contextlib
import resource
import signal
import socket
import sys


def serve(port: int, protocol: int) -> None:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("0.0.0.0", port))
    sock.listen(4096)
    print("listening", flush=True)
    conns = []
    while True:
        conns.append(sock.accept())


def send(host: str, port: int, protocol: int, count: int, size: int) -> None:
    conns = [socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) for _ in range(count)]
    for conn in conns:
        conn.connect((host, port))
    print("open", flush=True)
    sys.stdin.readline()
    for conn in conns:
        conn.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            conn.send(bytes(size))
    print("sent", flush=True)
    signal.pause()


def main() -> None:
    what, *rest = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    if what == "serve":
        serve(int(rest[0]), int(rest[1]))
    else:
        send(rest[0], int(rest[1]), int(rest[2]), int(rest[3]), int(rest[4]))


main()
