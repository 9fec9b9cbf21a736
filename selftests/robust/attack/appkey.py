# SPDX-License-Identifier: GPL-2.0
"""Joins with a key from the application: who saw the first handshake, and has all its keys, cannot join.

usage: python3 appkey.py CLIENT SERVER [quick]

The first subflow is made by hand, so that its keys are known here as an eavesdropper knows them. What the
application's key gives is computed here once more, from Documentation/joins.md. Prints "ok WHAT" or "not
ok WHAT".
"""

from __future__ import annotations

import hashlib
import hmac
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import dpkt
from conformance.byhand import ISN, Connection, is_reset, option
from conformance.capture import ACK, SYN
from conformance.connection import Bad
from conformance.crypto import mac
from conformance.options import ADD_ADDR, CAPABLE, CAPABLE_SHA256, JOIN
from conformance.wire import PORT, options
from stranger import Stranger, judged
from traffic import IPPROTO_MPTCP

from net import counters, inside

SOL_MPTCP, ENABLE, KEY = 284, 49, 50
G, ASKS = 2, 2
SECRET = b"what only the two applications know"


def need(true: object, what: str) -> None:
    if not true:
        raise Bad(what)


@contextmanager
def listening(namespace: str, mode: int) -> Iterator[socket.socket]:
    with inside(namespace):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(SOL_MPTCP, ENABLE, mode)
        listener.bind(("", PORT))
        listener.listen(4096)
        listener.settimeout(5)
        yield listener


def block_mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


class Case:
    """A connection; asks: with G."""

    def __init__(self, stranger: Stranger, listener: socket.socket, asks: bool = True) -> None:
        self.stranger, self.namespace = stranger, stranger.namespace
        self.first = Connection(stranger, flags=CAPABLE_SHA256 | (G if asks else 0))
        self.first.send(b"data")
        need(self.first.arrived(), "the data is not acknowledged")
        self.app = listener.accept()[0]
        self.before = counters(self.namespace)

    def state(self) -> int:
        return self.app.getsockopt(SOL_MPTCP, KEY)

    def give_key(self) -> None:
        self.app.setsockopt(SOL_MPTCP, KEY, SECRET)

    def grown(self, name: str) -> int:
        return counters(self.namespace)[name] - self.before[name]

    def syn(self, asks: bool = True) -> tuple[int, dpkt.tcp.TCP | None]:
        """A join by who has the token; the port, and the answer."""
        port = self.stranger.new_port()
        body = b"\5" + self.first.token() + b"wxyz"
        self.stranger.forget()
        self.stranger.send(port, SYN, ISN, 0, option(JOIN, ASKS if asks else 0, body))
        return port, self.stranger.answer(port)

    def clear(self, theirs: bytes) -> tuple[bytes, bytes]:
        """HMAC-A and HMAC-B with the keys that went over the first subflow."""
        ours = mac(self.first.key, self.first.peer_key, b"wxyz" + theirs)
        return ours, mac(self.first.peer_key, self.first.key, theirs + b"wxyz")

    def secret(self, theirs: bytes) -> tuple[bytes, bytes]:
        """The same with the application's key."""
        client, server = self.secrets()
        return block_mac(client + server, b"wxyz" + theirs), block_mac(server + client, theirs + b"wxyz")

    def secrets(self) -> tuple[bytes, bytes]:
        both = self.first.key + self.first.peer_key
        return (
            block_mac(SECRET, b"MPTCP application key, client" + both),
            block_mac(SECRET, b"MPTCP application key, server" + both),
        )

    def third(self, port: int, synack: dpkt.tcp.TCP, code: bytes, long: bool = True) -> dpkt.tcp.TCP | None:
        body = b"\5" + code[:16] + b"wxyz" + self.first.token() if long else b"\0" + code[:20]
        self.stranger.forget()
        self.stranger.send(port, ACK, ISN + 1, synack.seq + 1, option(JOIN, 0, body))
        return self.stranger.answer(port)


def theirs_of(synack: dpkt.tcp.TCP) -> tuple[bytes, bytes]:
    """HMAC-B and R-B."""
    raw = options(synack)[JOIN]
    need(raw[2] & ASKS, "it is not to be joined without state")
    return raw[4:12], raw[12:16]


def eavesdropper_joins(stranger: Stranger, listener: socket.socket) -> None:
    """without the option an eavesdropper of the first handshake joins"""
    case = Case(stranger, listener, asks=False)
    need(case.state() == 0, "the key's state is not 0")
    port, synack = case.syn(asks=False)
    need(synack is not None and JOIN in options(synack), "the join is not answered")
    ours, _ = case.clear(options(synack)[JOIN][12:16])
    got = case.third(port, synack, ours, long=False)
    need(got is not None and not is_reset(got), "it is refused")
    need(case.grown("MPJoinAckRx") == 1, "it is not counted")


def agreed(stranger: Stranger, listener: socket.socket) -> None:
    """G is asked for and granted, and waits for the key"""
    case = Case(stranger, listener)
    need(case.state() == 1, f"the key's state is {case.state()}, not 1")
    case.give_key()
    need(case.state() == 2, f"the key's state is {case.state()}, not 2")


def granted_on_the_wire(stranger: Stranger, _listener: socket.socket) -> None:
    """the SYN/ACK has G if the SYN had it, and not if not"""
    for flags in CAPABLE_SHA256 | G, CAPABLE_SHA256:
        port = stranger.new_port()
        stranger.send(port, SYN, ISN, 0, option(CAPABLE, 1, bytes([flags])))
        synack = stranger.answer(port)
        raw = options(synack).get(CAPABLE) if synack else None
        need(raw is not None and raw[3] == flags, f"flags {flags}: the answer is {raw!r}")


def before_the_key(stranger: Stranger, listener: socket.socket) -> None:
    """before the key nobody joins: the SYN gets no answer, nor one that does not ask"""
    case = Case(stranger, listener)
    for asks in True, False:
        _, synack = case.syn(asks)
        need(synack is None, f"it is answered: {synack!r}")
    need(case.grown("MPJoinSynNoKey") == 2, "it is not counted")


def eavesdropper(stranger: Stranger, listener: socket.socket) -> None:
    """with the key an eavesdropper of the first handshake does not join"""
    case = Case(stranger, listener)
    case.give_key()
    port, synack = case.syn()
    need(synack is not None, "the join is not answered")
    code, theirs = theirs_of(synack)
    ours, other = case.clear(theirs)
    need(code != other[:8], "the SYN/ACK's HMAC is of the keys in clear")
    need(is_reset(case.third(port, synack, ours)), "it joins")
    need(case.grown("MPJoinAckHMacFailure") == 1, "it is not counted")
    need(case.grown("MPJoinAckRx") == 0, "it joins")


def short_form(stranger: Stranger, listener: socket.socket) -> None:
    """nor with the third ACK of RFC 8684"""
    case = Case(stranger, listener)
    case.give_key()
    _, synack = case.syn(asks=False)
    need(synack is None, "a SYN that does not ask is answered")
    port, synack = case.syn()
    need(synack is not None, "the join is not answered")
    ours, _ = case.clear(theirs_of(synack)[1])
    got = case.third(port, synack, ours, long=False)
    need(got is None or is_reset(got), "it joins")
    need(case.grown("MPJoinAckRx") == 0, "it joins")


def who_knows(stranger: Stranger, listener: socket.socket) -> None:
    """who has the application's key joins"""
    case = Case(stranger, listener)
    case.give_key()
    port, synack = case.syn()
    need(synack is not None, "the join is not answered")
    code, theirs = theirs_of(synack)
    ours, other = case.secret(theirs)
    need(code == other[:8], "the SYN/ACK's HMAC is wrong")
    got = case.third(port, synack, ours)
    need(got is not None and not is_reset(got), "it is refused")
    need(case.grown("MPJoinAckRx") == 1, "it is not counted")


def roles(stranger: Stranger, listener: socket.socket) -> None:
    """the SYN/ACK's HMAC is none for the third ACK"""
    case = Case(stranger, listener)
    case.give_key()
    port, synack = case.syn()
    need(synack is not None, "the join is not answered")
    _, theirs = theirs_of(synack)
    client, server = case.secrets()
    for key, message in (server + client, theirs + b"wxyz"), (server + client, b"wxyz" + theirs):
        need(is_reset(case.third(port, synack, block_mac(key, message))), "it joins")


def announcements(stranger: Stranger, listener: socket.socket) -> None:
    """ADD_ADDR: neither before the key nor with keys in clear, but with the application's"""
    case = Case(stranger, listener)
    address = bytes([9, 10, 9, 0, 9])
    case.first.announce(9, address[1:], 0)
    time.sleep(0.2)
    need(case.grown("AddAddr") == 0, "it is taken before there is a key")
    case.give_key()
    case.first.announce(9, address[1:], 0)
    time.sleep(0.2)
    need(case.grown("AddAddr") == 0, "it is taken with the keys in clear")
    client, server = case.secrets()
    code = block_mac(client + server, address + bytes(2))[-8:]
    case.first.segment(option(ADD_ADDR, 0, address + code))
    time.sleep(0.2)
    need(case.grown("AddAddr") == 1, "it is not taken with the application's key")


def flood(stranger: Stranger, listener: socket.socket) -> None:
    """50 SYNs leave no request, though stateless_join is 0"""
    case = Case(stranger, listener)
    case.give_key()
    for _ in range(50):
        _, synack = case.syn()
        need(synack is not None, "a SYN is not answered")
        theirs_of(synack)
    need(case.grown("MPJoinStatelessSynRx") == 50, "they were not answered without state")


def without_it(stranger: Stranger, listener: socket.socket) -> None:
    """mode 2: a peer that does not want it gets no further subflow"""
    listener.close()
    with listening(stranger.namespace, 2) as strict:
        case = Case(stranger, strict, asks=False)
        port, synack = case.syn(asks=False)
        if synack is not None and JOIN in options(synack):
            ours, _ = case.clear(options(synack)[JOIN][12:16])
            synack = case.third(port, synack, ours, long=False)
        need(is_reset(synack), "it is not reset")
        need(case.grown("MPJoinAckRx") == 0, "it joins")


CASES: list[Callable[[Stranger, socket.socket], None]] = [
    eavesdropper_joins,
    agreed,
    granted_on_the_wire,
    before_the_key,
    eavesdropper,
    short_form,
    who_knows,
    roles,
    announcements,
    flood,
    without_it,
]


def main() -> int:
    stranger = Stranger(sys.argv[2], "10.9.0.3")
    with listening(sys.argv[2], 1) as listener:
        for act in CASES:
            judged(f"appkey: {act.__doc__}", partial(act, stranger, listener))
    print(f"# {len(CASES)} attacks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
