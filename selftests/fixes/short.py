# SPDX-License-Identifier: GPL-2.0
"""Hardly any memory for TCP, on the whole machine."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ends import Ends, output

# more than each CPU may keep for later
TAKEN = 4 << 20
SO_RCVBUFFORCE, SO_SNDBUFFORCE = 33, 32


def take(ends: Ends, waiting: socket.socket) -> tuple[socket.socket, socket.socket]:
    """So much data, over plain TCP, that nobody reads."""
    taken = ends.connection(waiting, socket.IPPROTO_TCP)
    taken[1].setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 2 * TAKEN)
    taken[0].setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 2 * TAKEN)
    taken[0].sendall(bytes(TAKEN))
    time.sleep(10)
    return taken


def limits(*value: str) -> str:
    """Of the machine: only its first network namespace has them."""
    first = "nsenter", "--net=/proc/1/ns/net", "sysctl", "-n"
    return output(*first, *(["-w"] if value else []), "=".join(("net.ipv4.tcp_mem", *value))).strip()


@contextmanager
def short_of_memory() -> Iterator[None]:
    """More is taken than there may be."""
    before = limits()
    limits("1 2 3")
    try:
        yield
    finally:
        limits(before)
