# SPDX-License-Identifier: GPL-2.0
"""A client that gave up on Multipath TCP, as its SYN was not answered: is it understood?"""

from __future__ import annotations

import socket

from conformance.byhand import ISN, capable_syn
from conformance.capture import ACK, SYN
from conformance.options import CAPABLE
from conformance.wire import Wire, options
from hand import Check, main


def check(wire: Wire, waiting: socket.socket) -> Check:
    port = wire.new_port()
    wire.send(port, SYN, ISN, 0, capable_syn())
    got = wire.answer(port)
    yield bool(got and CAPABLE in options(got)), "a SYN with MP_CAPABLE: a SYN/ACK with it", repr(got)
    # the next one comes by itself after a second
    wire.send(port, SYN, ISN, 0)
    for which in "the SYN comes again without", "it is sent again":
        got = wire.answer(port)
        plain = got is not None and got.flags == SYN | ACK and CAPABLE not in options(got)
        yield plain, f"{which}: a SYN/ACK without", repr(got)
    if got:
        wire.send(port, ACK, ISN + 1, got.seq + 1)
        wire.send(port, ACK, ISN + 1, got.seq + 1, data=b"as TCP")
        read = waiting.accept()[0].recv(100)
        yield read == b"as TCP", "the connection is one of TCP", f"{read!r}"


if __name__ == "__main__":
    main(check)
