# SPDX-License-Identifier: GPL-2.0
"""A peer whose every segment is made by hand, and programs of the server that it speaks to.

A test's module has check(wire, waiting), which yields what by_hand() of lib.sh makes TAP of, and
calls main(check).
"""

from __future__ import annotations

import itertools
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import dpkt
from conformance.byhand import ISN, Connection, Join, checksum_of, option
from conformance.capture import ACK, FIN, RST
from conformance.connection import Bad
from conformance.crypto import idsn_of
from conformance.mapping import MASK32, MASK64, Mapping, offset
from conformance.options import CAPABLE_SHA256, DSS, DSS_ACK, DSS_FIN, DSS_MAP, FAIL, Dss, decode_dss
from conformance.peer import listener
from conformance.wire import Wire, options

from net import inside

Check = Iterator[tuple[bool, str, str]]  # is it right, what, and what was seen
MSS_1460 = b"\x02\x04\x05\xb4"
TIMESTAMP = b"\x08\x0a\x00\x00\x00\x01\x00\x00\x00\x00"
HELLO = b"hello"


def dss_of(tcp: dpkt.tcp.TCP) -> Dss | None:
    raw = options(tcp).get(DSS)
    return decode_dss(raw) if raw else None


def is_infinite(tcp: dpkt.tcp.TCP) -> bool:
    dss = dss_of(tcp)
    return bool(dss and dss.dsn is not None and dss.length == 0)


@dataclass
class Stream:
    """What came on a subflow, without holes; segments: all of them, and when."""

    data: bytes = b""
    ended: bool = False
    segments: list[tuple[float, dpkt.tcp.TCP]] = field(default_factory=list)

    def is_reset(self) -> bool:
        return any(tcp.flags & RST for _, tcp in self.segments)


class Peer(Connection):
    """What it gets it acknowledges as it is told to.

    read: up to where DATA_ACKs go in the server's data; None: they are left out, and all else of MPTCP.
    """

    def __init__(self, wire: Wire, flags: int = CAPABLE_SHA256, tcp_options: bytes = b"") -> None:
        super().__init__(wire, flags=flags, tcp_options=tcp_options)
        self.stream = Stream()
        self.first_ack = self.ack
        self.read: int | None = 0

    def dss(
        self,
        data: bytes = b"",
        fin: bool = False,
        bits: int = 0,
        place: int | None = None,
        ssn: int | None = None,
    ) -> bytes:
        """A DATA_ACK, and a mapping if there is something to map. place, ssn: in the data and on the
        subflow; bits: those of the checksum that are inverted."""
        body = struct.pack("!I", (idsn_of(self.peer_key) + 1 + (self.read or 0)) & MASK32)
        if not data and not fin:
            return option(DSS, 0, bytes([DSS_ACK]) + body)
        dsn = (idsn_of(self.key) + 1 + (self.sent if place is None else place)) & MASK64
        length = len(data) + fin
        if ssn is None:
            ssn = self.sent + 1 if data else 0
        body += struct.pack("!IIH", dsn & MASK32, ssn, length)
        if self.checksums:
            summed = checksum_of(Mapping(ssn, 0, 0, dsn, length, bytes(2)), data)
            body += bytes([summed[0], summed[1] ^ bits])
        return option(DSS, 0, bytes([DSS_ACK | DSS_MAP | (DSS_FIN if fin else 0)]) + body)

    def say(self, opts: bytes | None = None, data: bytes = b"", flags: int = 0) -> None:
        """A segment, with a mapping of its data unless told otherwise."""
        if opts is None:
            opts = self.dss(data) if self.read is not None else b""
        self.wire.send(self.port, ACK | flags, ISN + 1 + self.sent, self.ack, opts, data)
        self.sent += len(data) + bool(flags & FIN)

    def infinite(self) -> bytes:
        """The mapping from which on the subflow is the stream."""
        ack, dsn = idsn_of(self.peer_key) + 1 + (self.read or 0), idsn_of(self.key) + 1 + self.sent
        body = struct.pack("!BIIIH", DSS_ACK | DSS_MAP, ack & MASK32, dsn & MASK32, self.sent + 1, 0)
        return option(DSS, 0, body + bytes(2 * self.checksums))

    def failed(self, place: int) -> bytes:
        """MP_FAIL: the checksum of the mapping that begins there in the server's data is wrong."""
        dsn = (idsn_of(self.peer_key) + 1 + place) & MASK64
        return option(FAIL, 0, b"\0" + struct.pack("!Q", dsn))

    def fail(self, place: int) -> None:
        self.say(self.failed(place))

    def say_over(self, other: Join, data: bytes, place: int, before: int = 0) -> None:
        """The same on a second subflow, that carried so many bytes before."""
        opts = self.dss(data, place=place, ssn=1 + before)
        self.wire.send(other.port, ACK, ISN + 1 + before, other.ack, opts, data)

    def take(self, tcp: dpkt.tcp.TCP) -> None:
        """What comes next."""
        self.stream.segments.append((time.monotonic(), tcp))
        data = bytes(tcp.data)
        skip = (self.ack - tcp.seq) & MASK32
        if skip > len(data):
            return
        self.stream.data += data[skip:]
        self.ack = (self.ack + len(data) - skip) & MASK32
        if tcp.flags & FIN:
            self.stream.ended = True
            self.ack = (self.ack + 1) & MASK32

    def hear(self, seconds: float, answer: Callable[[dpkt.tcp.TCP], None] | None = None) -> Stream:
        """All that comes meanwhile; answer: what is done with each segment."""
        end = time.monotonic() + seconds
        start = len(self.stream.segments)
        while (left := end - time.monotonic()) > 0:
            tcp = self.wire.answer(self.port, patience=left)
            if tcp is None:
                break
            self.take(tcp)
            if answer:
                answer(tcp)
        return Stream(self.stream.data, self.stream.ended, self.stream.segments[start:])

    def reached(self) -> int:
        """How much of the server's data was sent: the same may come several times."""
        idsn, ends = idsn_of(self.peer_key), [0]
        for _, tcp in self.stream.segments:
            dss = dss_of(tcp)
            if dss and dss.dsn is not None and dss.ssn and tcp.data:
                into = (tcp.seq - self.first_ack + 1 - dss.ssn) & MASK32
                ends.append(offset(dss.dsn, dss.dsn_wide, idsn) + into + len(tcp.data))
        return max(ends)

    def edge(self) -> int:
        """Of the window, counted as what was sent."""
        tcp = self.stream.segments[-1][1]
        return ((tcp.ack - ISN - 1) & MASK32) + tcp.win

    def agree_all(self) -> None:
        """Acknowledge what came, at both levels while there are two."""
        if self.read is not None:
            self.read = len(self.stream.data)
        self.say()

    def agree(self, tcp: dpkt.tcp.TCP) -> None:
        """An answer for hear(): all that has come so far, if this segment wants it."""
        if tcp.data or tcp.flags & FIN:
            self.agree_all()


def accepted(
    wire: Wire, waiting: socket.socket, flags: int = CAPABLE_SHA256, tcp_options: bytes = b""
) -> tuple[Peer, socket.socket]:
    """Both know that they speak Multipath TCP. And the server's end."""
    peer = Peer(wire, flags, tcp_options)
    program = waiting.accept()[0]
    peer.say(data=HELLO)
    peer.hear(0.1)
    if program.recv(len(HELLO)) != HELLO:
        raise Bad("the first bytes do not arrive")
    return peer, program


def main(check: Callable[[Wire, socket.socket], Check]) -> None:
    server, source, namespace = sys.argv[1:]
    wire = Wire(server, source, itertools.count(6001))
    with inside(namespace):
        waiting = listener(server)
    for good, what, seen in check(wire, waiting):
        print(f"{'ok' if good else 'not ok'} {what}" + ("" if good else f"\n# {seen}"), flush=True)
