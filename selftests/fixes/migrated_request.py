# SPDX-License-Identifier: GPL-2.0
"""A listener closes while handshakes wait: another one with its port gets them (tcp_migrate_req)."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import dpkt
from conformance.byhand import ISN, capable_syn, option
from conformance.capture import ACK, RST, SYN
from conformance.connection import Bad
from conformance.options import CAPABLE, CAPABLE_SHA256
from conformance.peer import MPTCP_INFO, SOL_MPTCP, new_socket
from conformance.wire import PORT, Wire, options
from ends import complaints
from hand import Check, main

from net import inside

KEY = b"thekey01"


class Server:
    """Of two listeners with one port, one at a time."""

    def __init__(self, address: str, namespace: str) -> None:
        self.address, self.namespace = address, namespace
        with inside(namespace):
            Path("/proc/sys/net/ipv4/tcp_migrate_req").write_text("1")
        self.waiting = self.listener()

    def listener(self) -> socket.socket:
        with inside(self.namespace):
            new = new_socket(self.address)
        new.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        new.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        new.bind((self.address, PORT))
        new.listen(100)
        new.settimeout(3)
        return new

    def replace(self) -> None:
        old, self.waiting = self.waiting, self.listener()
        old.close()


def begun(wire: Wire) -> tuple[int, dpkt.tcp.TCP]:
    """Its port, and the SYN/ACK."""
    port = wire.new_port()
    wire.send(port, SYN, ISN, 0, capable_syn())
    got = wire.answer(port)
    if got is None or CAPABLE not in options(got):
        raise Bad("no SYN/ACK with MP_CAPABLE")
    return port, got


def again(wire: Wire, port: int) -> dpkt.tcp.TCP:
    """The SYN/ACK that the next listener sends, after a second."""
    got = wire.answer(port)
    if got is None or got.flags != SYN | ACK:
        raise Bad("the SYN/ACK does not come again")
    return got


def check(wire: Wire, waiting: socket.socket) -> Check:
    waiting.close()
    server = Server(wire.server, sys.argv[3])
    before = complaints()
    port, got = begun(wire)
    server.replace()
    got = again(wire, port)
    wire.send(port, RST | ACK, ISN + 1, got.seq + 1)
    yield wire.answer(port) is None, "the peer ends a handshake that the next listener got", "it goes on"
    yield complaints() == before, "the kernel does not warn", "it does"

    before = complaints()
    port, got = begun(wire)
    server.replace()
    got = again(wire, port)
    peer_key = options(got)[CAPABLE][4:12]
    wire.send(port, ACK, ISN + 1, got.seq + 1, option(CAPABLE, 1, bytes([CAPABLE_SHA256]) + KEY + peer_key))
    program = server.waiting.accept()[0]
    yield program.getsockopt(SOL_MPTCP, MPTCP_INFO, 4) != b"", "another one ends as a connection", "of TCP"
    yield complaints() == before, "the kernel does not warn", "it does"


if __name__ == "__main__":
    main(check)
