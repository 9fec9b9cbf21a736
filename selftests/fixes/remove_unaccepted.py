# SPDX-License-Identifier: GPL-2.0
"""The server joins its peer's first address. The peer calls that by another id, and withdraws it."""

from __future__ import annotations

import socket
import subprocess
import sys

import dpkt
from conformance.byhand import ISN, option
from conformance.capture import ACK, SYN
from conformance.connection import Bad
from conformance.options import JOIN, REMOVE_ADDR
from conformance.wire import Wire, options
from ends import complaints
from fallback_while_joining import taken
from hand import Check, Peer, accepted, main

SECOND = "10.0.1.3"  # of the server
NUMBER = 7


def second_address(namespace: str) -> None:
    for command in (f"addr add {SECOND}/24 dev s1", f"mptcp endpoint add {SECOND} subflow"):
        subprocess.run(["ip", "-n", namespace, *command.split()], check=True)


def is_join(tcp: dpkt.tcp.TCP) -> bool:
    return JOIN in options(tcp)


def joined(peer: Peer, other: Wire) -> None:
    """The server's join is taken: the first address has the id 0, but this answer says another one."""
    syn = peer.wire.answer(peer.port, is_join)
    if syn is None:
        raise Bad("the server does not join")
    other.send(peer.port, SYN | ACK, ISN, syn.seq + 1, taken(peer, syn, NUMBER), to=syn.sport)
    third = peer.wire.answer(peer.port, is_join)
    if third is None:
        raise Bad("no third packet")
    other.send(peer.port, ACK, ISN + 1, third.seq, peer.dss(), to=third.sport)


def check(wire: Wire, waiting: socket.socket) -> Check:
    before = complaints()
    peer, program = accepted(wire, waiting)
    second_address(sys.argv[3])
    joined(peer, Wire(SECOND, wire.source, wire.ports))
    yield True, "a subflow to the first address, which is said to have another id", ""
    peer.segment(option(REMOVE_ADDR, 0, bytes([NUMBER])))
    closed = wire.answer(peer.port, lambda tcp: bool(tcp.flags & (dpkt.tcp.TH_FIN | dpkt.tcp.TH_RST)))
    yield closed is not None, "that id is withdrawn: the subflow ends", "no FIN, no RST"
    program.settimeout(3)
    peer.say(data=b"question")
    seen = program.recv(100)
    yield seen == b"question", "the connection goes on", repr(seen)
    yield complaints() == before, "the kernel does not warn", "it does"


if __name__ == "__main__":
    main(check)
