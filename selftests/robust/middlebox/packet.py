# SPDX-License-Identifier: GPL-2.0
"""TCP segments in IPv4 packets: taken apart, changed, put together again."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
END, NOP, MSS, WSCALE, SACK, TIMESTAMP, MPTCP = 0, 1, 2, 3, 5, 8, 30
CAPABLE, JOIN, DSS, ADD_ADDR = 0, 1, 2, 3
MASK32 = (1 << 32) - 1

Flow = tuple[bytes, int]
Side = tuple[Flow, bool]  # one direction of a flow


def before(a: int, b: int) -> bool:
    """Of sequence numbers."""
    return ((a - b) & MASK32) >> 31 == 1


def checksum(data: bytes) -> int:
    """That of RFC 1071: the sum of the 16-bit words is congruent to the number itself."""
    if len(data) % 2:
        data += b"\0"
    return 0xFFFF - (int.from_bytes(data, "big") % 0xFFFF or (0xFFFF if any(data) else 0))


@dataclass
class Option:
    kind: int
    data: bytes

    def encode(self) -> bytes:
        return bytes((self.kind, len(self.data) + 2)) + self.data

    @property
    def subtype(self) -> int | None:
        """Of an MPTCP option."""
        return self.data[0] >> 4 if self.kind == MPTCP else None


def decode_options(raw: bytes) -> list[Option]:
    options, at = [], 0
    while at < len(raw) and raw[at] != END:
        if raw[at] == NOP:
            at += 1
            continue
        size = raw[at + 1]
        options.append(Option(raw[at], raw[at + 2 : at + size]))
        at += size
    return options


@dataclass
class Segment:
    """up: from the client to the server."""

    up: bool
    src: bytes
    dst: bytes
    sport: int
    dport: int
    seq: int
    ack: int
    flags: int
    window: int
    options: list[Option] = field(default_factory=list)
    payload: bytes = b""
    ttl: int = 64

    @property
    def end(self) -> int:
        """The sequence number behind it."""
        size = len(self.payload) + bool(self.flags & SYN) + bool(self.flags & FIN)
        return (self.seq + size) & MASK32

    @property
    def flow(self) -> Flow:
        """Which connection, by its client."""
        return (self.src, self.sport) if self.up else (self.dst, self.dport)

    @property
    def side(self) -> Side:
        return self.flow, self.up

    @property
    def back(self) -> Side:
        """The side that it acknowledges."""
        return self.flow, not self.up

    def option(self, kind: int) -> Option | None:
        return next((o for o in self.options if o.kind == kind), None)

    def mptcp(self, subtype: int) -> Option | None:
        return next((o for o in self.options if o.subtype == subtype), None)

    def but(self, **changes: object) -> Segment:
        """A copy with other values. It shares no list of options with this one."""
        copy = replace(self, **changes)  # type: ignore[arg-type]
        copy.options = list(copy.options)
        return copy

    def answer(self, **changes: object) -> Segment:
        """What the host that this goes to could send back: no options, no payload."""
        turned = {"up": not self.up, "src": self.dst, "dst": self.src}
        ports = {"sport": self.dport, "dport": self.sport}
        return self.but(**({"options": [], "payload": b""} | turned | ports | changes))

    def encode(self) -> bytes:
        options = b"".join(o.encode() for o in self.options)
        options += bytes((NOP,)) * (-len(options) % 4)
        header = struct.pack(
            "!HHIIBBHHH",
            self.sport,
            self.dport,
            self.seq & MASK32,
            self.ack & MASK32,
            (20 + len(options)) << 2,
            self.flags,
            self.window,
            0,
            0,
        )
        tcp = bytearray(header + options + self.payload)
        pseudo = self.src + self.dst + struct.pack("!HH", 6, len(tcp))
        struct.pack_into("!H", tcp, 16, checksum(pseudo + tcp))
        ip = bytearray(struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, self.ttl, 6, 0))
        ip += self.src + self.dst
        struct.pack_into("!H", ip, 10, checksum(bytes(ip)))
        return bytes(ip + tcp)


def decode(packet: bytes, up: bool) -> Segment | None:
    """None: it is no TCP in IPv4."""
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
        return None
    tcp = (packet[0] & 15) * 4
    sport, dport, seq, ack, offset, flags, window = struct.unpack_from("!HHIIBBH", packet, tcp)
    data = tcp + (offset >> 4) * 4
    return Segment(
        up=up,
        src=packet[12:16],
        dst=packet[16:20],
        sport=sport,
        dport=dport,
        seq=seq,
        ack=ack,
        flags=flags,
        window=window,
        options=decode_options(packet[tcp + 20 : data]),
        payload=packet[data : int.from_bytes(packet[2:4], "big")],
        ttl=packet[8],
    )
