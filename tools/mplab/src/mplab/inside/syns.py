# SPDX-License-Identifier: MIT
"""Many SYNs to a listener beside idle connections, over the loopback device.

The SYNs come from addresses that lead to a tunnel without an end, so that the SYN/ACKs are made and
sent, and nobody answers. They are made beforehand and handed over a thousand at a time: what
they cost to send is little, and the same for each kind.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from .connections import IPPROTO_MPTCP, LIBC, MPTCP_INFO, SOL_MPTCP, Config
from .crowd import FILES

PORT = 5001
ADDRESS, DEVICE, NOBODYS = "10.8.0.1", "nobody", "10.9.0.0/16"  # of the server; where those who ask are
SETTINGS = {
    "net/ipv4/ip_local_port_range": "1024 65000",
    "fs/nr_open": str(FILES),
    "net/core/somaxconn": "1000000",
    "net/core/netdev_max_backlog": "100000",
    "net/ipv4/tcp_max_syn_backlog": "1000000",
    "net/ipv4/tcp_syncookies": "0",
}
SYNS, TOGETHER = 20000, 1000  # of a round; that the kernel is given at a time
SYN, NOP = 2, 1
CAPABLE, LOW_CAPABLE = bytes([30, 4, 1, 1]), bytes([30, 4, 2, 1])
JOIN_SYN = 0x10
LOW = "low"  # the low-overhead handshake: kinds that begin so
TOKEN_AT = 12  # mptcpi_token in struct mptcp_info


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Message(ctypes.Structure):
    """struct mmsghdr"""

    _fields_ = [
        ("name", ctypes.c_void_p),
        ("namelen", ctypes.c_uint),
        ("vector", ctypes.POINTER(Vector)),
        ("vectors", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("controllen", ctypes.c_size_t),
        ("flags", ctypes.c_long),
        ("sent", ctypes.c_long),
    ]


def _sockaddr(address: str) -> bytes:
    return struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))


def _checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def _syn(n: int, options: bytes) -> bytes:
    """Number n, from an address and port of its own."""
    options += bytes([NOP]) * (-len(options) % 4)
    source = socket.inet_aton(f"10.9.{n >> 8 & 255}.{n & 255}")
    target = socket.inet_aton(ADDRESS)
    length = 20 + len(options)
    tcp = struct.pack("!HHIIBBHHH", 1024 + n % 60000, PORT, 1000, 0, length << 2, SYN, 65000, 0, 0) + options
    checksum = _checksum(source + target + struct.pack("!HH", socket.IPPROTO_TCP, length) + tcp)
    tcp = tcp[:16] + struct.pack("!H", checksum) + tcp[18:]
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + length, 0, 0, 64, 6, 0, source, target) + tcp


def _options(kind: str, tokens: list[bytes]) -> Iterator[bytes]:
    """Of one SYN after the other."""
    n = 0
    while True:
        n += 1
        token = tokens[n % len(tokens)]
        if kind == "capable":
            yield CAPABLE
        elif kind == "join":
            yield struct.pack("!BBBB", 30, 12, JOIN_SYN, 1) + token + os.urandom(4)
        elif kind == LOW + "capable":
            yield LOW_CAPABLE
        elif kind == LOW + "join":
            yield struct.pack("!BBBB", 30, 8, JOIN_SYN, 1) + token
        else:
            yield b""


def _messages(kind: str, tokens: list[bytes]) -> list[ctypes.Array[Message]]:
    """All SYNs of a round, in the form that sendmmsg() takes."""
    address = ctypes.create_string_buffer(_sockaddr(ADDRESS), 16)
    options = _options(kind, tokens)
    groups = []
    for start in range(0, SYNS, TOGETHER):
        group = (Message * TOGETHER)()
        for i in range(TOGETHER):
            packet = _syn(start + i, next(options))
            vector = Vector(packet, len(packet))
            group[i].name = ctypes.addressof(address)
            group[i].namelen = 16
            group[i].vector = ctypes.pointer(vector)
            group[i].vectors = 1
        groups.append(group)
    _messages.kept = address  # type: ignore[attr-defined]
    return groups


def _answered() -> int:
    """SYN/ACKs, as segments that TCP sent."""
    lines = [line.split() for line in Path("/proc/net/snmp").read_text(encoding="ascii").splitlines()]
    names, values = (line for line in lines if line[0] == "Tcp:")
    return int(values[names.index("OutSegs")])


class Server:
    """Listens anew for each round: with the listener go the requests of the round before."""

    def __init__(self, kind: str) -> None:
        self.protocol = socket.IPPROTO_TCP if kind == "tcp" else IPPROTO_MPTCP
        self.listener = self._listen()

    def _listen(self) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, self.protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("", PORT))
        made.listen(1000000)
        return made

    def again(self) -> None:
        self.listener.close()
        self.listener = self._listen()

    def connection(self) -> bytes:
        """One that stays: the token of the server's end."""
        near = socket.socket(socket.AF_INET, socket.SOCK_STREAM, self.protocol)
        near.connect((ADDRESS, PORT))
        far, _ = self.listener.accept()
        near.sendall(b"x")
        far.recv(1)
        token = bytes(4)
        if self.protocol == IPPROTO_MPTCP:
            with contextlib.suppress(OSError):  # it is TCP, as tokens were short
                token = far.getsockopt(SOL_MPTCP, MPTCP_INFO, 96)[TOKEN_AT : TOKEN_AT + 4][::-1]
        near.detach()
        far.detach()
        return token


def syns(c: Config) -> Config:
    """kind: tcp, capable, join; present: connections that stay; rounds: of SYNS each."""
    for name, value in SETTINGS.items():
        Path("/proc/sys", name).write_text(value, encoding="ascii")
    if c["kind"].startswith(LOW):
        Path("/proc/sys/net/mptcp/low_overhead").write_text("1", encoding="ascii")
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    server = Server(c["kind"])
    found = [server.connection() for _ in range(max(1, c["present"]))]
    tokens = [token for token in found if any(token)] or [bytes(4)]
    groups = _messages(c["kind"], tokens)
    before = _answered()
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        for _ in range(c["rounds"]):
            for group in groups:
                if LIBC.sendmmsg(raw.fileno(), group, TOGETHER, 0) != TOGETHER:
                    raise OSError("sendmmsg")
            server.again()
    return {"answered": _answered() - before, "plain": len(found) - len(tokens)}
