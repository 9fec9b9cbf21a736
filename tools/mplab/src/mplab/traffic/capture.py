# SPDX-License-Identifier: MIT
"""Packet captures at the receiver: in which order did the connection's data arrive?

Each data packet carries its place in the connection's sequence (RFC 8684, section 3.3: the DSS
option). The places in the order of arrival over all paths give the reordering metrics of RFC 4737
and RFC 5236.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import metrics

if TYPE_CHECKING:
    import dpkt

MASK = 0xFFFFFFFF

KIND_MPTCP, SUBTYPE_DSS = 30, 2
HAS_ACK, ACK_64, HAS_MAP, MAP_64 = 1, 2, 4, 8


@dataclass(frozen=True)
class Reordering:
    """ratio: late packets, lateness: by how many packets on the mean; density: displacement to share;
    buffer: packets held for 95, 99 %."""

    packets: int
    duplicates: int
    ratio: float
    lateness: float
    density: dict[int, float]
    entropy: float
    mean_displacement: float
    buffer_p95: int
    buffer_p99: int


def data_sequence(options: bytes) -> tuple[int, int, int] | None:
    """Of a DSS option with a mapping: data sequence number, subflow sequence number, length.

    The data sequence number modulo 2^32: enough to put packets in order.
    """
    for kind, body in _options(options):
        if kind != KIND_MPTCP or body[0] >> 4 != SUBTYPE_DSS or not body[1] & HAS_MAP:
            continue
        at = 2 + (8 if body[1] & ACK_64 else 4 if body[1] & HAS_ACK else 0)
        layout = "!QIH" if body[1] & MAP_64 else "!IIH"
        dsn, ssn, length = struct.unpack_from(layout, body, at)
        return dsn & MASK, ssn, length
    return None


def _options(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """TCP options: kind and what follows the length."""
    while raw and raw[0]:
        if raw[0] == 1:
            raw = raw[1:]
        elif len(raw) < 2 or not 2 <= raw[1] <= len(raw):
            return
        else:
            yield raw[0], raw[2 : raw[1]]
            raw = raw[raw[1] :]


def _arrivals(file: Path) -> Iterator[tuple[float, int, int]]:
    """Time, data sequence number and length of each packet of the data's direction."""
    import dpkt

    isn: dict[tuple[bytes, int], int] = {}
    with file.open("rb") as stream:
        for when, frame in dpkt.pcap.Reader(stream):
            packet = dpkt.ethernet.Ethernet(frame).data
            segment = getattr(packet, "data", None)
            if not isinstance(segment, dpkt.tcp.TCP):
                continue
            flow = (packet.src, segment.sport)
            if segment.flags & dpkt.tcp.TH_SYN:
                isn[flow] = segment.seq
            found = data_sequence(segment.opts)
            if found is None or not found[2]:
                continue
            if (payload := _payload(packet, segment)) <= 0:
                continue  # the end of the data (DATA_FIN) has a number, too, but is none
            dsn, ssn, length = found
            # one mapping may cover several packets, each with its own place in it; subflow
            # sequence numbers count from the SYN's
            start = isn.setdefault(flow, (segment.seq - ssn) & MASK)
            inside = (segment.seq - ssn - start) & MASK
            yield when, (dsn + inside) & MASK, min(payload, length - inside)


def _payload(packet: dpkt.ip.IP | dpkt.ip6.IP6, segment: dpkt.tcp.TCP) -> int:
    """Bytes of data; the capture holds only the first of them."""
    total = packet.plen if packet.v == 6 else packet.len - 4 * packet.hl
    return total - 4 * segment.off


class Received:
    """The ranges of the sequence space that have arrived."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> bool:
        """Take a range in; False if nothing of it is new."""
        i = bisect_right(self._starts, start)
        if i and end <= self._ends[i - 1]:
            return False
        low = i - 1 if i and start <= self._ends[i - 1] else i
        high = bisect_right(self._starts, end)
        if low < high:
            start, end = min(start, self._starts[low]), max(end, self._ends[high - 1])
        self._starts[low:high], self._ends[low:high] = [start], [end]
        return True


def reordering(directory: Path, files: str = "*.pcap") -> Reordering:
    """Of all captures in a directory together: the paths of one connection."""
    arrivals = sorted(a for file in directory.glob(files) for a in _arrivals(file))
    if not arrivals:
        raise ValueError(f"{directory}: no data packet of a Multipath TCP connection")
    zero, received, places = (arrivals[0][1] - (1 << 31)) & MASK, Received(), []
    for _, dsn, length in arrivals:
        place = (dsn - zero) & MASK  # far from the ends of the number range
        if received.add(place, place + length):
            places.append(place)
    rank = {place: i for i, place in enumerate(sorted(set(places)), 1)}
    order = [rank[place] for place in places]
    density = metrics.reorder_density(order)
    occupancy = metrics.buffer_occupancy_density(order)
    return Reordering(
        packets=len(arrivals),
        duplicates=len(arrivals) - len(order),
        ratio=metrics.reordered_ratio(order),
        lateness=metrics.mean_lateness(density),
        density=density,
        entropy=metrics.reorder_entropy(density),
        mean_displacement=sum(abs(d) * share for d, share in density.items()),
        buffer_p95=metrics.occupancy_percentile(occupancy, 95),
        buffer_p99=metrics.occupancy_percentile(occupancy, 99),
    )


def describe(r: Reordering) -> str:
    return (
        f"{r.packets} data packets, {r.duplicates} of them twice; {r.ratio:.1%} late (RFC 4737), "
        f"mean displacement {r.mean_displacement:.1f}, entropy {r.entropy:.2f}; "
        f"a buffer of {r.buffer_p95} packets holds 95 %, of {r.buffer_p99} 99 % (RFC 5236)"
    )
