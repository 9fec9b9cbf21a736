# SPDX-License-Identifier: GPL-2.0
"""Systematic coding on the wire: a sender whose every segment is made by hand, and a server.

usage: python3 -m coding.wire SERVER SOURCE NAMESPACE

What it knows of the formats and of the code it has from Documentation/coding.md.
"""

from __future__ import annotations

import itertools
import random
import socket
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from conformance.byhand import ISN, checksum_of, option
from conformance.capture import ACK, FIN, RST
from conformance.crypto import idsn_of
from conformance.mapping import MASK32, Mapping
from conformance.options import (
    CAPABLE_CHECKSUM,
    CAPABLE_SHA256,
    DSS,
    DSS_ACK,
    DSS_MAP,
    DSS_MAP64,
    mptcp_options,
)
from conformance.peer import listener
from conformance.wire import Wire
from hand import Peer

from net import inside

Check = Iterator[tuple[bool, str, str]]
CODED, PRIVATE = 0x40, 15
ASK = option(PRIVATE, 0, b"\x02")
BOTH = option(PRIVATE, 0, b"\x03")
SIZE = 1400


def times(a: int, b: int) -> int:
    """In GF(2^8) of 0x11d."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (0x11D if a & 0x80 else 0)
        b >>= 1
    return product


def power(row: int, exponent: int) -> int:
    result = 1
    for _ in range(row * exponent):
        result = times(result, 2)
    return result


def symbol(data: bytes, size: int, row: int) -> bytes:
    """The sum of the generation's symbols p[i] * g^(row * (n - 1 - i))."""
    n = -(-len(data) // size)
    total = bytearray(size)
    for i in range(n):
        table = bytes(times(value, power(row, n - 1 - i)) for value in range(256))
        for at, value in enumerate(data[i * size : (i + 1) * size].translate(table)):
            total[at] ^= value
    return bytes(total)


class End(Peer):
    """Sends data from any place, and symbols."""

    def __init__(self, wire: Wire, flags: int = CAPABLE_SHA256, ask: bytes = ASK) -> None:
        super().__init__(wire, flags, ask)
        self.check = 0

    def symbol(self, data: bytes, row: int) -> bytes:
        self.check = zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
        self.check &= 0x3FFF
        return symbol(data, SIZE, row)

    def data(self, data: bytes, place: int) -> None:
        self.say(self.dss(data, place=place, ssn=1 + self.sent), data)

    def coded(
        self,
        payload: bytes,
        place: int,
        span: int,
        row: int,
        part: slice = slice(None),
        start: int | None = None,
        check: int | None = None,
        bits: int = 0,
    ) -> None:
        """part: only that of the symbol, whose mapping begins at start on the subflow; check: of
        the generation's data, of what symbol() had last unless given; bits: those of the checksum that
        are inverted."""
        ssn = 1 + (self.sent if start is None else start)
        self.say(self.symbol_option(payload, place, span, row, ssn, check, bits), payload[part])

    def symbol_option(
        self,
        payload: bytes,
        place: int,
        span: int,
        row: int,
        ssn: int,
        check: int | None = None,
        bits: int = 0,
    ) -> bytes:
        first = (idsn_of(self.key) + 1 + place) & MASK32
        key = first << 32 | (span & 0xFFFF) << 16 | row << 14 | (self.check if check is None else check)
        ack = (idsn_of(self.peer_key) + 1) & MASK32
        body = struct.pack("!BIQIH", CODED | DSS_ACK | DSS_MAP | DSS_MAP64, ack, key, ssn, len(payload))
        if self.checksums:
            summed = checksum_of(Mapping(ssn, 0, 0, key, len(payload), bytes(2)), payload)
            body += bytes([summed[0], summed[1] ^ bits])
        return option(DSS, 0, body)

    def torn(self, payload: bytes, place: int, span: int, flags: int) -> None:
        """Half of a symbol, on a subflow that ends there: by FIN or RST."""
        join = self.join()
        opts = self.symbol_option(payload, place, span, 0, 1)
        half = payload[: len(payload) // 2]
        self.wire.send(join.port, ACK, ISN + 1, join.ack, opts, half)
        self.wire.send(join.port, flags, ISN + 1 + len(half), join.ack)
        self.hear(0.3)


def read(program: socket.socket) -> bytes:
    got = b""
    try:
        while piece := program.recv(65536, socket.MSG_DONTWAIT):
            got += piece
    except OSError:
        pass
    return got


def met(
    wire: Wire, waiting: socket.socket, flags: int = CAPABLE_SHA256, ask: bytes = ASK
) -> tuple[End, socket.socket]:
    """Connected, and beyond the first data, which tells that nothing falls back."""
    end = End(wire, flags, ask)
    program = waiting.accept()[0]
    end.hear(0.1)
    end.data(b"hello", 0)
    end.hear(0.1)
    if read(program) != b"hello":
        raise RuntimeError("no connection")
    return end, program


def sysctl(namespace: str, name: str, value: int) -> None:
    with inside(namespace):
        Path("/proc/sys/net", name).write_text(str(value))


def counter(namespace: str, name: str) -> int:
    with inside(namespace):
        lines = [line.split() for line in Path("/proc/net/netstat").read_text().splitlines()]
    names, values = [line for line in lines if line[0] == "MPTcpExt:"][:2]
    return int(values[names.index(name)])


def granted(wire: Wire, ask: bytes) -> bytes | None:
    """The private option of the SYN/ACK."""
    port = wire.new_port()
    wire.send(port, 2, ISN, 0, ask + option(0, 1, bytes([CAPABLE_SHA256])))
    got = wire.answer(port)
    wire.send(port, RST, ISN + 1, 0)
    found = [raw for raw in mptcp_options(got.opts) if raw[2] >> 4 == PRIVATE] if got else []
    return found[0] if found else None


def negotiation(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    yield granted(wire, ASK) == ASK, "who asks is granted it", ""
    yield granted(wire, b"") is None, "who does not ask is not", ""
    yield granted(wire, option(PRIVATE, 0, b"\x01")) is None, "a control stream is not meant", ""
    yield granted(wire, BOTH) == ASK, "of both, what is wanted here is granted", ""
    sysctl(namespace, "mptcp/control_stream", 1)
    yield granted(wire, BOTH) == BOTH, "or both", ""
    sysctl(namespace, "mptcp/coding", 0)
    yield granted(wire, BOTH) == option(PRIVATE, 0, b"\x01"), "or the other one", ""
    sysctl(namespace, "mptcp/control_stream", 0)
    yield granted(wire, ASK) is None, "nothing without the sysctls", ""
    sysctl(namespace, "mptcp/coding", 1)
    sysctl(namespace, "ipv4/tcp_syncookies", 2)
    yield granted(wire, ASK) is None, "nor with SYN cookies", ""
    sysctl(namespace, "ipv4/tcp_syncookies", 1)

    end, program = met(wire, waiting, ask=b"")
    end.coded(b"C" * 20, 5, 20, 0)
    end.data(b"12345", 5)
    end.hear(0.2)
    got = read(program)
    yield got == b"12345", "C of who did not ask means nothing", f"{got!r}"


def repairs(wire: Wire, waiting: socket.socket, flags: int, how: str) -> Check:
    """Each set of rows and of missing symbols of a generation of six, the last of which is short."""
    draw = random.Random(1)
    end, program = met(wire, waiting, flags)
    place = 5
    for m in (1, 2, 3):
        for rows in itertools.combinations(range(3), m):
            wrong = []
            for missing in itertools.combinations(range(6), m):
                data = draw.randbytes(5 * SIZE + 77)
                for row in rows:
                    end.coded(end.symbol(data, row), place, len(data), row)
                for i in range(6):
                    if i not in missing:
                        end.data(data[i * SIZE : (i + 1) * SIZE], place + i * SIZE)
                end.hear(0.01)
                if read(program) != data:
                    wrong.append(missing)
                place += len(data)
                end.hear(0)
            yield not wrong, f"{how}: with rows {rows} {m} missing of six are computed", f"not {wrong}"


def order(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    draw = random.Random(2)
    end, program = met(wire, waiting)
    place = 5

    def new(n: int = 4) -> bytes:
        return draw.randbytes(n * SIZE)

    def part(data: bytes, i: int) -> None:
        end.data(data[i * SIZE : (i + 1) * SIZE], place + i * SIZE)

    # the first is seen as one that sends symbols, so that what is read is kept
    data = new()
    end.coded(end.symbol(data, 0), place, len(data), 0)
    for i in range(4):
        part(data, i)
    end.hear(0.1)
    yield read(program) == data, "nothing is missing", ""
    place += len(data)

    data = new()
    part(data, 0)
    part(data, 1)
    end.hear(0.1)
    got = program.recv(1000) + program.recv(700)
    got += read(program)
    part(data, 3)
    end.hear(0.1)
    yield got == data[: 2 * SIZE], "the data in front of what is missing was read", f"{len(got)}"
    end.coded(end.symbol(data, 0), place, len(data), 0)
    end.hear(0.1)
    got += read(program)
    yield got == data, "and a symbol that comes then repairs it", f"{len(got)}"
    place += len(data)

    data = new()
    whole = end.symbol(data, 1)
    start = end.sent
    for cut in (slice(0, 1), slice(1, 700), slice(700, SIZE)):
        end.coded(whole, place, len(data), 1, cut, start)
    for i in (0, 1, 3):
        part(data, i)
    end.hear(0.1)
    yield read(program) == data, "a symbol in three segments", ""
    place += len(data)

    data = new()
    for _ in range(3):
        end.coded(end.symbol(data, 0), place, len(data), 0)
    for i in (0, 3):
        part(data, i)
    end.hear(0.1)
    yield read(program) == data[:SIZE], "a symbol that comes thrice is one", ""
    part(data, 1)
    end.hear(0.1)
    yield read(program) == data[SIZE:], "and counts when enough is there", ""
    place += len(data)

    data = new()
    end.coded(end.symbol(data, 2), place, len(data), 2)
    for at in range(0, len(data), 200):
        if not SIZE <= at < 2 * SIZE:
            end.data(data[at : at + 200], place + at)
    end.hear(0.1)
    yield read(program) == data, "data in small segments", ""
    place += len(data)

    late = counter(namespace, "CodedLate")
    data = new()
    for i in range(4):
        part(data, i)
    end.hear(0.1)
    read(program)
    end.coded(end.symbol(data, 0), place, len(data), 0)
    end.hear(0.1)
    yield counter(namespace, "CodedLate") == late + 1, "one that nobody needs any more is dropped", ""
    place += len(data)

    data = new()
    changed = bytes([data[0] ^ 1]) + data[1:]
    end.coded(end.symbol(data, 0), place, len(data), 0)
    for i in (0, 1, 3):
        part(changed, i)
    end.hear(0.1)
    got = read(program)
    yield got == changed[: 2 * SIZE], "from what a middlebox changed nothing is computed", f"{len(got)}"
    part(changed, 2)
    end.hear(0.1)
    yield read(program) == changed[2 * SIZE :], "what is sent again comes", ""
    place += len(data)

    # two generations, each lacks something; the first one's symbol comes last
    one, two = new(), new()
    for i in (0, 2, 3):
        part(one, i)
    end.coded(end.symbol(two, 0), place + len(one), len(two), 0)
    for i in (0, 1, 3):
        end.data(two[i * SIZE : (i + 1) * SIZE], place + len(one) + i * SIZE)
    end.hear(0.1)
    yield read(program) == one[:SIZE], "of two generations the first one waits", ""
    end.coded(end.symbol(one, 0), place, len(one), 0)
    end.hear(0.1)
    yield read(program) == one[SIZE:] + two, "its symbol repairs both", ""
    place += len(one) + len(two)

    data = new()
    end.coded(end.symbol(data, 0), place, len(data), 0)
    for i in (0, 1, 3):
        part(data, i)
    end.hear(0.1)
    part(data, 2)
    end.hear(0.1)
    yield read(program) == data, "what was lost comes after all, and is dropped", ""


def wrong(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    """Nonsense changes nothing, and memory is bounded."""
    end, program = met(wire, waiting)
    before = counter(namespace, "CodedDrop")
    for place, span, row, size in (
        (5, 4000, 3, SIZE),
        (5, 0, 0, SIZE),
        (5, 33, 0, 1),
        (5, 65535, 0, SIZE),
        (5 + 2**30, 4000, 0, SIZE),
    ):
        end.coded(b"x" * size, place, span, row)
    end.hear(0.1)
    dropped = counter(namespace, "CodedDrop") - before
    yield dropped == 5, "symbols that cannot be are dropped", f"{dropped} of 5"
    for i in range(100):
        end.coded(b"x" * SIZE, 600 * i + 2000, 4000, i % 3)
        if i % 10 == 9:
            end.hear(0.01)
    end.hear(0.1)
    dropped = counter(namespace, "CodedDrop") - before - 5
    yield dropped >= 80, "what is kept has its share of the buffer", f"{dropped} of 100 dropped"
    end.data(b"goes on", 5)
    end.hear(0.1)
    yield read(program) == b"goes on", "and the data goes on", ""

    end, program = met(wire, waiting)
    end.coded(bytes(SIZE), 5, 2 * SIZE, 0)
    for i in range(1, 60):
        end.data(b"y", 5 + SIZE + 2 * i)
    end.hear(0.1)
    end.data(b"z" * SIZE, 5)
    end.hear(0.1)
    got = read(program)
    yield got == b"z" * SIZE, "more pieces than are looked at repair nothing", f"{len(got)} {got[SIZE:]!r}"

    for seed in range(5):
        draw = random.Random(seed)
        end, program = met(wire, waiting)
        sent, place = b"", 5
        for _ in range(300):
            size = draw.choice([1, 3, 40, 1300, 1400])
            # behind all that is sent, so that it can be as wrong as it likes
            behind = 5 + 40000 + draw.randrange(0, 5000)
            end.coded(
                draw.randbytes(size),
                draw.choice([behind, draw.randrange(-5000, 0), draw.randrange(2**32)]) & MASK32,
                draw.choice([size, 2 * size, 32 * size, draw.randrange(65536)]),
                draw.randrange(4),
                check=draw.randrange(1 << 14),
            )
            data = draw.randbytes(draw.randrange(1, 100))
            end.data(data, place)
            place += len(data)
            sent += data
            end.hear(0.002)
        end.hear(0.2)
        got = read(program)
        yield got == sent, f"noise {seed}: the data is what it was", f"{len(got)} of {len(sent)}"


def failures(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    """Symbols from which rubbish is computed cost the receiver work: it tries few."""
    draw = random.Random(5)
    end, program = met(wire, waiting)
    place, span = 5, 2 * SIZE

    def gap() -> bytes:
        """Two symbols' length of which the first half is missing, and one that does not fit."""
        data = draw.randbytes(span)
        end.data(data[SIZE:], place + SIZE)
        end.coded(b"x" * SIZE, place, span, 0, check=0)
        end.hear(0.02)
        return data

    def taken() -> int:
        return counter(namespace, "CodedRx")

    before = taken()
    data = gap()
    for i in range(20):
        end.coded(b"x" * SIZE, place - i % 3, span, i % 3, check=i)
        end.hear(0.01)
    got = taken() - before
    yield got == 1, "where a check failed no symbol is taken any more", f"{got} of 21"
    end.data(data[:SIZE], place)
    end.hear(0.1)
    got = read(program)
    yield got == data, "what is sent again comes", f"{len(got)}"
    place += span

    before = taken()
    for _ in range(12):
        data = gap()
        end.data(data[:SIZE], place)
        end.hear(0.02)
        if read(program) != data:
            yield False, "nor does more failure hurt the data", f"{place}"
        place += span
    got = taken() - before
    yield got == 7, "after eight failures none is taken", f"{got + 1}"
    data = draw.randbytes(span)
    end.coded(end.symbol(data, 0), place, span, 0)
    end.data(data[SIZE:], place + SIZE)
    end.hear(0.1)
    yield read(program) == b"", "not even a right one", ""
    end.data(data[:SIZE], place)
    end.hear(0.1)
    got = read(program)
    yield got == data, "and the data goes on", f"{len(got)}"


def many(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    """The symbols of twelve generations come before their data."""
    draw = random.Random(3)
    end, program = met(wire, waiting)
    span = 2 * SIZE
    data = draw.randbytes(12 * span)
    parts = [data[at : at + span] for at in range(0, len(data), span)]
    for i, part in enumerate(parts):
        end.coded(end.symbol(part, 0), 5 + i * span, span, 0)
    for i in range(24):
        # the first half of the first generation, and of the last one, is missing
        if i not in (0, 22):
            end.data(data[i * SIZE : (i + 1) * SIZE], 5 + i * SIZE)
    end.hear(0.1)
    got = read(program)
    yield got == data, "of twelve generations the first and the last are repaired", f"{len(got)}"

    end, program = met(wire, waiting)
    for i, part in enumerate(parts):
        end.data(part[SIZE:], 5 + i * span + SIZE)
        if i:
            end.coded(end.symbol(part, 0), 5 + i * span, span, 0)
    end.hear(0.1)
    before = counter(namespace, "CodedRepair")
    end.coded(end.symbol(parts[0], 0), 5, span, 0)
    end.hear(0.1)
    done = counter(namespace, "CodedRepair") - before
    yield done == 12, "with one symbol twelve are repaired, before anybody reads", f"{done}"
    got = read(program)
    yield got == data, "and all is right", f"{len(got)}"

    end, program = met(wire, waiting)
    for i in range(40):
        end.coded(b"x" * SIZE, 20000 + 1000 * i, 1000, 0, check=0)
        if i % 10 == 9:
            end.hear(0.01)
    end.coded(end.symbol(parts[0], 0), 5, span, 0)
    end.data(parts[0][SIZE:], 5 + SIZE)
    end.hear(0.1)
    got = read(program)
    yield got == parts[0], "symbols of what is far make room for what is next", f"{len(got)}"


def tears(wire: Wire, waiting: socket.socket) -> Check:
    """Subflows end in the middle of a symbol."""
    end, program = met(wire, waiting)
    data = random.Random(4).randbytes(2 * SIZE)
    for i in range(10):
        end.torn(end.symbol(data, 0), 5, len(data), RST if i % 2 else FIN | ACK)
    end.coded(end.symbol(data, 1), 5, len(data), 1)
    end.data(data[SIZE:], 5 + SIZE)
    end.hear(0.1)
    got = read(program)
    yield got == data, "after ten torn ones a symbol repairs", f"{len(got)}"


def checksums(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    end, _ = met(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    before = counter(namespace, "DataCsumErr")
    end.coded(b"x" * SIZE, 5, 2 * SIZE, 0, bits=0x55)
    end.hear(0.2)
    yield counter(namespace, "DataCsumErr") > before, "a wrong checksum is noticed", ""

    end, _ = met(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    before = counter(namespace, "CodedRx")
    end.checksums = False
    end.sent += 10  # what is in front of it is missing
    end.coded(b"x" * SIZE, 5, 2 * SIZE, 0)
    end.hear(0.1)
    got = counter(namespace, "CodedRx") - before
    yield got == 0, "one without a checksum is not taken before its turn", f"{got}"


def all_checks(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    yield from negotiation(wire, waiting, namespace)
    yield from repairs(wire, waiting, CAPABLE_SHA256, "no checksums")
    yield from repairs(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM, "checksums")
    yield from order(wire, waiting, namespace)
    yield from wrong(wire, waiting, namespace)
    yield from failures(wire, waiting, namespace)
    yield from many(wire, waiting, namespace)
    yield from tears(wire, waiting)
    yield from checksums(wire, waiting, namespace)


def main() -> None:
    server, source, namespace = sys.argv[1:]
    wire = Wire(server, source, itertools.count(6001))
    with inside(namespace):
        waiting = listener(server)
    for good, what, seen in all_checks(wire, waiting, namespace):
        print(f"{'ok' if good else 'not ok'} {what}" + ("" if good else f"\n# {seen}"), flush=True)


if __name__ == "__main__":
    main()
