# SPDX-License-Identifier: GPL-2.0
"""The peer falls back while a subflow is about to join, and so refuses it."""

from __future__ import annotations

import socket
import struct

import dpkt
from conformance.byhand import ISN, NONCE, option
from conformance.capture import ACK, RST, SYN
from conformance.connection import Bad
from conformance.crypto import mac
from conformance.options import ADD_ADDR, JOIN
from conformance.wire import Wire, options
from hand import Check, Peer, accepted, main

PORT, NUMBER = 7000, 9


def announce(peer: Peer) -> None:
    """The address of the peer, with another port: there the server joins."""
    body = bytes([NUMBER]) + peer.wire.source_ip + struct.pack("!H", PORT)
    code = mac(peer.key, peer.peer_key, body)[-8:]
    peer.segment(option(ADD_ADDR, 0, body + code))


def half_joined(peer: Peer) -> dpkt.tcp.TCP:
    """The third packet of its handshake."""
    announce(peer)
    syn = peer.wire.answer(PORT)
    raw = options(syn).get(JOIN) if syn else None
    if syn is None or raw is None:
        raise Bad("the server does not join")
    code = mac(peer.key, peer.peer_key, NONCE + raw[8:12])[:8]
    opts = option(JOIN, 0, bytes([NUMBER]) + code + NONCE)
    peer.wire.send(PORT, SYN | ACK, ISN, syn.seq + 1, opts, to=syn.sport)
    third = peer.wire.answer(PORT)
    if third is None or JOIN not in options(third):
        raise Bad("no third packet")
    return third


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    program.settimeout(5)
    third = half_joined(peer)
    yield True, "the server is about to join", ""
    peer.read = None
    peer.say(data=b"as TCP")
    wire.send(PORT, RST | ACK, third.ack, third.seq, to=third.sport)
    try:
        seen = repr(program.recv(100))
    except OSError as error:
        seen = str(error)
    yield seen == repr(b"as TCP"), "refused by a peer that falls back, it reads what comes as TCP", seen
    program.sendall(b"answer")
    got = peer.hear(3, peer.agree)
    yield got.data == b"answer", "and its answer arrives", repr(got.data)


if __name__ == "__main__":
    main(check)
