# SPDX-License-Identifier: GPL-2.0
"""A peer of its own, behind a TUN device of the server: it sends what it likes."""

from __future__ import annotations

import itertools
import os
import select
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import dpkt
from conformance.connection import Bad
from conformance.wire import PORT, Wire
from traffic import IPPROTO_MPTCP

from net import inside, ip, tun

SERVER = "10.1.1.2"


class Stranger(Wire):
    """Has all addresses of 10.9.0.0/16, and speaks from one that no other test had: its connections may
    live on."""

    def __init__(self, namespace: str, source: str) -> None:
        self.namespace = namespace
        super().__init__(SERVER, source, itertools.count(1024))

    def open(self) -> None:
        self.sent = self.came = 0  # bytes
        self.fd = tun(self.namespace, "stranger", "")
        ip(self.namespace, ["route replace 10.9.0.0/16 dev stranger"])

    def transmit(self, packet: bytes) -> None:
        os.write(self.fd, packet)
        self.sent += len(packet)

    def receive(self, patience: float) -> tuple[bytes, int] | None:
        while True:
            if not select.select([self.fd], [], [], patience)[0]:
                return None
            packet = os.read(self.fd, 65536)
            if packet[0] >> 4 == 4:
                self.came += len(packet)
                return packet, dpkt.ethernet.ETH_TYPE_IP

    def forget(self) -> None:
        """What came until now."""
        while self.receive(0):
            pass


@contextmanager
def listening(namespace: str) -> Iterator[socket.socket]:
    with inside(namespace):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("", PORT))
        listener.listen(4096)
        listener.settimeout(5)
        yield listener


def judged(what: str, act: Callable[[], object]) -> None:
    """A line for an attack: Bad says that it was not withstood."""
    try:
        act()
    except (Bad, OSError, struct.error) as e:
        print(f"not ok {what}\n# {e}", flush=True)
        return
    print(f"ok {what}", flush=True)
