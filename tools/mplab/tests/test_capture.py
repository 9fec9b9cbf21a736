# SPDX-License-Identifier: MIT
"""Reordering from captures that we make ourselves."""

from __future__ import annotations

import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.traffic import capture

try:
    import dpkt
except ImportError:
    dpkt = None


def dss(dsn: int, ssn: int, length: int, wide: bool = True) -> bytes:
    """A DSS option with a 32-bit data ACK and a mapping, after two NOPs."""
    flags = capture.HAS_ACK | capture.HAS_MAP | (capture.MAP_64 if wide else 0)
    body = struct.pack("!I", 7) + struct.pack("!QIH" if wide else "!IIH", dsn, ssn, length)
    return b"\1\1" + struct.pack("!BBBB", 30, 4 + len(body), capture.SUBTYPE_DSS << 4, flags) + body


class Options(unittest.TestCase):
    def test_mapping(self) -> None:
        for wide in (True, False):
            self.assertEqual(capture.data_sequence(dss(1000, 5, 1400, wide)), (1000, 5, 1400))

    def test_no_mapping(self) -> None:
        for raw in (b"", b"\1\1\1", b"\2\4\5\xb4", b"\x1e\x04\x20\x01", b"\x1e\x40", b"\x1e"):
            self.assertIsNone(capture.data_sequence(raw))


class Received(unittest.TestCase):
    def test_what_is_new(self) -> None:
        got = capture.Received()
        ranges = [(0, 10), (20, 30), (0, 5), (5, 25), (3, 30), (30, 31), (40, 50), (31, 60), (45, 46)]
        self.assertEqual(
            [got.add(*r) for r in ranges], [True, True, False, True, False, True, True, True, False]
        )


@unittest.skipIf(dpkt is None, "python3-dpkt is not installed")
class Capture(unittest.TestCase):
    def reordering(self, arrivals: list[tuple[float, int, int]]) -> capture.Reordering:
        """arrivals: time, path, place of a packet of 1000 bytes; sequence numbers wrap."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        count = {1: 0, 2: 0}
        for path in (1, 2):
            with (Path(directory.name) / f"s{path}.pcap").open("wb") as file:
                writer = dpkt.pcap.Writer(file)
                for when, where, place in arrivals:
                    if where == path:
                        writer.writepkt(self.packet(path, count[path], place), when)
                        count[path] += 1
                writer.close()
        return capture.reordering(Path(directory.name))

    def packet(self, path: int, before: int, place: int) -> bytes:
        """Place 99 is the end of the data (DATA_FIN): a mapping, but no payload."""
        ssn, size = 1 + 1000 * before, 0 if place == 99 else 1000
        mapping = (0, 1) if place == 99 else (ssn, size)
        options = dss((0xFFFFFFFF00000000 | 0xFFFFF000) + 1000 * place & (2**64 - 1), *mapping)
        return self.segment(path, ssn + 99, options, size)

    def segment(self, path: int, seq: int, options: bytes, size: int = 1000, syn: bool = False) -> bytes:
        options += b"\1" * (-len(options) % 4)
        tcp = dpkt.tcp.TCP(sport=4000 + path, dport=5001, seq=seq & 0xFFFFFFFF, opts=options)
        tcp.off = 5 + len(options) // 4
        tcp.flags = dpkt.tcp.TH_SYN if syn else dpkt.tcp.TH_ACK
        tcp.data = bytes(0 if syn else size)
        ip = dpkt.ip.IP(src=bytes([10, path, 1, 1]), dst=bytes([10, path, 2, 2]), p=6, data=tcp)
        ip.len = 20 + len(bytes(tcp))
        return bytes(dpkt.ethernet.Ethernet(data=ip))[:160]

    def test_in_order_over_two_paths(self) -> None:
        found = self.reordering([(n / 10, 1 + n % 2, n) for n in range(20)])
        self.assertEqual((found.packets, found.duplicates, found.ratio), (20, 0, 0.0))
        self.assertEqual(found.entropy, 0)

    def test_pairs_swapped(self) -> None:
        """S3 of Kaspar's thesis: every second packet late, entropy ln 2."""
        found = self.reordering([(n / 10, 1 + n % 2, n ^ 1) for n in range(20)])
        self.assertAlmostEqual(found.ratio, 0.5)
        self.assertAlmostEqual(found.entropy, 0.693, places=3)

    def test_the_end_of_the_data_is_not_data(self) -> None:
        found = self.reordering([(n / 10, 1 + n % 2, n) for n in range(20)] + [(3, 1, 99), (4, 2, 99)])
        self.assertEqual((found.packets, found.duplicates, found.buffer_p99), (20, 0, 0))

    def test_the_first_mapping_begins_before_its_first_packet(self) -> None:
        """The first data came with MP_CAPABLE, the rest of what TCP cut has the same mapping."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        with (Path(directory.name) / "s1.pcap").open("wb") as file:
            writer = dpkt.pcap.Writer(file)
            packets = [self.segment(1, 99, b"", syn=True), self.segment(1, 100, b"")]
            packets += [self.segment(1, 100 + 1000 * n, dss(5000, 1, 3000)) for n in (1, 2)]
            packets += [self.segment(1, 3100 + 1000 * n, dss(8000, 3001, 2000)) for n in (0, 1)]
            for when, packet in enumerate(packets):
                writer.writepkt(packet, when)
            writer.close()
        found = capture.reordering(Path(directory.name))
        self.assertEqual((found.packets, found.duplicates, found.ratio), (4, 0, 0.0))

    def test_duplicates_do_not_count_as_late(self) -> None:
        found = self.reordering([(n / 10, 1, n) for n in range(10)] + [(2.0, 2, 3), (2.1, 2, 4)])
        self.assertEqual((found.packets, found.duplicates, found.ratio), (12, 2, 0.0))


if __name__ == "__main__":
    unittest.main()
