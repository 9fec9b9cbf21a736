# SPDX-License-Identifier: GPL-2.0
"""The control stream on the wire: a peer whose every segment is made by hand, and a server.

usage: python3 -m control.wire SERVER SOURCE NAMESPACE

What it knows of the formats it has from Documentation/control-stream.md.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import itertools
import random
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import dpkt
from conformance.byhand import ISN, Join, checksum_of, option
from conformance.capture import ACK, RST, SYN
from conformance.connection import Bad
from conformance.crypto import idsn_of, mac
from conformance.mapping import MASK32, MASK64, Mapping
from conformance.options import (
    CAPABLE,
    CAPABLE_CHECKSUM,
    CAPABLE_SHA256,
    DSS,
    DSS_ACK,
    DSS_ACK64,
    DSS_FIN,
    DSS_MAP,
    DSS_MAP64,
    FAIL,
    REMOVE_ADDR,
    mptcp_options,
)
from conformance.peer import listener
from conformance.wire import PORT, Wire, options
from hand import TIMESTAMP, Peer

from net import counters, inside

Check = Iterator[tuple[bool, str, str]]
STREAM, PRIVATE = 0x20, 15
ASK = option(PRIVATE, 0, b"\x01")
ASK_BOTH = option(PRIVATE, 0, b"\x03")  # for coding, too
TCP_OPT_FASTOPEN, TCP_FASTOPEN_CONNECT = 34, 30
SCALE_SACK = b"\x03\x03\x07\x04\x02"
SOL_MPTCP, CONTROL, SEND, RECV = 284, 51, 52, 53
ENABLE_APP_KEY, APP_KEY, CAPABLE_KEY = 49, 50, 2  # the last one: bit G
SECRET = b"what only the two programs know"
OFF, REFUSED, AGREED, OPEN, GIVEN_UP = 0, 2, 3, 4, 5
ADD, REMOVE, PRIORITY, KEY, OWN = 1, 2, 3, 4, 0x8000
STATE, WAITS, UNREAD, SENT, AGAIN, ACKED, RECEIVED, DROPPED, UNKNOWN = 0, 2, 3, 5, 6, 7, 8, 9, 10
TIOCOUTQ = 0x5411


def info(program: socket.socket) -> tuple[int, ...]:
    return struct.unpack("BBBBI6Q", program.getsockopt(SOL_MPTCP, CONTROL, 100))


def send(program: socket.socket, kind: int, value: bytes) -> None:
    program.setsockopt(SOL_MPTCP, SEND, struct.pack("HH", kind, len(value)) + value)


def received(program: socket.socket) -> tuple[int, bytes] | None:
    try:
        got = program.getsockopt(SOL_MPTCP, RECV, 1024)
    except BlockingIOError:
        return None
    return struct.unpack_from("H", got)[0], got[4:]


def read(program: socket.socket) -> bytes:
    try:
        return program.recv(65536, socket.MSG_DONTWAIT)
    except OSError:
        return b""


def tlv(kind: int, value: bytes) -> bytes:
    return struct.pack("!HH", kind, len(value)) + value


def to_sign(message: bytes) -> bytes:
    """A TLV of the kernel's before its HMAC, behind the number of its place: with zeros up to the longest."""
    return message.ljust(8 + 4 + 19, b"\0")


def flags_of(tcp: dpkt.tcp.TCP) -> int:
    raw = options(tcp).get(DSS)
    return raw[3] if raw else 0


class End(Peer):
    """controlled, mapped: how many bytes of control and of data it sent; granted: by the SYN/ACK."""

    def __init__(self, wire: Wire, flags: int = CAPABLE_SHA256, ask: bytes = ASK) -> None:
        super().__init__(wire, flags, ask)
        self.controlled = self.mapped = 0
        self.plain = flags

    def number(self, place: int, width: int) -> bytes:
        number = (idsn_of(self.key) + 1 + place) & MASK64
        return struct.pack("!Q", number) if width == 8 else struct.pack("!I", number & MASK32)

    def ask(self) -> None:
        self.say(option(DSS, 0, bytes([STREAM])))

    def control_ack(self, place: int, width: int = 8) -> bytes:
        number = (idsn_of(self.peer_key) + 1 + place) & MASK64
        return struct.pack("!Q", number) if width == 8 else struct.pack("!I", number & MASK32)

    def agree_control(self, place: int, width: int = 8) -> None:
        wide = DSS_ACK64 if width == 8 else 0
        self.say(option(DSS, 0, bytes([STREAM | DSS_ACK | wide]) + self.control_ack(place, width)))

    def control(
        self,
        data: bytes,
        part: slice = slice(None),
        place: int | None = None,
        start: int | None = None,
        width: int = 8,
        bits: int = 0,
        more: int = 0,
    ) -> None:
        """Bytes of the stream, from place on; part: only that of the mapping, which begins at start on
        the subflow; bits: those of the checksum that are inverted; more: other flags."""
        place = self.controlled if place is None else place
        ssn = 1 + (self.sent if start is None else start)
        flags = STREAM | DSS_ACK | DSS_MAP | (DSS_MAP64 if width == 8 else 0) | more
        body = bytes([flags]) + self.control_ack(0, 4) + self.number(place, width)
        body += struct.pack("!IH", ssn, len(data))
        if self.checksums:
            number = (idsn_of(self.key) + 1 + place) & MASK64
            summed = checksum_of(Mapping(ssn, 0, 0, number, len(data), bytes(2)), data)
            body += bytes([summed[0], summed[1] ^ bits])
        self.say(option(DSS, 0, body), data[part])

    def control_over(self, other: Join, data: bytes) -> None:
        """The next bytes of the stream, on a second subflow."""
        flags = STREAM | DSS_ACK | DSS_MAP | DSS_MAP64
        body = bytes([flags]) + self.control_ack(0, 4) + self.number(self.controlled, 8)
        body += struct.pack("!IH", 1 + other.sent, len(data))
        self.wire.send(other.port, ACK, ISN + 1 + other.sent, other.ack, option(DSS, 0, body), data)
        other.sent += len(data)
        self.controlled += len(data)

    def data(self, data: bytes) -> None:
        self.say(self.dss(data, place=self.mapped, ssn=1 + self.sent), data)
        self.mapped += len(data)

    def tell(self, kind: int, value: bytes) -> None:
        """A whole TLV, the next one."""
        self.follow(tlv(kind, value))

    def follow(self, whole: bytes) -> None:
        self.control(whole)
        self.controlled += len(whole)

    def signed(self, kind: int, value: bytes, secrets: bytes = b"", later: int = 0) -> bytes:
        """A TLV of the kernel's that begins where the next one does, or later. secrets: the
        application's, in place of the keys."""
        place = self.number(self.controlled + later, 8)
        message = to_sign(place + struct.pack("!HH", kind, len(value) + 8) + value)
        if secrets:
            return tlv(kind, value + hmac.new(secrets, message, hashlib.sha256).digest()[-8:])
        return tlv(kind, value + mac(self.key, self.peer_key, message)[-8:])

    def sign(self, kind: int, value: bytes, secrets: bytes = b"") -> None:
        self.follow(self.signed(kind, value, secrets))

    def last_ack(self, seconds: float = 0.3) -> int | None:
        """How much of our control bytes the last S acknowledgment has."""
        place = None
        for _, tcp in self.hear(seconds).segments:
            raw = options(tcp).get(DSS)
            if raw and raw[3] & STREAM and raw[3] & DSS_ACK:
                number = struct.unpack_from("!Q", raw, 4)[0]
                place = (number - idsn_of(self.key) - 1) & MASK64
        return place

    def controls(self, seconds: float = 0.3) -> list[tuple[int, int, bytes]]:
        """The segments with control bytes that come: place in the stream, length of the mapping, bytes.
        They are acknowledged by TCP."""
        got = []
        for _, tcp in self.hear(seconds, lambda tcp: self.say() if tcp.data else None).segments:
            raw = options(tcp).get(DSS)
            if raw and raw[3] & STREAM and raw[3] & DSS_MAP:
                at = 4 + (8 if raw[3] & DSS_ACK64 else 4 if raw[3] & DSS_ACK else 0)
                number, _, length = struct.unpack_from("!QIH", raw, at)
                got.append(((number - idsn_of(self.peer_key) - 1) & MASK64, length, bytes(tcp.data)))
        return got


def met(
    wire: Wire, waiting: socket.socket, flags: int = CAPABLE_SHA256, ask: bytes = ASK
) -> tuple[End, socket.socket]:
    end = End(wire, flags, ask)
    program = waiting.accept()[0]
    end.hear(0.1)
    return end, program


def opened(wire: Wire, waiting: socket.socket, flags: int = CAPABLE_SHA256) -> tuple[End, socket.socket]:
    """The stream is open, both ways."""
    end, program = met(wire, waiting, flags)
    end.data(b"hello")
    end.hear(0.1)
    end.ask()
    if end.last_ack() != 0 or read(program) != b"hello":
        raise Bad("the stream is not opened")
    end.agree_control(0)
    return end, program


def sysctl(namespace: str, name: str, value: int) -> None:
    with inside(namespace):
        Path("/proc/sys/net", name).write_text(str(value))


def granted(wire: Wire, ask: bytes) -> bool:
    """As the SYN/ACK says."""
    port = wire.new_port()
    wire.send(port, 2, ISN, 0, ask + option(0, 1, bytes([CAPABLE_SHA256])))
    got = wire.answer(port)
    wire.send(port, RST, ISN + 1, 0)
    return got is not None and ASK in list(mptcp_options(got.opts))


def negotiation(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    yield granted(wire, ASK), "who asks is granted it", ""
    yield not granted(wire, b""), "who does not ask is not", ""
    yield not granted(wire, option(PRIVATE, 0, b"\x02")), "another private option is not the question", ""
    yield not granted(wire, option(PRIVATE, 0, b"\x01\0\0\0\0")), "a longer one is not either", ""
    sysctl(namespace, "ipv4/tcp_syncookies", 2)
    yield not granted(wire, ASK), "with SYN cookies it is not granted", ""
    sysctl(namespace, "ipv4/tcp_syncookies", 1)
    sysctl(namespace, "mptcp/control_stream", 0)
    yield not granted(wire, ASK), "nor without the sysctl", ""
    waiting.setsockopt(SOL_MPTCP, CONTROL, 1)
    yield granted(wire, ASK), "unless the listener's socket option says so", ""
    sysctl(namespace, "mptcp/control_stream", 1)
    waiting.setsockopt(SOL_MPTCP, CONTROL, 0)
    yield not granted(wire, ASK), "which says no, too", ""
    waiting.setsockopt(SOL_MPTCP, CONTROL, 1)
    sysctl(namespace, "mptcp/coding", 10)
    yield from fast_open(wire, waiting, namespace)
    yield from cookies(wire, namespace)
    sysctl(namespace, "mptcp/coding", 0)

    end, program = met(wire, waiting, ask=b"")
    end.data(b"hello")
    yield info(program)[STATE] == OFF, "no stream without a question", f"{info(program)}"
    end.control(tlv(OWN, b"not asked"))
    end.hear(0.2)
    mapped = read(program)
    yield (
        mapped == b"hello" + tlv(OWN, b"not asked")[5:],
        "S means nothing then: what has a place in the data stream is data",
        f"{mapped!r}",
    )


def answers(wire: Wire, cookie: bytes, data: bytes = b"", times: int = 1) -> Iterator[dpkt.tcp.TCP]:
    """The SYN/ACKs to a SYN with Fast Open, both questions, and all that else takes room there."""
    port = wire.new_port()
    opts = bytes([TCP_OPT_FASTOPEN, 2 + len(cookie)]) + cookie + TIMESTAMP + SCALE_SACK
    opts += ASK_BOTH + option(0, 1, bytes([CAPABLE_SHA256]))
    for _ in range(times):
        wire.send(port, SYN, ISN, 0, opts, data)
        if got := wire.answer(port):
            yield got
    wire.send(port, RST, ISN + 1 + len(data), 0)


def fast_open(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    """Linux leaves timestamps out of a SYN/ACK with a cookie: there is room for all the rest."""
    sysctl(namespace, "ipv4/tcp_fastopen", 3)
    waiting.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 5)
    segments = list(answers(wire, b"", times=2))
    found = [options(tcp) for tcp in segments]
    cookie = dict(dpkt.tcp.parse_opts(segments[0].opts)).get(TCP_OPT_FASTOPEN, b"")
    yield (
        len(cookie) == 8 and CAPABLE in found[0] and PRIVATE in found[0],
        "a SYN/ACK with a cookie has MP_CAPABLE and the grant beside it",
        f"{segments}",
    )
    yield (
        len(found) == 2 and found[1] == found[0],
        "a SYN/ACK that is sent again says the same",
        f"{found}",
    )
    found = [options(tcp) for tcp in answers(wire, cookie, b"in the SYN")]
    program = waiting.accept()[0]
    state = info(program)[STATE]
    program.close()
    yield (
        CAPABLE in found[0] and PRIVATE in found[0] and state == AGREED,
        "so has one that acknowledges data in the SYN",
        f"{found}, {state}",
    )
    waiting.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 0)


def asked(wire: Wire, namespace: str, cookie: bytes) -> tuple[dpkt.tcp.TCP | None, dpkt.tcp.TCP | None]:
    """A client that comes with Fast Open: its SYN, to which a cookie is answered, and that of its next
    connection, which has that cookie."""
    port, found = wire.new_port(), []
    for _ in range(2):
        with inside(namespace):
            program = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
        with program:
            program.setsockopt(socket.IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1)
            program.setblocking(False)
            program.connect_ex((wire.source, port))
            with contextlib.suppress(OSError):
                program.send(b"in the SYN")
            syn = wire.answer(port, lambda tcp: tcp.flags == SYN)
            found.append(syn)
            if syn:
                opts = bytes([TCP_OPT_FASTOPEN, 2 + len(cookie)]) + cookie
                wire.send(port, SYN | ACK, ISN, syn.seq + 1, opts, to=syn.sport)
                wire.answer(port)
                wire.send(port, RST, ISN + 1, 0, to=syn.sport)
    return found[0], found[1]


def cookies(wire: Wire, namespace: str) -> Check:
    """One of 8 bytes leaves room for MP_CAPABLE and the question, a longer one for MP_CAPABLE alone."""
    for size in 8, 12:
        first, second = asked(wire, namespace, bytes(range(size)))
        found = [options(syn) if syn else {} for syn in (first, second)]
        yield CAPABLE in found[0] and PRIVATE in found[0], "a client asks beside Fast Open", f"{first!r}"
        cookie = dict(dpkt.tcp.parse_opts(second.opts)).get(TCP_OPT_FASTOPEN) if second else None
        yield cookie == bytes(range(size)), f"its next SYN has a cookie of {size} bytes", f"{second!r}"
        yield CAPABLE in found[1], "and MP_CAPABLE beside it", f"{second!r}"
        yield (PRIVATE in found[1]) == (size == 8), "and the question where it fits", f"{second!r}"


def sending(wire: Wire, waiting: socket.socket) -> Check:
    end, program = met(wire, waiting)
    yield info(program)[STATE] == AGREED, "negotiated", f"{info(program)}"
    end.say(option(0, 1, bytes([CAPABLE_SHA256]) + end.key + end.peer_key))
    got = end.hear(0.3).segments
    yield any(flags_of(tcp) & DSS_ACK for _, tcp in got), "a third ACK that comes again is answered", f"{got}"

    send(program, OWN + 1, b"first")
    got = end.hear(2).segments
    asks = [tcp for _, tcp in got if flags_of(tcp) == STREAM and not tcp.data]
    yield len(asks) >= 2, "the peer is asked to open it, more than once", f"{len(asks)}"
    yield not any(tcp.data for _, tcp in got), "no byte of control is sent before it does", f"{got}"
    try:
        send(program, OWN, b"second")
        yield False, "one waits, another has to: EAGAIN", ""
    except BlockingIOError:
        yield True, "one waits, another has to: EAGAIN", ""

    end.agree_control(0)
    want = tlv(OWN + 1, b"first")
    came = end.controls(0.1)
    yield came == [(0, len(want), want)], "then the TLV comes, mapped to the first place", f"{came}"
    came = end.controls(3)
    yield (
        len(came) >= 2 and set(came) == {(0, len(want), want)},
        ("what only TCP acknowledges comes again, more and more seldom"),
        f"{came}",
    )
    program.sendall(b"some data")
    end.hear(0.2)
    end.say(end.dss())
    end.hear(0.1)
    yield info(program)[ACKED] == 0, "a DATA_ACK acknowledges nothing of control", f"{info(program)}"
    end.agree_control(len(want), width=4)
    end.hear(0.1)
    yield (
        info(program)[ACKED] == 1 and not info(program)[WAITS],
        "an S acknowledgment does",
        f"{info(program)}",
    )
    end.agree_control(len(want) + 9)
    end.hear(0.1)
    left = struct.unpack("i", fcntl.ioctl(program, TIOCOUTQ, bytes(4)))[0]
    yield left == 9, "and nothing of data", f"{left} bytes in the queue"

    send(program, KEY, b"K" * 1024)
    want = tlv(KEY, b"K" * 1024)
    came = end.controls(0.1)
    first = b"".join(data for place, length, data in came if (place, length) == (9, len(want)))
    yield first == want, "the next one follows in the stream", f"{came}"
    end.agree_control(9 + 100)
    came = end.controls(3)
    rest = b"".join(data for place, length, data in came if (place, length) == (109, len(want) - 100))
    yield rest.startswith(want[100:]), "what is acknowledged in part goes on there", f"{came}"
    end.agree_control(9 + len(want))


def questions(wire: Wire, waiting: socket.socket) -> Check:
    """Each is answered once; what waits to be acknowledged still is."""
    end, program = opened(wire, waiting)
    end.hear(0.3)
    answers = []
    for _ in range(10):
        end.ask()
        answers.append(len(end.hear(0.1).segments))
    yield answers == [1] * 10, "a question is answered by one packet", f"{answers}"
    end.data(b"then data")
    end.ask()
    got = end.hear(0.3).segments
    acks = [tcp for _, tcp in got if flags_of(tcp) & DSS_ACK and not flags_of(tcp) & STREAM]
    yield bool(acks), "data in front of it is acknowledged", f"{got}"
    program.close()


def receiving(wire: Wire, waiting: socket.socket, flags: int, how: str) -> Check:
    end, program = opened(wire, waiting, flags)
    end.tell(OWN, b"whole")
    place = end.last_ack()
    got = received(program)
    yield got == (OWN, b"whole"), f"{how}: a TLV arrives", f"{got}"
    yield place == end.controlled, f"{how}: and is acknowledged as a whole", f"{place}"
    end.tell(OWN + 1, b"")
    end.hear(0.2)
    yield received(program) == (OWN + 1, b""), f"{how}: an empty one", ""

    whole = tlv(OWN, b"in pieces")
    start = end.sent
    for i in range(len(whole)):
        end.control(whole, slice(i, i + 1), start=start)
    end.controlled += len(whole)
    place = end.last_ack()
    yield received(program) == (OWN, b"in pieces"), f"{how}: one mapping in segments of a byte", ""
    yield place == end.controlled, f"{how}: is acknowledged", f"{place}"
    for at in range(0, len(whole), 3):
        end.control(whole[at : at + 3])
        end.controlled += len(whole[at : at + 3])
    end.hear(0.2)
    yield received(program) == (OWN, b"in pieces"), f"{how}: several mappings of a TLV", ""

    whole = tlv(OWN, b"again")
    for _ in range(2):
        end.control(whole)
    end.controlled += len(whole)
    end.control(whole, place=end.controlled - len(whole))
    place = end.last_ack()
    got = [received(program), received(program)]
    yield got == [(OWN, b"again"), None], f"{how}: what comes again is dropped", f"{got}"
    yield place == end.controlled, f"{how}: and acknowledged again", f"{place}"

    whole = tlv(OWN, b"0123456789")
    end.control(whole[8:], place=end.controlled + 8)
    place = end.last_ack()
    yield place == end.controlled, f"{how}: of what is further back nothing is taken", f"{place}"
    end.control(whole[:6])
    end.control(whole, place=end.controlled)
    end.controlled += len(whole)
    end.hear(0.2)
    yield received(program) == (OWN, b"0123456789"), f"{how}: what overlaps is put together", ""

    end.control(tlv(OWN, b"narrow"), width=4, more=DSS_FIN)
    end.controlled += 10
    end.hear(0.2)
    yield received(program) == (OWN, b"narrow"), f"{how}: 32 bits, and a DATA_FIN that means nothing", ""
    for i in range(20):
        end.data(b"data %02d " % i)
        end.tell(OWN + i, b"beside")
        end.hear(0.05)
        if received(program) != (OWN + i, b"beside"):
            yield False, f"{how}: in turn with data", f"{i}"
    end.hear(0.2)
    got = read(program)
    yield got == b"".join(b"data %02d " % i for i in range(20)), f"{how}: the data is what it was", f"{got!r}"


def content(wire: Wire, waiting: socket.socket) -> Check:
    end, program = opened(wire, waiting)
    two = tlv(0x7FFF, b"what is this?") + tlv(5, bytes(1000))
    end.control(two)
    end.hear(0.3)
    yield (
        info(program)[UNKNOWN] == 1,
        "one at a time is taken, the rest has to come again",
        f"{info(program)}",
    )
    end.control(two)
    end.controlled += len(two)
    end.hear(0.2)
    yield (
        info(program)[UNKNOWN] == 2 and received(program) is None,
        "unknown types are counted",
        f"{info(program)}",
    )
    whole = tlv(OWN, bytes(40000))
    end.wire.window = 65000
    for at in range(0, len(whole), 1000):
        end.control(whole[at : at + 1000])
        end.controlled += len(whole[at : at + 1000])
        end.hear(0.01)
    end.tell(OWN, b"next")
    end.hear(0.3)
    yield info(program)[DROPPED] == 1, "one of 40 KB is read and dropped", f"{info(program)}"
    yield received(program) == (OWN, b"next"), "and the next one arrives", f"{info(program)}"
    for i in range(20):
        end.tell(OWN + i, b"unread")
        end.hear(0.05)
    counts = info(program)
    yield counts[UNREAD] == 8 and counts[DROPPED] == 13, "8 wait for who does not read", f"{counts}"
    got = [received(program) for _ in range(8)]
    yield got == [(OWN + i, b"unread") for i in range(8)], "the first ones", f"{got}"
    for value in (b"", bytes(14), bytes(15), bytes(27), bytes(16)):
        end.tell(ADD, value)
        end.hear(0.1)
    for kind, value in (
        (REMOVE, b""),
        (REMOVE, bytes(9)),
        (PRIORITY, bytes(2)),
        (PRIORITY, bytes(4)),
        (0, b""),
    ):
        end.tell(kind, value)
        end.hear(0.1)
    yield info(program)[UNKNOWN] == 12, "wrong ones are counted", f"{info(program)}"
    body = bytes([9]) + socket.inet_aton("10.0.1.77") + struct.pack("!H", 7000)
    right = ((ADD, body), (ADD, body[:5] + bytes(14)), (REMOVE, bytes([8])), (PRIORITY, bytes([1, 7, 7])))
    for kind, value in right[0], *right[2:]:
        end.sign(kind, value)
        end.hear(0.1)
    yield info(program)[UNKNOWN] == 12, "signed ones are taken", f"{info(program)}"
    yield from unsigned(end, program, right)


def forged(end: End, kind: int, value: bytes) -> Iterator[tuple[str, bytes]]:
    """TLVs of the kernel's whose HMAC is wrong in one thing. Each is that of the next place when it is
    asked for."""
    first = end.signed(kind, value)
    yield "no HMAC", tlv(kind, value)
    yield "the key's HMAC of the value alone", tlv(kind, value + mac(end.key, end.peer_key, value)[-8:])
    whole = end.signed(kind, value)
    yield "an HMAC with a bit turned", whole[:-1] + bytes([whole[-1] ^ 1])
    whole = end.signed(kind, value)
    yield "a value with a bit turned", whole[:4] + bytes([whole[4] ^ 1]) + whole[5:]
    yield "the HMAC of the next place", end.signed(kind, value, later=1)
    yield "what was right before", first


def unsigned(end: End, program: socket.socket, right: tuple[tuple[int, bytes], ...]) -> Check:
    def counted(whole: bytes) -> bool:
        before = info(program)[UNKNOWN]
        end.follow(whole)
        end.hear(0.1)
        return info(program)[UNKNOWN] == before + 1

    for kind, value in right:
        for what, whole in forged(end, kind, value):
            yield counted(whole), f"type {kind}, {len(value)} bytes: {what} is wrong", ""
    for kind, size in (ADD, 6), (ADD, 8), (REMOVE, 9), (PRIORITY, 2), (PRIORITY, 4):
        whole = end.signed(kind, bytes(size))
        yield counted(whole), f"type {kind}, {size} bytes: wrong, though signed", ""


def small(wire: Wire, waiting: socket.socket) -> Check:
    """TLVs that nobody reads leave the receive buffer to data."""
    end, program = opened(wire, waiting)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    for i in range(8):
        end.tell(OWN + i, bytes(1000))
        end.hear(0.05)
    counts = info(program)
    yield counts[UNREAD] == 1 and counts[DROPPED] == 7, "of a small buffer they get a quarter", f"{counts}"
    end.data(b"goes on")
    end.hear(0.1)
    yield read(program) == b"goes on", "and data goes on", ""
    got = received(program)
    yield got == (OWN, bytes(1000)), "the first one is there", f"{got}"
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)
    end.tell(OWN, bytes(1000))
    place, counts = end.last_ack(), info(program)
    yield place == end.controlled and counts[DROPPED] == 8, "one that is too long is dropped", f"{counts}"


def keyed(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    """The kernel's are signed with the application's key, and may come before the program has it. It
    needs another listener: the last test."""

    def mac_of(key: bytes, message: bytes) -> bytes:
        return hmac.new(key, message, hashlib.sha256).digest()

    def announced() -> int:
        end.hear(0.3)
        return counters(namespace)["AddAddr"] - before

    waiting.close()
    with inside(namespace):
        keeping = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
    keeping.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeping.setsockopt(SOL_MPTCP, ENABLE_APP_KEY, 1)
    keeping.bind(("", PORT))
    keeping.listen()
    end, program = opened(wire, keeping, CAPABLE_SHA256 | CAPABLE_KEY)
    before = counters(namespace)["AddAddr"]
    secrets = b"".join(
        mac_of(SECRET, b"MPTCP application key, " + who + end.key + end.peer_key)
        for who in (b"client", b"server")
    )
    bodies = [
        bytes([number]) + socket.inet_aton(f"10.0.1.{70 + number}") + struct.pack("!H", 7000)
        for number in range(1, 9)
    ]
    end.tell(REMOVE, b"")
    for body in bodies[:6]:
        end.sign(ADD, body, secrets)
        end.hear(0.05)
    end.sign(PRIORITY, bytes([1, 0, 0]), secrets)
    end.sign(ADD, bodies[6])
    place = end.last_ack()
    end.control(end.signed(ADD, bodies[7], secrets))
    late = end.last_ack()
    yield announced() == 0, "before the key none counts", ""
    yield info(program)[UNKNOWN] == 1, "what cannot be right does not wait for it", f"{info(program)}"
    yield place in (None, end.controlled), "some wait for it", f"{place}"
    yield late in (None, end.controlled), "one more is not acknowledged", f"{late}"
    prio = counters(namespace)["MPPrioRx"]
    program.setsockopt(SOL_MPTCP, APP_KEY, SECRET)
    got, wrong = announced(), info(program)[UNKNOWN]
    yield (got, wrong) == (6, 2), "with the key those that have its HMAC are taken", f"{got}, {wrong}"
    yield counters(namespace)["MPPrioRx"] == prio + 1, "a priority, too", ""
    end.sign(ADD, bodies[7], secrets)
    place, got = end.last_ack(), announced()
    yield got == 7 and place == end.controlled, "as is what comes later", f"{got}, {place}"
    yield info(program)[UNKNOWN] == 2, "that was right", f"{info(program)}"


def announcing(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    """What the server says of its addresses, and how it signs it."""

    def endpoint(*what: str) -> bytes:
        """The TLV that comes of it, which is acknowledged."""
        with inside(namespace):
            subprocess.run(["ip", "mptcp", "endpoint", *what], check=True)
        came = end.controls(0.3)
        place, _, whole = came[-1] if came else (0, 0, b"")
        end.agree_control(place + len(whole))
        end.hear(0.1)
        number = struct.pack("!Q", (idsn_of(end.peer_key) + 1 + place) & MASK64)
        signed = mac(end.peer_key, end.key, to_sign(number + whole[:-8]))[-8:]
        return whole[:-8] if whole[-8:] == signed else b"wrong HMAC"

    end, program = opened(wire, waiting)
    added = tlv(ADD, bytes([9]) + socket.inet_aton("10.0.9.9") + bytes(2) + bytes(8))[:-8]
    got = endpoint("add", "10.0.9.9", "id", "9", "signal")
    yield got == added, "an address that is added is signed", f"{got!r}"
    got = endpoint("del", "id", "9")
    yield got == tlv(REMOVE, bytes([9]) + bytes(8))[:-8], "so is that it is removed", f"{got!r}"
    yield info(program)[ACKED] == 2, "both are acknowledged", f"{info(program)}"


def backup(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    """MP_PRIO by TLV names the subflow, and may come on another one: it is signed."""

    def believed() -> int:
        end.hear(0.2)
        return counters(namespace)["MPPrioRx"]

    end, program = opened(wire, waiting)
    other = end.join(number=5)
    before = believed()
    end.control_over(other, tlv(PRIORITY, bytes([1, 0, 0])))
    yield believed() == before, "a priority that is not signed is not believed on another subflow", ""
    end.tell(PRIORITY, bytes([1, 0, 0]))
    yield believed() == before, "nor on its own", ""
    yield info(program)[UNKNOWN] == 2, "they are counted as wrong", f"{info(program)}"
    whole = end.signed(PRIORITY, bytes([1, 0, 0]))
    end.control(whole[:-1])
    end.controlled += len(whole) - 1
    end.control_over(other, whole[-1:])
    yield believed() == before + 1, "one that is signed is, wherever its bytes come", ""
    program.sendall(b"not on the backup")
    got = wire.answer(other.port, lambda tcp: bool(tcp.data), patience=1)
    yield (
        got is not None and bytes(got.data) == b"not on the backup",
        "and data goes on the other one",
        f"{got!r}",
    )
    end.control_over(other, end.signed(PRIORITY, bytes([0, 0, 0])))
    yield believed() == before + 2, "the other one takes it back", ""


def removed(wire: Wire, waiting: socket.socket) -> Check:
    """REMOVE_ADDR comes by TLV and by option, in any order, and again for who has the id next."""

    def joined() -> int:
        """How many subflows are, as MPTCP_INFO has them."""
        end.hear(0.3)
        return program.getsockopt(SOL_MPTCP, 1, 100)[0]

    def by_option() -> None:
        end.say(option(REMOVE_ADDR, 0, bytes([5])))

    def by_tlv() -> None:
        end.sign(REMOVE, bytes([5]))

    for how, first, second in ("TLV", by_tlv, by_option), ("option", by_option, by_tlv):
        end, program = opened(wire, waiting)
        end.join(number=5)
        before = joined()
        first()
        after = joined()
        yield (before, after) == (1, 0), f"{how} first: the subflow is closed", f"{before}, {after}"
        second()
        end.join(number=5)
        before = joined()
        by_tlv()
        after = joined()
        yield (before, after) == (1, 0), "so is the next one of that id", f"{before}, {after}"

    for seconds, left, what in (
        (20, 1, "a TLV that comes late is about who had the id"),
        (61, 0, "an option's mark does not last"),
    ):
        end, program = opened(wire, waiting)
        by_option()
        end.hear(seconds)
        end.join(number=5)
        before = joined()
        by_tlv()
        after = joined()
        yield (before, after) == (1, left), what, f"{before}, {after}"


def dies(wire: Wire, waiting: socket.socket) -> Check:
    """The subflow that has the TLV is reset: it comes on the other one, at once."""
    end, program = opened(wire, waiting)
    other = end.join(number=5)
    end.hear(0.2)
    send(program, OWN, b"survives")
    end.hear(0.1)
    if b"survives" in end.stream.data:
        port, seq, ack, left = end.port, ISN + 1 + end.sent, end.ack, other.port
    else:
        port, seq, ack, left = other.port, ISN + 1, other.ack, end.port
    start = time.monotonic()
    wire.send(port, RST | ACK, seq, ack)
    got = wire.answer(left, lambda tcp: b"survives" in bytes(tcp.data), patience=2)
    late = time.monotonic() - start
    yield (
        got is not None and bool(flags_of(got) & STREAM),
        "its subflow dies: another one carries it",
        f"{got!r}",
    )
    yield late < 0.15, "before a timeout", f"{late}"


def fallback(wire: Wire, waiting: socket.socket) -> Check:
    end, program = met(wire, waiting)
    end.data(b"hello")
    end.hear(0.1)
    end.say(b"", b"without a mapping")
    end.hear(0.3)
    got = read(program)
    yield got == b"hellowithout a mapping", "negotiated only: falling back is possible", f"{got!r}"
    try:
        send(program, OWN, b"too late")
        yield False, "TLVs are refused then: EOPNOTSUPP", ""
    except OSError as error:
        yield error.errno == 95, "TLVs are refused then: EOPNOTSUPP", f"{error}"
    end.hear(0.5)
    yield b"too late" not in end.stream.data, "and are not sent", ""

    for what, segment in (
        ("a segment without a mapping", lambda end: end.say(b"", b"is it data?")),
        ("an infinite mapping", lambda end: end.say(end.infinite(), b"is it data?")),
    ):
        end, program = opened(wire, waiting)
        segment(end)
        got = end.hear(0.3).segments
        yield read(program) == b"", f"open: {what} is no data", ""
        yield any(tcp.flags & RST for _, tcp in got), f"open: after {what} the subflow is reset", f"{got}"

    end, program = opened(wire, waiting)
    send(program, OWN, b"on its way")
    end.hear(0.2)
    end.fail(0)
    program.sendall(b"data")
    got = end.hear(0.5).segments
    infinite = [tcp for _, tcp in got if tcp.data and not options(tcp).get(DSS)]
    yield not infinite, "with a TLV on its way MP_FAIL is answered by no infinite mapping", f"{infinite}"


def checksums(wire: Wire, waiting: socket.socket) -> Check:
    end, program = opened(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    end.control(tlv(OWN, b"wrong sum"), bits=1)
    got = end.hear(0.3).segments
    yield received(program) is None, "a TLV whose checksum is wrong does not arrive", ""
    yield any(tcp.flags & RST for _, tcp in got), "the subflow is reset", f"{got}"
    failed = [raw for _, tcp in got if (raw := options(tcp).get(FAIL))]
    want = option(FAIL, 0, b"\0" + end.number(end.mapped, 8))
    yield failed[:1] == [want], "MP_FAIL has the place of the data that comes next", f"{failed}"
    end, program = opened(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    send(program, OWN, b"summed up")
    want = tlv(OWN, b"summed up")
    sums = []
    for _, tcp in end.hear(0.2).segments:
        raw = options(tcp).get(DSS)
        if raw and raw[3] & STREAM and raw[3] & DSS_MAP:
            number, ssn, length = struct.unpack_from("!QIH", raw, len(raw) - 16)
            sums.append(raw[-2:] == checksum_of(Mapping(ssn, 0, 0, number, length, bytes(2)), want))
    yield bool(sums) and all(sums), "ours are right", f"{sums}"


def noise(wire: Wire, waiting: socket.socket, seed: int) -> Check:
    """Anything with S, beside data: neither the data nor the connection suffers."""
    draw = random.Random(seed)
    end, program = opened(wire, waiting)
    sent = got = b""
    for _ in range(400):
        what = draw.randrange(6)
        rubbish = draw.randbytes(draw.choice([1, 3, 4, 5, 40, 400]))
        if what == 0:
            end.ask()
        elif what == 1:
            end.agree_control(draw.randrange(-5, 2000), draw.choice([4, 8]))
        elif what == 2:
            end.tell(draw.choice([0, 1, 2, 3, 4, 9, OWN, 0xFFFF]), draw.randbytes(draw.randrange(40)))
        elif what == 3:
            place = end.controlled + draw.randrange(-2000, 2000)
            end.control(rubbish, place=place, width=draw.choice([4, 8]), more=draw.choice([0, DSS_FIN]))
        elif what == 4:
            flags = STREAM | draw.randrange(0, 256)
            end.say(option(DSS, draw.randrange(16), bytes([flags]) + draw.randbytes(draw.randrange(24))))
        data = draw.randbytes(draw.randrange(1, 60))
        end.data(data)
        sent += data
        end.hear(0.01)
        got += read(program)
    end.hear(0.3)
    got += read(program)
    yield got == sent, f"noise {seed}: the data is what it was", f"{len(got)} of {len(sent)}"
    program.sendall(b"alive")
    end.hear(0.3)
    yield b"alive" in end.stream.data, f"noise {seed}: and goes on", ""


def silent(wire: Wire, waiting: socket.socket) -> Check:
    """Nobody answers: bounded work, and the data goes on."""
    end, program = met(wire, waiting)
    send(program, OWN, b"hears nobody")
    asks = [tcp for _, tcp in end.hear(90).segments if flags_of(tcp) == STREAM]
    yield len(asks) == 8, "who does not answer is asked 8 times", f"{len(asks)}"
    yield info(program)[STATE] == GIVEN_UP, "then the stream is given up", f"{info(program)}"
    end.data(b"goes on")
    end.hear(0.2)
    yield read(program) == b"goes on", "and the connection goes on", ""

    end, program = opened(wire, waiting)
    send(program, OWN, b"hears nobody")
    copies = end.controls(90)
    yield len(copies) == 8, "a TLV that is not acknowledged is sent 8 times", f"{len(copies)}"
    yield info(program)[STATE] == GIVEN_UP, "then, too", f"{info(program)}"
    program.sendall(b"data")
    end.hear(0.2)
    yield end.stream.data.endswith(b"data"), "the data goes on", ""
    end.tell(OWN, b"heard")
    place = end.last_ack()
    got = received(program)
    yield got == (OWN, b"heard") and place == end.controlled, "who gave up sending hears yet", f"{got}"
    yield read(program) == b"", "and takes it for no data", ""


def all_checks(wire: Wire, waiting: socket.socket, namespace: str) -> Check:
    yield from negotiation(wire, waiting, namespace)
    yield from sending(wire, waiting)
    yield from questions(wire, waiting)
    yield from receiving(wire, waiting, CAPABLE_SHA256, "no checksums")
    yield from receiving(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM, "checksums")
    yield from content(wire, waiting)
    yield from small(wire, waiting)
    yield from announcing(wire, waiting, namespace)
    yield from backup(wire, waiting, namespace)
    yield from removed(wire, waiting)
    yield from dies(wire, waiting)
    yield from fallback(wire, waiting)
    yield from checksums(wire, waiting)
    for seed in range(5):
        yield from noise(wire, waiting, seed)
    yield from silent(wire, waiting)
    yield from keyed(wire, waiting, namespace)


def main() -> None:
    server, source, namespace = sys.argv[1:]
    wire = Wire(server, source, itertools.count(6001))
    with inside(namespace):
        waiting = listener(server)
    for good, what, seen in all_checks(wire, waiting, namespace):
        print(f"{'ok' if good else 'not ok'} {what}" + ("" if good else f"\n# {seen}"), flush=True)


if __name__ == "__main__":
    main()
