# SPDX-License-Identifier: GPL-2.0
"""Segments made by hand, and what is answered to them."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator

import dpkt

from .options import mptcp_options, subtype_of

PORT, ETH_P_ALL = 5000, 3
PATIENCE = 3
MASK32 = 0xFFFFFFFF


def options(segment: dpkt.tcp.TCP) -> dict[int, bytes]:
    """By subtype."""
    return {subtype_of(raw): raw for raw in mptcp_options(segment.opts)}


class Wire:
    """Sends from an address that the server reaches here, but that nobody has."""

    window = 65000

    def __init__(self, server: str, source: str, ports: Iterator[int]) -> None:
        self.ports = ports
        self.family = socket.AF_INET6 if ":" in server else socket.AF_INET
        self.server, self.source = server, source
        self.target_ip = socket.inet_pton(self.family, server)
        self.source_ip = socket.inet_pton(self.family, source)
        self.open()

    def open(self) -> None:
        self.sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        self.sender = socket.socket(self.family, socket.SOCK_RAW, socket.IPPROTO_RAW)

    def new_port(self) -> int:
        return next(self.ports)

    def packet(self, tcp: dpkt.tcp.TCP) -> bytes:
        addresses = {"src": self.source_ip, "dst": self.target_ip}
        size = len(bytes(tcp))
        if self.family == socket.AF_INET:
            return bytes(dpkt.ip.IP(**addresses, p=socket.IPPROTO_TCP, ttl=64, data=tcp, len=20 + size))
        return bytes(dpkt.ip6.IP6(**addresses, nxt=socket.IPPROTO_TCP, hlim=64, data=tcp, plen=size))

    def send(
        self, port: int, flags: int, seq: int, ack: int, opts: bytes = b"", data: bytes = b"", to: int = PORT
    ) -> None:
        opts += b"\x01" * (-len(opts) % 4)
        tcp = dpkt.tcp.TCP(sport=port, dport=to, seq=seq & MASK32, ack=ack, flags=flags, win=self.window)
        tcp.opts, tcp.off, tcp.data = opts, 5 + len(opts) // 4, data
        self.transmit(self.packet(tcp))

    def transmit(self, packet: bytes) -> None:
        self.sender.sendto(packet, (self.server, 0))

    def receive(self, patience: float) -> tuple[bytes, int] | None:
        """The next packet on the wire, and its kind; None: there is none."""
        self.sniffer.settimeout(patience)
        try:
            frame, (_, kind, *_) = self.sniffer.recvfrom(65536)
        except TimeoutError:
            return None
        return frame, kind

    def decode(self, frame: bytes, kind: int) -> dpkt.tcp.TCP | None:
        """A segment for the address."""
        want = dpkt.ethernet.ETH_TYPE_IP6 if self.family == socket.AF_INET6 else dpkt.ethernet.ETH_TYPE_IP
        if kind != want:
            return None
        ip = dpkt.ip6.IP6(frame) if self.family == socket.AF_INET6 else dpkt.ip.IP(frame)
        return ip.data if ip.dst == self.source_ip and isinstance(ip.data, dpkt.tcp.TCP) else None

    def answer(
        self, port: int, wanted: Callable[[dpkt.tcp.TCP], bool] = lambda _: True, patience: float = PATIENCE
    ) -> dpkt.tcp.TCP | None:
        """The next segment to the port that is wanted."""
        end = time.monotonic() + patience
        while (left := end - time.monotonic()) > 0:
            packet = self.receive(left)
            if packet is None:
                return None
            tcp = self.decode(*packet)
            if tcp is not None and tcp.dport == port and wanted(tcp):
                return tcp
        return None
