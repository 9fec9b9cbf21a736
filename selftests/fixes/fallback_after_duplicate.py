# SPDX-License-Identifier: GPL-2.0
"""Bytes that came twice, or only asked for the window, take a place in the subflow's stream: what is behind
them is no stream with which TCP could go on."""

from __future__ import annotations

import socket

from conformance.case import pattern
from conformance.crypto import idsn_of
from conformance.mapping import MASK32
from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256
from conformance.wire import Wire
from hand import HELLO, Check, Peer, accepted, dss_of, main

WINDOW = 1000
BUFFER, PIECE, PIECES = 4096, 200, 60  # more than fit


def came_twice(wire: Wire, waiting: socket.socket) -> Check:
    """The peer probes a window, as Linux does: with its last byte once more."""
    peer, program = accepted(wire, waiting)
    peer.say(peer.dss(HELLO[-1:], place=len(HELLO) - 1), HELLO[-1:])
    peer.read = None
    peer.say(data=b"as TCP")
    got = peer.hear(2)
    yield got.is_reset(), "a byte came twice: the subflow is reset", f"{len(got.segments)} segments, no RST"
    program.close()


def asked(wire: Wire, waiting: socket.socket) -> Check:
    """The server probes, and then acknowledgments come without options."""
    window, wire.window = wire.window, WINDOW
    peer, program = accepted(wire, waiting)
    program.sendall(pattern(3 * WINDOW))
    got = peer.hear(1)
    yield got.data == pattern(WINDOW), "the server fills the window", f"{len(got.data)} bytes"
    wire.window = 0
    peer.agree_all()
    peer.hear(1)
    wire.window = window
    peer.agree_all()
    peer.read = None
    got = peer.hear(15, peer.agree)
    yield got.is_reset(), "after a probe, too", f"{len(got.data)} bytes, no RST"
    program.close()


def not_asked(wire: Wire, waiting: socket.socket) -> Check:
    """Between an MP_FAIL and the data that goes on as TCP the window closes: TCP waits for it."""
    window, wire.window = wire.window, 0
    peer, program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    peer.fail(0)
    peer.hear(0.1)
    program.sendall(pattern(WINDOW))
    got = peer.hear(2)
    probes = sum(len(tcp.data) for _, tcp in got.segments)
    wire.window = window
    peer.agree_all()
    got = peer.hear(5, peer.agree)
    seen = f"{probes} bytes before, {len(got.data)} then"
    yield (probes, got.data) == (0, pattern(WINDOW)), "after an MP_FAIL nothing asks for the window", seen
    program.close()


def taken(peer: Peer) -> bool:
    """Is all that it sent acknowledged?"""
    found = peer.hear(0.2).segments
    dss = dss_of(found[-1][1]) if found else None
    return bool(dss and dss.ack is not None and not (dss.ack - idsn_of(peer.key) - 1 - peer.sent) & MASK32)


def did_not_fit(wire: Wire, waiting: socket.socket) -> Check:
    """What TCP has acknowledged is dropped, if the kernel does so, as nobody reads; then it comes again."""
    peer, program = accepted(wire, waiting)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    place, sent = peer.sent, b""
    for n in range(PIECES):
        place, piece = peer.sent, bytes([n]) * PIECE
        sent += piece
        peer.say(data=piece)
        if not taken(peer):
            break
    program.settimeout(1)
    got = program.recv(len(sent))
    peer.say(peer.dss(piece, place=place), piece)
    got += program.recv(len(sent)) if got != sent else b""
    yield got == sent, "what did not fit, and came again, is there", f"{len(got)} of {len(sent)}"
    peer.read = None
    peer.say(data=b"as TCP")
    heard = peer.hear(2)
    yield heard.is_reset(), "then the subflow is reset", f"{len(heard.segments)} segments, no RST"
    program.close()


def check(wire: Wire, waiting: socket.socket) -> Check:
    yield from came_twice(wire, waiting)
    yield from did_not_fit(wire, waiting)
    yield from asked(wire, waiting)
    yield from not_asked(wire, waiting)


if __name__ == "__main__":
    main(check)
