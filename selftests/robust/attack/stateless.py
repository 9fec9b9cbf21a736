# SPDX-License-Identifier: GPL-2.0
"""Joins without state (net.mptcp.stateless_join), segment by segment, and what must not join.

usage: python3 stateless.py CLIENT SERVER [quick]

The client is one of our own (stranger.py) and computes all by itself, from Documentation/joins.md. Prints
"ok WHAT" or "not ok WHAT".
"""

from __future__ import annotations

import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import dpkt
from conformance.byhand import ISN, Connection, established, inverted, is_reset, is_reset_for, option
from conformance.capture import ACK, RST, SYN
from conformance.connection import Bad
from conformance.crypto import mac
from conformance.options import JOIN
from conformance.wire import options
from gauge import lines
from stranger import Stranger, judged, listening

from net import counters, set_sysctl

ASKS = 2  # beside B
ERESOURCE = 2  # MP_TCPRST: lack of resources
MOST = 48  # such joins in two minutes
OLD = 125  # seconds: more than a cookie is valid

NOISE = b"\x01\x01"


def need(true: object, what: str) -> None:
    if not true:
        raise Bad(what)


class Join:
    """The SYN, and the answer to it. asks: without state."""

    def __init__(
        self,
        connection: Connection,
        asks: bool = True,
        nonce: bytes = b"wxyz",
        tcp_options: bytes = b"",
        backup: bool = False,
    ) -> None:
        self.connection, self.wire, self.nonce = connection, connection.wire, nonce
        self.port, self.low = self.wire.new_port(), int(backup)
        body = bytes([5]) + connection.token() + nonce
        self.wire.send(
            self.port, SYN, ISN, 0, tcp_options + option(JOIN, self.low | (ASKS if asks else 0), body)
        )
        self.synack = self.wire.answer(self.port)
        raw = options(self.synack).get(JOIN) if self.synack else None
        self.granted = raw is not None and bool(raw[2] & ASKS)
        if self.synack is None or raw is None:
            return
        self.theirs, self.ack = raw[12:16], self.synack.seq + 1
        right = mac(connection.peer_key, connection.key, self.theirs + nonce)[:8]
        need(raw[4:12] == right, "the SYN/ACK's HMAC is wrong")
        self.code = mac(connection.key, connection.peer_key, nonce + self.theirs)

    def long(self, number: int = 5, code: bytes = b"", nonce: bytes = b"", token: bytes = b"") -> bytes:
        code = code or self.code[:16]
        return option(
            JOIN,
            self.low,
            bytes([number]) + code + (nonce or self.nonce) + (token or self.connection.token()),
        )

    def short(self) -> bytes:
        return option(JOIN, 0, b"\0" + self.code[:20])

    def third(
        self, opts: bytes = b"", port: int = 0, seq: int = ISN + 1, ack: int = 0
    ) -> dpkt.tcp.TCP | None:
        """The answer to it."""
        self.wire.forget()  # type: ignore[attr-defined]
        self.wire.send(port or self.port, ACK, seq, (ack or self.ack) & 0xFFFFFFFF, opts or self.long())
        return self.wire.answer(port or self.port)

    def reset(self) -> None:
        self.wire.send(self.port, RST | ACK, ISN + 1, self.ack)
        time.sleep(0.05)


class Case:
    def __init__(self, stranger: Stranger, listener: socket.socket) -> None:
        self.stranger, self.namespace = stranger, stranger.namespace
        self.connection = established(stranger)
        self.app = listener.accept()[0]
        self.before, self.waiting = counters(self.namespace), self.half_open()

    def counted(self, name: str, times: int = 1) -> None:
        found = counters(self.namespace)[name] - self.before[name]
        need(found == times, f"{name} grew by {found}, not {times}")

    def half_open(self) -> int:
        return sum(words[3] == "03" for words in lines(self.namespace, "tcp"))

    def refuses(self, join: Join, counter: str = "MPJoinStatelessCookie", **third: int | bytes) -> None:
        need(join.granted, "it is not granted")
        got = join.third(**third)  # type: ignore[arg-type]
        need(is_reset(got), f"it is not reset: {got!r}")
        self.counted(counter)
        self.counted("MPJoinStatelessAckRx", 0)


def joins(case: Case) -> None:
    """it joins, and its third ACK may come again"""
    join = Join(case.connection)
    need(join.granted, "it is not granted")
    need(case.half_open() == case.waiting, "a request is left")
    for _ in range(2):
        got = join.third()
        need(got is not None and not is_reset(got), f"no fourth ACK: {got!r}")
    case.counted("MPJoinStatelessAckRx")
    case.counted("MPJoinAckRx")


def backup_bit(case: Case) -> None:
    """the backup bit comes with the third ACK"""
    join = Join(case.connection, backup=True)
    got = join.third()
    need(got is not None and not is_reset(got), "no fourth ACK")
    command = ["ip", "netns", "exec", case.namespace, "ss", "-tnHi", f"dport = :{join.port}"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603
    flags = re.search(r"flags:(\w+)", told)
    need(flags and "B" in flags[1], f"ss shows no backup: {told}")


def negotiated(case: Case) -> None:
    """MSS, window scale and SACK are the same as without cookies when there are timestamps"""
    stamp = struct.pack("!BBII", 8, 10, 77, 0)
    asked = struct.pack("!BBH", 2, 4, 1440) + b"\x04\x02" + stamp + b"\x01\x03\x03\x07"
    join = Join(case.connection, tcp_options=asked)
    need(join.granted, "it is not granted")
    found = dict(dpkt.tcp.parse_opts(join.synack.opts))
    need(4 in found and 3 in found and 8 in found, f"the SYN/ACK has {sorted(found)} only")
    back = NOISE + struct.pack("!BBI", 8, 10, 78) + found[8][:4]
    got = join.third(back + join.long())
    need(got is not None and not is_reset(got), "no fourth ACK")
    need(8 in dict(dpkt.tcp.parse_opts(got.opts)), "it has no timestamps")


def nothing_left(case: Case) -> None:
    """50 SYNs leave no request"""
    for n in range(50):
        join = Join(case.connection, nonce=struct.pack("!I", n))
        need(join.granted, f"SYN {n} is not granted")
    need(case.half_open() == case.waiting, f"{case.half_open() - case.waiting} requests are left")
    case.counted("MPJoinStatelessSynRx", 50)


def old_kind(case: Case) -> None:
    """who does not ask joins as RFC 8684 has it"""
    join = Join(case.connection, asks=False)
    need(not join.granted, "it is granted, but was not asked for")
    got = join.third(join.short())
    need(got is not None and not is_reset(got), "no fourth ACK")
    case.counted("MPJoinStatelessAckRx", 0)


def not_asked(case: Case) -> None:
    """the long third ACK of who did not ask is reset"""
    join = Join(case.connection, asks=False)
    need(is_reset(join.third(join.long())), "it is not reset")
    case.counted("MPJoinAckRx", 0)


def short_third(case: Case) -> None:
    """the short third ACK of who asked does not join"""
    join = Join(case.connection)
    got = join.third(join.short())
    need(got is None or is_reset(got), "it is answered")
    case.counted("MPJoinAckRx", 0)


def beside_low_overhead(case: Case) -> None:
    """with MP_CAPABLE of the low-overhead handshake in front it opens no TCP connection"""
    set_sysctl(case.namespace, "mptcp/low_overhead", 1)
    try:
        join = Join(case.connection)
        need(join.granted, "it is not granted")
        first = option(0, 2, bytes([0]) + b"8 bytes.")
        got = join.third(first + join.long())
        need(is_reset(got), f"it is not reset: {got!r}")
        case.counted("MPJoinStatelessAckRx", 0)
    finally:
        set_sysctl(case.namespace, "mptcp/low_overhead", 0)


def wrong_hmac(case: Case) -> None:
    """a wrong HMAC is reset"""
    join = Join(case.connection)
    case.refuses(join, "MPJoinAckHMacFailure", opts=join.long(code=inverted(join.code[:16], 1)))


def wrong_token(case: Case) -> None:
    """another token than in the SYN"""
    join = Join(case.connection)
    case.refuses(join, opts=join.long(token=inverted(case.connection.token(), 1)))


def wrong_nonce(case: Case) -> None:
    """another random number than in the SYN"""
    join = Join(case.connection)
    case.refuses(join, opts=join.long(nonce=b"abcd"))


def wrong_number(case: Case) -> None:
    """another address id than in the SYN"""
    join = Join(case.connection)
    case.refuses(join, opts=join.long(number=6))


def wrong_port(case: Case) -> None:
    """from another port than the SYN"""
    join = Join(case.connection)
    case.refuses(join, port=join.wire.new_port())


def wrong_seq(case: Case) -> None:
    """with another sequence number than the SYN"""
    case.refuses(Join(case.connection), seq=ISN + 2)


def wrong_ack(case: Case) -> None:
    """that acknowledges something else"""
    join = Join(case.connection)
    case.refuses(join, ack=join.ack ^ 1 << 12)


def other_connection(case: Case) -> None:
    """for another connection, with its token and the right HMAC for that"""
    other = established(case.stranger)
    join = Join(case.connection)
    code = mac(other.key, other.peer_key, join.nonce + join.theirs)[:16]
    case.refuses(join, opts=join.long(code=code, token=other.token()))


def replay(case: Case) -> None:
    """the third ACK again, when its subflow has ended, is reset, but a copy at once; and after two minutes"""
    join = Join(case.connection)
    got = join.third()
    need(got is not None and not is_reset(got), "no fourth ACK")
    join.reset()
    need(join.third() is None, "a copy is answered")
    time.sleep(2)
    need(is_reset(join.third()), "it joins again")
    case.counted("MPJoinStatelessReplay", 2)
    time.sleep(OLD)
    need(is_reset(join.third()), "it joins again two minutes later")
    case.counted("MPJoinStatelessCookie")
    case.counted("MPJoinStatelessAckRx")


def stale(case: Case) -> None:
    """a third ACK that comes after two minutes"""
    join = Join(case.connection)
    time.sleep(OLD)
    case.refuses(join)


def many(case: Case) -> None:
    """48 joins in two minutes, not more; afterwards again"""
    for n in range(MOST):
        join = Join(case.connection, nonce=struct.pack("!I", n))
        got = join.third()
        need(got is not None and not is_reset(got), f"join {n} is refused")
        join.reset()
    got = Join(case.connection).third()
    need(is_reset_for(got, ERESOURCE), f"one more is not refused: {got!r}")
    case.counted("MPJoinStatelessBusy")
    time.sleep(OLD)
    got = Join(case.connection).third()
    need(got is not None and not is_reset(got), "it is refused two minutes later")


def connection_gone(case: Case) -> None:
    """a connection that ended meanwhile"""
    join = Join(case.connection)
    case.connection.fastclose(0)
    time.sleep(0.1)
    case.app.close()
    time.sleep(0.1)
    need(is_reset(join.third()), "it is not reset")
    case.counted("MPJoinNoTokenFound")


def switched_off(case: Case) -> None:
    """with the sysctl off nothing is granted, and a cookie of before is worth nothing"""
    early = Join(case.connection)
    set_sysctl(case.namespace, "mptcp/stateless_join", 0)
    try:
        join = Join(case.connection)
        need(join.synack is not None and not join.granted, "it is granted")
        need(is_reset(early.third()), "the earlier one joins")
    finally:
        set_sysctl(case.namespace, "mptcp/stateless_join", 1)


CASES: list[Callable[[Case], None]] = [
    joins,
    backup_bit,
    negotiated,
    nothing_left,
    old_kind,
    not_asked,
    short_third,
    beside_low_overhead,
    wrong_hmac,
    wrong_token,
    wrong_nonce,
    wrong_number,
    wrong_port,
    wrong_seq,
    wrong_ack,
    other_connection,
    replay,
    stale,
    many,
    connection_gone,
    switched_off,
]


def run(act: Callable[[Case], None], stranger: Stranger, listener: socket.socket) -> None:
    case = Case(stranger, listener)
    with case.app:
        act(case)
        case.connection.fastclose(0)


def main() -> int:
    server = sys.argv[2]
    stranger = Stranger(server, "10.9.0.2")
    set_sysctl(server, "mptcp/stateless_join", 1)
    for cookies in 0, 1:
        set_sysctl(server, "ipv4/tcp_syncookies", cookies)
        with listening(server) as listener:
            for act in CASES:
                what = f"stateless: tcp_syncookies={cookies}: {act.__doc__}"
                judged(what, partial(run, act, stranger, listener))
    set_sysctl(server, "mptcp/stateless_join", 0)
    print(f"# {2 * len(CASES)} attacks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
