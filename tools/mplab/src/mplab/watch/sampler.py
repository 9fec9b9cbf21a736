# SPDX-License-Identifier: MIT
"""Looks at routers and receiver each tenth of a second. Runs inside the guest, beside the traffic.

usage: sampler.py JSON, with
    times      file that is there when the traffic begins; its first word is when, by the guest's clock
    out        file to which each look adds a line
    routers    namespaces of the bottlenecks
    hosts      namespaces of the receivers, and for each of their devices the number of its path
    routes     by a route's number that of its path
    sink       which end receives: client or server
    families   IP versions

It asks the kernel by netlink, as tc and ss do: a look takes none of the guest's time, and changes nothing of
what it looks at. The file is closed after each line, which is when the host sees it.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import time
from collections.abc import Iterator
from typing import Any

# Isolated, Python knows this directory only
sys.path.insert(0, __file__.rsplit("/", 3)[0])

from mplab.lab.hosts import enter  # noqa: E402

TICK = 0.1  # seconds between two looks
LOOKS_OUT = 0.01  # for the beginning

NETLINK_ROUTE, NETLINK_SOCK_DIAG = 0, 4
NLM_F_REQUEST_DUMP, NLMSG_DONE, NLMSG_ERROR = 0x301, 3, 2
RTM_GETQDISC, SOCK_DIAG_BY_FAMILY = 38, 20
TCA_STATS2, TCA_STATS_BASIC, TCA_STATS_QUEUE = 7, 1, 3
LIMITER = 0x20000  # handle 2:, tbf's or replay's: see lab/links.py
TC_H_ROOT = 0xFFFFFFFF
IPPROTO_TCP, IPPROTO_MPTCP, INET_DIAG_REQ_PROTOCOL = 6, 262, 3
INET_DIAG_INFO, INET_DIAG_ULP_INFO, INET_DIAG_SKMEMINFO = 2, 19, 7
ULP_MPTCP, SUBFLOW_TOKEN_HERE = 3, 2  # INET_ULP_INFO_MPTCP, MPTCP_SUBFLOW_ATTR_TOKEN_LOC
TCP_INFO, MPTCP_INFO, TOKEN = (128, 224), (64, 248), slice(12, 16)  # the latter has no count of packets
STATES = 0xFFF & ~(1 << 10 | 1 << 7 | 1 << 6)  # but LISTEN, CLOSE, TIME_WAIT
MAPPED = bytes(10) + b"\xff\xff"  # IPv4 in IPv6
NLMSGHDR, NLATTR = struct.Struct("=IHHII"), struct.Struct("=HH")
TCMSG, DIAG = struct.Struct("=BxxxiIII"), struct.Struct("=BBBxI")

Attributes, Config = dict[int, bytes], dict[str, Any]


def attributes(raw: bytes) -> Attributes:
    """By their kinds, without flags."""
    found, at = {}, 0
    while at + NLATTR.size <= len(raw):
        size, kind = NLATTR.unpack_from(raw, at)
        if size < NLATTR.size:
            break
        found[kind & 0x3FFF] = raw[at + NLATTR.size : at + size]
        at += -(-size // 4) * 4
    return found


def _check(raw: bytes, at: int) -> None:
    """Of the end of an answer, which has an error in it."""
    error = -struct.unpack_from("=i", raw, at)[0]
    if error:
        raise OSError(error, f"the kernel does not tell of sockets or queues: {os.strerror(error)}")


class Netlink:
    """Questions to the kernel about the namespace in which this was made."""

    def __init__(self, protocol: int) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)

    def dump(self, kind: int, request: bytes) -> Iterator[bytes]:
        """Its answers, without their heads."""
        head = NLMSGHDR.pack(NLMSGHDR.size + len(request), kind, NLM_F_REQUEST_DUMP, 0, 0)
        self._socket.send(head + request)
        while True:
            raw, at = self._socket.recv(1 << 16), 0
            while at < len(raw):
                size, got, *_ = NLMSGHDR.unpack_from(raw, at)
                if got in (NLMSG_DONE, NLMSG_ERROR):
                    _check(raw, at + NLMSGHDR.size)
                    return
                yield raw[at + NLMSGHDR.size : at + size]
                at += -(-size // 4) * 4


class Router:
    """A bottleneck: bytes that it sent, and bytes that wait for its rate."""

    def __init__(self, namespace: str) -> None:
        enter(namespace)
        self._netlink = Netlink(NETLINK_ROUTE)
        self._index = socket.if_nametoindex("out")

    def look(self) -> tuple[int, int]:
        sent = queue = 0
        for answer in self._netlink.dump(RTM_GETQDISC, TCMSG.pack(0, self._index, 0, 0, 0)):
            _, index, handle, parent, _ = TCMSG.unpack_from(answer)
            if index != self._index:
                continue
            stats = attributes(attributes(answer[TCMSG.size :]).get(TCA_STATS2, b""))
            if parent == TC_H_ROOT and TCA_STATS_BASIC in stats:
                sent = struct.unpack_from("=Q", stats[TCA_STATS_BASIC])[0]
            if handle == LIMITER and TCA_STATS_QUEUE in stats:
                queue = struct.unpack_from("=II", stats[TCA_STATS_QUEUE])[1]
        return sent, queue


class Socket:
    """What the kernel says of one: bytes that came in order so far, memory of what waits in it, bytes that
    its program has not read, packets that came out of order so far."""

    def __init__(self, answer: bytes, layout: tuple[int, int]) -> None:
        """layout: where bytes received, and packets out of order, are in its info."""
        self.family, self.cookie = answer[0], answer[44:52]
        self.source, self.destination = answer[8:24], answer[24:40]
        self.attributes = attributes(answer[72:])
        self.info = self.attributes.get(INET_DIAG_INFO, b"").ljust(256, b"\0")
        received, disordered = layout
        self.received = struct.unpack_from("=Q", self.info, received)[0]
        self.disordered = struct.unpack_from("=I", self.info, disordered)[0]
        self.waiting = struct.unpack_from("=I", self.attributes.get(INET_DIAG_SKMEMINFO, bytes(4)))[0]
        self.unread = struct.unpack_from("=I", answer, 56)[0]


class Subflow:
    """Of MPTCP, or a TCP connection."""

    def __init__(self) -> None:
        self.received, self._settled = 0, 0

    def behind(self, s: Socket) -> int:
        """Memory of what came out of order since nothing waited last."""
        self.received = s.received
        waits = max(s.waiting - s.unread, 0)
        if not waits:
            self._settled = s.disordered
        return waits if s.disordered != self._settled else 0


class Connection:
    """Of several subflows. What they have got in order, and it has not, waits in it or came twice.

    What came twice is known when nothing waits; and it is at least what does not fit into the memory in use.
    """

    def __init__(self) -> None:
        self.subflows: dict[bytes, Subflow] = {}  # also those that are gone: what they got stays
        self._twice = 0

    def ahead(self, s: Socket) -> int:
        """Bytes that wait for others before them."""
        more = sum(subflow.received for subflow in self.subflows.values()) - s.received
        self._twice = max(self._twice, more - s.waiting) if s.waiting else more
        return max(more - self._twice, 0)


class Host:
    """A receiver: bytes per path, and what waits out of order in its connections and subflows."""

    def __init__(self, namespace: str, devices: dict[str, int], c: Config) -> None:
        enter(namespace)
        self._devices, self._c = devices, c
        self._counters = os.open("/proc/thread-self/net/dev", os.O_RDONLY)
        self._netlink = Netlink(NETLINK_SOCK_DIAG)
        self._connections: dict[bytes, Connection] = {}  # by token; empty: all of plain TCP

    def received(self) -> dict[int, int]:
        """Per path, headers included."""
        found: dict[int, int] = {}
        for line in os.pread(self._counters, 1 << 16, 0).decode().splitlines()[2:]:
            name, _, counts = line.partition(":")
            if path := self._devices.get(name.strip()):
                found[path] = found.get(path, 0) + int(counts.split()[0])
        return found

    def _sockets(self, protocol: int, layout: tuple[int, int]) -> Iterator[Socket]:
        wanted = 1 << INET_DIAG_INFO - 1 | 1 << INET_DIAG_SKMEMINFO - 1
        which = NLATTR.pack(NLATTR.size + 4, INET_DIAG_REQ_PROTOCOL) + struct.pack("=I", protocol)
        for family in self._c["families"]:
            number = socket.AF_INET6 if family == 6 else socket.AF_INET
            request = DIAG.pack(number, min(protocol, 255), wanted, STATES) + bytes(48)
            for answer in self._netlink.dump(SOCK_DIAG_BY_FAMILY, request + which):
                yield Socket(answer, layout)

    def _path(self, s: Socket) -> int | None:
        """By the client's address: 10.n.1.1, 10.n.3.1 for 256 + n, or fd00:n:1::1."""
        raw = s.destination if self._c["sink"] == "server" else s.source
        if s.family == socket.AF_INET6 and raw[:12] != MAPPED:
            route = struct.unpack_from("!H", raw, 2)[0]
        else:
            raw = raw[12:] if s.family == socket.AF_INET6 else raw
            route = raw[1] + (raw[2] - 1) // 2 * 256
        return self._c["routes"].get(str(route))

    def waits(self) -> tuple[int, dict[int, int]]:
        """Out of order: bytes in connections; per path, memory of what waits behind a loss on it."""
        behind: dict[int, int] = {}
        for s in self._sockets(IPPROTO_TCP, TCP_INFO):
            ulp = attributes(attributes(s.attributes.get(INET_DIAG_ULP_INFO, b"")).get(ULP_MPTCP, b""))
            known = self._connections.setdefault(ulp.get(SUBFLOW_TOKEN_HERE, b""), Connection())
            count = known.subflows.setdefault(s.cookie, Subflow()).behind(s)
            if path := self._path(s):
                behind[path] = behind.get(path, 0) + count
        ahead = 0
        for s in self._sockets(IPPROTO_MPTCP, MPTCP_INFO):
            if known := self._connections.get(s.info[TOKEN]):
                ahead += known.ahead(s)
        return ahead, behind


def beginning(times: str) -> float:
    """Waits for it."""
    while True:
        try:
            with open(times) as file:  # noqa: PTH123 (no pathlib: slow)
                if words := file.read().split():
                    return float(words[0])
        except FileNotFoundError:
            pass
        time.sleep(LOOKS_OUT)


def look(routers: list[Router | None], hosts: list[Host]) -> list[Any]:
    """All that a line has but the time."""
    seen = [router.look() if router else (0, 0) for router in routers]
    received, behind, ahead = [0] * len(routers), [0] * len(routers), 0
    for host in hosts:
        for path, count in host.received().items():
            received[path - 1] += count
        more, of_paths = host.waits()
        ahead += more
        for path, count in of_paths.items():
            behind[path - 1] += count
    return [received, [sent for sent, _ in seen], [queue for _, queue in seen], ahead, behind]


def main() -> None:
    c: Config = json.loads(sys.argv[1])
    start, tick = beginning(c["times"]), 0
    routers = [Router(name) if name else None for name in c["routers"]]
    hosts = [Host(name, devices, c) for name, devices in c["hosts"].items()]
    while True:
        line = [round(time.monotonic() - start, 3), *look(routers, hosts)]
        with open(c["out"], "a") as file:  # noqa: PTH123
            file.write(json.dumps(line) + "\n")
        tick += 1
        time.sleep(max(start + tick * TICK - time.monotonic(), 0))


if __name__ == "__main__":
    main()
