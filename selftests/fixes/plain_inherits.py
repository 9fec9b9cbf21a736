# SPDX-License-Identifier: GPL-2.0
"""Options of a listener, and of the sockets that come from it."""

from __future__ import annotations

import socket
import struct

from ends import MPTCP, Ends, main
from hand import Check

TCP_NOTSENT_LOWAT, TCP_INQ = 25, 36
SECONDS = struct.pack("ll", 3, 0)
OPTIONS = (
    ("SO_RCVLOWAT", socket.SOL_SOCKET, socket.SO_RCVLOWAT, struct.pack("i", 5)),
    ("SO_RCVTIMEO", socket.SOL_SOCKET, socket.SO_RCVTIMEO, SECONDS),
    ("SO_SNDTIMEO", socket.SOL_SOCKET, socket.SO_SNDTIMEO, SECONDS),
    ("TCP_NOTSENT_LOWAT", socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, struct.pack("i", 20000)),
    ("TCP_INQ", socket.IPPROTO_TCP, TCP_INQ, struct.pack("i", 1)),
)
CLIENTS = {"MPTCP": MPTCP, "TCP": socket.IPPROTO_TCP}


def check(ends: Ends) -> Check:
    waiting = ends.listener()
    conn = ends.connection(waiting, socket.IPPROTO_TCP)[1]
    lowat = conn.getsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT)
    yield lowat == 0, "unset, TCP_NOTSENT_LOWAT is the sysctl's", f"{lowat}"
    lowat = conn.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT)
    yield lowat == 1, "and SO_RCVLOWAT 1", f"{lowat}"
    for _, level, option, value in OPTIONS:
        waiting.setsockopt(level, option, value)
    for client, protocol in CLIENTS.items():
        conn = ends.connection(waiting, protocol)[1]
        for name, level, option, value in OPTIONS:
            got = conn.getsockopt(level, option, len(value))
            yield got == value, f"{client}: {name} is the listener's", f"{got!r}"


if __name__ == "__main__":
    main(check)
