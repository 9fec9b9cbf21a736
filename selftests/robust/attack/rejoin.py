# SPDX-License-Identifier: GPL-2.0
"""All subflows of a connection are reset, then the client joins again: it must go on, with MPTCP and at once.

usage: python3 rejoin.py CLIENT SERVER [quick]

RFC 8684 has the connection outlive its subflows, and Linux keeps it for a minute. The client is one of
our own (stranger.py), as an unpatched one would be. Prints "ok WHAT" or "not ok WHAT".
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable
from functools import partial

from conformance.byhand import ISN, Connection, Join, option
from conformance.capture import ACK, RST
from conformance.connection import Bad
from conformance.options import DSS, REASON_MIDDLEBOX, TCPRST, decode_dss
from conformance.wire import options
from stranger import Stranger, judged, listening

AT_ONCE = 0.5  # seconds


class Case:
    """A connection of the stranger, which has sent something."""

    def __init__(self, stranger: Stranger, listener: socket.socket) -> None:
        self.stranger = stranger
        self.connection = Connection(stranger)
        self.connection.send(b"first")
        if self.connection.arrived() is None:
            raise Bad("the first data is not acknowledged")
        self.app = listener.accept()[0]
        self.app.settimeout(5)
        self.expect(b"first")

    def expect(self, data: bytes) -> None:
        got = self.app.recv(100)
        if got != data:
            raise Bad(f"the server has {got!r}, not {data!r}")

    def reset(self, port: int, sent: int, ack: int, reason: int) -> None:
        raw = option(TCPRST, 0, bytes([reason])) if reason else b""
        self.stranger.send(port, RST | ACK, ISN + 1 + sent, ack, raw)

    def break_first(self, reason: int) -> None:
        self.reset(self.connection.port, self.connection.sent, self.connection.ack, reason)
        time.sleep(0.1)

    def break_join(self, join: Join, reason: int) -> None:
        self.reset(join.port, join.sent, join.ack, reason)
        time.sleep(0.1)

    def join(self) -> Join:
        self.stranger.forget()
        join = self.connection.join()
        if join.got is None or join.got.flags & RST:
            raise Bad("the join is refused")
        return join

    def works(self, join: Join) -> None:
        """Both directions, at once, with mappings, without a reset."""
        start = time.monotonic()
        join.send(b"again")
        if self.connection.arrived(join.port) is None:
            raise Bad("what is sent on the new subflow is not acknowledged")
        self.expect(b"again")
        self.app.sendall(b"answer")
        got = self.stranger.answer(join.port, lambda tcp: bool(tcp.data) or bool(tcp.flags & RST))
        took = time.monotonic() - start
        if got is None or got.flags & RST:
            raise Bad("it is reset" if got else f"the server's data does not come within {took:.1f} s")
        raw = options(got).get(DSS)
        dss = decode_dss(raw) if raw else None
        if dss is None or dss.length != len(b"answer"):
            raise Bad(f"the server's data has the mapping {dss}")
        if took > AT_ONCE:
            raise Bad(f"it took {took:.2f} s")


def again(case: Case, reason: int) -> None:
    case.break_first(reason)
    case.works(case.join())


def reset_plain(case: Case) -> None:
    """the only subflow is reset: a join goes on"""
    again(case, 0)


def reset_middlebox(case: Case) -> None:
    """the same with MP_TCPRST, reason 6 (middlebox): a join goes on"""
    again(case, REASON_MIDDLEBOX)


def both_reset(case: Case) -> None:
    """two subflows are reset: a join goes on"""
    join = case.join()
    case.break_first(REASON_MIDDLEBOX)
    case.break_join(join, REASON_MIDDLEBOX)
    case.works(case.join())


def unread(case: Case) -> None:
    """the same while the server has something to send: it comes on the new subflow"""
    case.break_first(REASON_MIDDLEBOX)
    case.app.sendall(b"waits")
    join = case.join()
    got = case.stranger.answer(join.port, lambda tcp: bool(tcp.data) or bool(tcp.flags & RST))
    if got is None or got.data != b"waits":
        raise Bad("what waited is reset" if got is not None else "what waited does not come")


def second_join(case: Case) -> None:
    """afterwards a second subflow joins: it stops none"""
    case.break_first(REASON_MIDDLEBOX)
    first = case.join()
    first.send(b"one")
    if case.connection.arrived(first.port) is None:
        raise Bad("what is sent on the new subflow is not acknowledged")
    case.expect(b"one")
    case.works(case.join())


def twice(case: Case) -> None:
    """all subflows are reset a second time: a join goes on"""
    case.break_first(REASON_MIDDLEBOX)
    join = case.join()
    join.send(b"one")
    case.connection.arrived(join.port)
    case.expect(b"one")
    case.break_join(join, REASON_MIDDLEBOX)
    case.works(case.join())


def late(case: Case) -> None:
    """the join comes 30 s later: it goes on"""
    case.break_first(REASON_MIDDLEBOX)
    time.sleep(30)
    case.works(case.join())


CASES: list[Callable[[Case], None]] = [
    reset_plain,
    reset_middlebox,
    both_reset,
    unread,
    second_join,
    twice,
    late,
]


def run(act: Callable[[Case], None], stranger: Stranger, listener: socket.socket) -> None:
    case = Case(stranger, listener)
    with case.app:
        act(case)
        case.connection.fastclose(0)


def main() -> int:
    stranger = Stranger(sys.argv[2], "10.9.0.1")
    with listening(sys.argv[2]) as listener:
        for act in CASES:
            judged(f"rejoin: {act.__doc__}", partial(run, act, stranger, listener))
    print(f"# {len(CASES)} attacks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
