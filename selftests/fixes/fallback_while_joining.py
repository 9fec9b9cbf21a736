# SPDX-License-Identifier: GPL-2.0
"""The peer falls back while a subflow is about to join, and so refuses it."""

from __future__ import annotations

import contextlib
import socket
import struct
import time

import dpkt
from conformance.byhand import ISN, NONCE, option
from conformance.capture import ACK, RST, SYN
from conformance.connection import Bad
from conformance.crypto import mac
from conformance.options import ADD_ADDR, CAPABLE_CHECKSUM, CAPABLE_SHA256, FAIL, JOIN, TCPRST
from conformance.wire import Wire, options
from hand import Check, Peer, accepted, is_infinite, main

PORT, NUMBER = 7000, 9
PROHIBITED = option(TCPRST, 0, bytes([3]))


def announce(peer: Peer) -> None:
    """The address of the peer, with another port: there the server joins."""
    body = bytes([NUMBER]) + peer.wire.source_ip + struct.pack("!H", PORT)
    code = mac(peer.key, peer.peer_key, body)[-8:]
    peer.segment(option(ADD_ADDR, 0, body + code))


def joins(peer: Peer) -> dpkt.tcp.TCP:
    """The SYN of the server."""
    announce(peer)
    syn = peer.wire.answer(PORT)
    if syn is None or JOIN not in options(syn):
        raise Bad("the server does not join")
    return syn


def taken(peer: Peer, syn: dpkt.tcp.TCP, number: int) -> bytes:
    """The option of a SYN/ACK that takes a join, from the address of that id."""
    code = mac(peer.key, peer.peer_key, NONCE + options(syn)[JOIN][8:12])[:8]
    return option(JOIN, 0, bytes([number]) + code + NONCE)


def half_joined(peer: Peer) -> dpkt.tcp.TCP:
    """The third packet of its handshake."""
    syn = joins(peer)
    peer.wire.send(PORT, SYN | ACK, ISN, syn.seq + 1, taken(peer, syn, NUMBER), to=syn.sport)
    third = peer.wire.answer(PORT)
    if third is None or JOIN not in options(third):
        raise Bad("no third packet")
    return third


def reset_meanwhile(wire: Wire, waiting: socket.socket) -> Check:
    """Nobody answers the join, the program closes with more to send than TCP takes, and the peer ends the
    first subflow. What is left to do is to wait: the kernel's worker must not ask for itself all the time."""
    peer, program = accepted(wire, waiting)
    announce(peer)
    yield wire.answer(PORT) is not None, "the server wants to join", "no SYN"
    peer.read = None
    peer.say(data=b"as TCP")
    program.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            program.send(bytes(65536))
    program.close()
    peer.hear(0.1)
    wire.send(peer.port, RST | ACK, ISN + 1 + peer.sent, peer.ack)
    time.sleep(1)
    yield True, "time goes on", ""


def unfinished(wire: Wire, waiting: socket.socket) -> Check:
    """The last packet of the join is never acknowledged: the peer may have a second subflow, and the bytes of
    the first one may be no stream."""
    peer, program = accepted(wire, waiting)
    half_joined(peer)
    peer.read = None
    peer.say(data=b"as TCP")
    got = peer.hear(15)
    yield got.is_reset(), "unfinished, the first subflow is reset", f"{len(got.segments)} segments, no RST"
    program.close()


def reset_by_a_box(wire: Wire, waiting: socket.socket, meanwhile: bool) -> Check:
    """A reset that says nothing may be from a box, and the peer have accepted: the same. It comes before what
    has no mapping, or while that waits."""
    peer, program = accepted(wire, waiting)
    third = half_joined(peer)
    peer.read = None
    if meanwhile:
        peer.say(data=b"as TCP")
        peer.hear(0.1)
    wire.send(PORT, RST | ACK, third.ack, third.seq, to=third.sport)
    if not meanwhile:
        peer.hear(0.1)
        peer.say(data=b"as TCP")
    got = peer.hear(3)
    what = f"reset {'meanwhile ' * meanwhile}without a reason, too"
    yield got.is_reset(), what, f"{len(got.segments)} segments, no RST"
    program.close()


def failed(wire: Wire, waiting: socket.socket) -> Check:
    """The peer, which refuses the join, has said by MP_FAIL why: what it got had a wrong checksum."""
    peer, program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    third = half_joined(peer)
    peer.say(peer.dss(b"spoiled", bits=1), b"spoiled")  # in both directions, that is
    peer.fail(0)
    peer.hear(0.1)
    wire.send(PORT, RST | ACK, third.ack, third.seq, PROHIBITED, to=third.sport)
    got = peer.hear(15)
    told = any(FAIL in options(tcp) for _, tcp in got.segments)
    seen = f"{len(got.segments)} segments"
    yield told and not got.is_reset(), "an MP_FAIL that came meanwhile is answered, and no more", seen
    program.sendall(b"answer")
    got = peer.hear(1, peer.agree)
    infinite = any(is_infinite(tcp) for _, tcp in got.segments)
    yield infinite, "and an infinite mapping follows", f"{len(got.segments)} segments"
    program.close()


def check(wire: Wire, waiting: socket.socket) -> Check:
    yield from failed(wire, waiting)
    yield from reset_meanwhile(wire, waiting)
    yield from unfinished(wire, waiting)
    yield from reset_by_a_box(wire, waiting, meanwhile=False)
    yield from reset_by_a_box(wire, waiting, meanwhile=True)
    peer, program = accepted(wire, waiting)
    program.settimeout(5)
    third = half_joined(peer)
    yield True, "the server is about to join", ""
    peer.read = None
    peer.say(data=b"as TCP")
    wire.send(PORT, RST | ACK, third.ack, third.seq, PROHIBITED, to=third.sport)
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
