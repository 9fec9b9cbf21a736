# SPDX-License-Identifier: GPL-2.0
"""What somebody on a path can say in the name of either end, without the keys."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass

from conformance.byhand import option
from conformance.crypto import idsn_of, mac
from conformance.options import (
    ADD_ADDR,
    DSS,
    DSS_ACK,
    DSS_ACK64,
    DSS_FIN,
    DSS_MAP,
    DSS_MAP64,
    FAIL,
    FASTCLOSE,
    PRIO,
    REASON_MIDDLEBOX,
    REMOVE_ADDR,
    TCPRST,
)
from eye import Eye, Side
from packet import ACK, FIN, MPTCP, RST, Option, Segment

GARBAGE = b"\xff" * 100
FAR = 1 << 30
NUMBER = 99  # of an address that nobody has
ALL = DSS_ACK | DSS_ACK64 | DSS_MAP | DSS_MAP64
STREAM = 0x20  # in a DSS: of the control stream
TLV_ADD, TLV_REMOVE, TLV_PRIO = 1, 2, 3


@dataclass
class Scene:
    """eye: on the attacked path; other: on the other one. up: the server is the victim."""

    eye: Eye
    other: Eye
    up: bool

    def sides(self, up: bool) -> tuple[Side, Side]:
        return self.eye.toward[up], self.other.toward[up]

    def keys(self) -> tuple[bytes, bytes]:
        """The victim's peer's and the victim's. Only who saw the handshake of the first subflow has them."""
        both = next(s.keys for s in self.sides(True) if s.keys)
        return (both[:8], both[8:]) if self.up else (both[8:], both[:8])

    def wanted(self) -> int:
        """What the victim expects next of the data."""
        return max(s.acked for s in self.sides(not self.up))

    def top(self) -> int:
        """As far as the victim has been sent data."""
        return max(self.wanted(), *(s.mapped for s in self.sides(self.up)))

    def acked(self) -> int:
        """What the victim knows to have arrived."""
        return max(s.acked for s in self.sides(self.up))

    def sent(self) -> int:
        """As far as the victim has sent data."""
        return max(self.acked(), *(s.mapped for s in self.sides(not self.up)))

    def say(self, raw: bytes = b"", flags: int = ACK, payload: bytes = b"", ahead: int = 0) -> list[Segment]:
        options = [Option(MPTCP, raw[2:])] if raw else []
        return [self.eye.next(self.up, options, flags, payload, ahead)]

    def map(self, dsn: int, payload: bytes, length: int | None = None, ahead: int = 0) -> list[Segment]:
        """A segment with a mapping and the right DATA_ACK."""
        length = len(payload) if length is None else length
        place = self.eye.toward[self.up].relative() + ahead
        body = struct.pack("!BQQIH", ALL, self.acked(), dsn, place, length)
        return self.say(option(DSS, 0, body), payload=payload, ahead=ahead)

    def data_fin(self, dsn: int) -> list[Segment]:
        body = struct.pack("!BQQIH", ALL | DSS_FIN, self.acked(), dsn, 0, 1)
        return self.say(option(DSS, 0, body))

    def tlv(self, kind: int, value: bytes) -> list[Segment]:
        """The first one of the control stream. Its place is what keys would tell, or a TLV that went by."""
        whole = struct.pack("!HH", kind, len(value)) + value
        numbers = [idsn_of(key) + 1 for key in reversed(self.keys())]
        place = self.eye.toward[self.up].relative()
        body = struct.pack("!BQQIH", ALL | STREAM, *numbers, place, len(whole))
        return self.say(option(DSS, 0, body), payload=whole)

    def data_ack(self, number: int) -> list[Segment]:
        return self.say(option(DSS, 0, struct.pack("!BQ", DSS_ACK | DSS_ACK64, number)))


def fail(s: Scene) -> list[Segment]:
    return s.say(option(FAIL, 0, struct.pack("!BQ", 0, s.acked())))


def fail_reset(s: Scene) -> list[Segment]:
    return s.say(option(FAIL, 0, struct.pack("!BQ", 0, s.acked())), RST | ACK)


def prio(s: Scene) -> list[Segment]:
    return s.say(option(PRIO, 1, b""))


def remove_other(s: Scene) -> list[Segment]:
    return s.say(option(REMOVE_ADDR, 0, bytes([s.other.toward[s.up].number])))


def add_addr(s: Scene) -> list[Segment]:
    body = bytes([NUMBER, 10, 0, 9, 9]) + os.urandom(8)
    return s.say(option(ADD_ADDR, 0, body))


def add_addr_keys(s: Scene) -> list[Segment]:
    body = bytes([NUMBER, 10, 0, 9, 9])
    return s.say(option(ADD_ADDR, 0, body + mac(*s.keys(), body + bytes(2))[-8:]))


def tlv_prio(s: Scene) -> list[Segment]:
    """The other subflow shall be a backup."""
    near, far = s.other.toward[s.up], s.other.toward[not s.up]
    return s.tlv(TLV_PRIO, bytes([1, near.number, far.number]) + os.urandom(8))


def tlv_remove(s: Scene) -> list[Segment]:
    return s.tlv(TLV_REMOVE, bytes([s.other.toward[s.up].number]) + os.urandom(8))


def tlv_add(s: Scene) -> list[Segment]:
    return s.tlv(TLV_ADD, bytes([NUMBER, 10, 0, 9, 9]) + bytes(2) + os.urandom(8))


def fastclose_keys(s: Scene) -> list[Segment]:
    return s.say(option(FASTCLOSE, 0, b"\0" + s.keys()[1]))


def add_addr_echo(s: Scene) -> list[Segment]:
    """That of an address which the victim never announced."""
    return s.say(option(ADD_ADDR, 1, bytes([NUMBER, 10, 0, 9, 9])))


def fastclose(s: Scene) -> list[Segment]:
    return s.say(option(FASTCLOSE, 0, b"\0" + os.urandom(8)))


def fastclose_reset(s: Scene) -> list[Segment]:
    return s.say(option(FASTCLOSE, 0, b"\0" + os.urandom(8)), RST | ACK)


def data_fin_now(s: Scene) -> list[Segment]:
    return s.data_fin(s.top())


def data_fin_far(s: Scene) -> list[Segment]:
    return s.data_fin(s.top() + FAR)


def data_fin_old(s: Scene) -> list[Segment]:
    return s.data_fin(s.wanted() - 1000)


def map_next(s: Scene) -> list[Segment]:
    return s.map(s.top(), GARBAGE)


def map_far(s: Scene) -> list[Segment]:
    return s.map(s.top() + FAR, GARBAGE)


def map_old(s: Scene) -> list[Segment]:
    return s.map(s.wanted() - 1000, GARBAGE)


def map_infinite(s: Scene) -> list[Segment]:
    return s.map(s.top(), GARBAGE, 0)


def map_holes(s: Scene) -> list[Segment]:
    """Bytes ahead, each behind a hole, as many as fit into the window: they fill the memory."""
    return [x for n in range(3000) for x in s.map(s.top() + 10**5 + 10 * n, b"\xff", ahead=n)]


def map_unfinished(s: Scene) -> list[Segment]:
    """A mapping of 64 KB, of which one byte comes."""
    return s.map(s.wanted() - 1, b"\xff", 65535)


def ack_beyond(s: Scene) -> list[Segment]:
    return s.data_ack(s.sent() + FAR)


def ack_early(s: Scene) -> list[Segment]:
    return s.data_ack(s.sent())


def reset(s: Scene) -> list[Segment]:
    return s.say(flags=RST | ACK)


def reset_reason(s: Scene) -> list[Segment]:
    return s.say(option(TCPRST, 0, bytes([REASON_MIDDLEBOX])), RST | ACK)


def fin(s: Scene) -> list[Segment]:
    return s.say(flags=FIN | ACK)


def unmapped(s: Scene) -> list[Segment]:
    return s.say(payload=GARBAGE)


def blind(s: Scene) -> list[Segment]:
    """All of them from off the path, by somebody who knows all but the sequence numbers."""
    found = [x for f in (fail, remove_other, prio, data_fin_now, map_next, fastclose) for x in f(s)]
    found += [x for f in (fail_reset, reset, fin) for x in f(s)]
    return [x.but(seq=(x.seq + (1 << 31)) & 0xFFFFFFFF) for x in found]


@dataclass
class Forgery:
    """allows: what RFC 8684 lets it do, words of inject.py; all else is a failure. does: what it has to do,
    or else it did not arrive. counter: of the victim, which grows when it arrives. stream: both ends have a
    control stream."""

    what: str
    make: Callable[[Scene], list[Segment]]
    allows: str = "path"
    does: str = ""
    counter: str = ""
    stream: bool = False


FORGERIES = {
    "none": Forgery("nothing", lambda _: [], ""),
    "fail": Forgery("MP_FAIL", fail, counter="MPFailRx"),
    "fail_reset": Forgery("MP_FAIL with RST", fail_reset),
    "prio": Forgery("MP_PRIO", prio, "", counter="MPPrioRx"),
    # Nothing signs it. Section 3.4.2 would have the path probed before it is closed.
    "remove": Forgery("REMOVE_ADDR of the other path", remove_other, "sibling slow", counter="RmAddr"),
    "add_addr": Forgery("ADD_ADDR, wrong HMAC", add_addr, ""),
    "tlv_prio": Forgery(
        "priority of the other path, by TLV", tlv_prio, counter="ControlUnknown", stream=True
    ),
    "tlv_remove": Forgery(
        "REMOVE_ADDR of the other path, by TLV",
        tlv_remove,
        counter="ControlUnknown",
        stream=True,
    ),
    "tlv_add": Forgery("ADD_ADDR by TLV, wrong HMAC", tlv_add, counter="ControlUnknown", stream=True),
    "echo": Forgery("echo of an ADD_ADDR", add_addr_echo, "", counter="EchoAdd"),
    "fastclose": Forgery("MP_FASTCLOSE, wrong key", fastclose, ""),
    "add_addr_keys": Forgery("ADD_ADDR, with keys", add_addr_keys, does="taken"),
    "fastclose_keys": Forgery("MP_FASTCLOSE, with keys", fastclose_keys, "path sibling cut idle", "error"),
    "fastclose_reset": Forgery("MP_FASTCLOSE with RST, wrong key", fastclose_reset),
    "data_fin": Forgery("DATA_FIN, next in order", data_fin_now, "path sibling cut lost slow"),
    "data_fin_far": Forgery("DATA_FIN beyond the window", data_fin_far),
    "data_fin_old": Forgery("DATA_FIN of what came already", data_fin_old),
    "map": Forgery("mapping of what comes next", map_next, "path wrong"),
    "map_far": Forgery("mapping beyond the window", map_far, counter="NoDSSInWindow"),
    "map_old": Forgery("mapping of what came already", map_old, counter="DuplicateData"),
    "map_infinite": Forgery("infinite mapping", map_infinite, counter="InfiniteMapRx"),
    "map_holes": Forgery("3000 mappings of a byte, with holes", map_holes, "path wrong slow"),
    "map_unfinished": Forgery("mapping of 64 KB, one byte of it", map_unfinished),
    "unmapped": Forgery("data without mapping", unmapped, "path wrong"),
    "ack_beyond": Forgery("DATA_ACK of what was never sent", ack_beyond),
    "ack_early": Forgery("DATA_ACK of what is on its way", ack_early, "path lost"),
    "reset": Forgery("RST", reset),
    "reset_reason": Forgery("RST with MP_TCPRST", reset_reason),
    "fin": Forgery("FIN", fin),
    "blind": Forgery("all of these from off the path", blind, ""),
}
