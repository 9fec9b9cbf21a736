# SPDX-License-Identifier: MIT
"""What the ends of the tunnel send each other, in UDP over each path: a head, and what it says."""

from __future__ import annotations

import struct

HEAD = struct.Struct("!BBH")  # kind, path, nothing
NUMBER = struct.Struct("!I")
SIGNAL = struct.Struct("!IQ")  # a packet's number, when it arrived in ns
STAMP = struct.Struct("!Q")  # when a probe left in ns
RATE = struct.Struct("!d")  # bytes per second
DATA, BACK, SIGNALLED, PROBE, ECHO, RATED, PAIR = range(7)
ROOM = 1 << 16
# of a packet in the tunnel: IPv4, UDP, head and number
OVERHEAD = 20 + 8 + HEAD.size + NUMBER.size
PAIR_SIZE = 1400
TCP, UDP = 6, 17


def frame(kind: int, path: int, body: bytes = b"") -> bytes:
    return HEAD.pack(kind, path, 0) + body


def parse(raw: bytes) -> tuple[int, int, bytes]:
    """Kind, path, body."""
    kind, path, _ = HEAD.unpack_from(raw)
    return kind, path, raw[HEAD.size :]


def tcp_sequence(packet: bytes) -> tuple[bytes, int, int] | None:
    """Of an IPv4 packet with TCP data: the flow, the first sequence number, bytes of data."""
    if packet[0] >> 4 != 4 or packet[9] != TCP:
        return None
    head = (packet[0] & 15) * 4
    sequence = struct.unpack_from("!I", packet, head + 4)[0]
    length = len(packet) - head - (packet[head + 12] >> 4) * 4
    return (packet[12:20] + packet[head : head + 4], sequence, length) if length else None


class Fresh:
    """Which packets tell a rate: those with data that were not there before, as ns-2 has no others. The
    others (handshakes, what is sent again) would be half of a pair that did not leave at once."""

    def __init__(self) -> None:
        self._highest: dict[bytes, int] = {}
        self.again = 0  # packets that carry what went by before

    def __call__(self, packet: bytes) -> bool:
        found = tcp_sequence(packet)
        if not found:
            return packet[9] == UDP
        flow, sequence, length = found
        highest = self._highest.get(flow)
        if highest is not None and (sequence - highest) & 0xFFFFFFFF >= 1 << 31:
            self.again += 1
            return False
        self._highest[flow] = (sequence + length) & 0xFFFFFFFF
        return True
