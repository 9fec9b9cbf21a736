# SPDX-License-Identifier: GPL-2.0
"""Ordinary programs at both ends, in one process.

A test's module has check(ends), which yields what by_hand() of lib.sh makes TAP of, and calls
main(check).
"""

from __future__ import annotations

import fcntl
import select
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from conformance.peer import listener
from conformance.wire import PORT
from hand import Check

from net import inside

MPTCP, SOL_MPTCP = 262, 284


def new_socket(protocol: int = MPTCP) -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)


def reset(conn: socket.socket) -> None:
    """Abort it: the peer gets a RST."""
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    conn.close()


def number(conn: socket.socket, request: int) -> int:
    """What an ioctl says."""
    return struct.unpack("i", fcntl.ioctl(conn, request, bytes(4)))[0]


def complaints() -> int:
    """Of the kernel, so far."""
    return subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout.count("WARNING:")


def is_closed(conn: socket.socket) -> bool:
    """Both directions, as poll() says."""
    poll = select.poll()
    poll.register(conn, select.POLLIN)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def soon(true: Callable[[], bool], seconds: float) -> bool:
    """Is it, within that time?"""
    end = time.monotonic() + seconds
    while not (is_so := true()) and time.monotonic() < end:
        time.sleep(1)
    return is_so


@dataclass
class Ends:
    """This process is in the client; server, namespace: the other host."""

    server: str
    namespace: str

    def listener(self) -> socket.socket:
        with inside(self.namespace):
            return listener("0.0.0.0")

    def connecting(self, protocol: int = MPTCP) -> socket.socket:
        conn = new_socket(protocol)
        conn.connect((self.server, PORT))
        return conn

    def connection(
        self, waiting: socket.socket, protocol: int = MPTCP
    ) -> tuple[socket.socket, socket.socket]:
        """And the server's end."""
        return self.connecting(protocol), waiting.accept()[0]

    def plain(self) -> tuple[socket.socket, socket.socket]:
        """The server speaks TCP only, so that the client falls back."""
        with inside(self.namespace):
            waiting = new_socket(socket.IPPROTO_TCP)
        waiting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        waiting.bind((self.server, PORT + 1))
        waiting.listen()
        conn = new_socket()
        conn.connect((self.server, PORT + 1))
        return conn, waiting.accept()[0]

    def in_server(self, *command: str) -> str:
        with inside(self.namespace):
            return output(*command)


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def connections() -> int:
    """Of Multipath TCP, in this network namespace, also those that were closed."""
    return len(output("ss", "-HMna").splitlines())


def main(check: Callable[[Ends], Check]) -> None:
    server, _, namespace = sys.argv[1:]
    for good, what, seen in check(Ends(server, namespace)):
        print(f"{'ok' if good else 'not ok'} {what}" + ("" if good else f"\n# {seen}"), flush=True)
