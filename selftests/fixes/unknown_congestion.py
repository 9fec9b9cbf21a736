# SPDX-License-Identifier: GPL-2.0
"""A congestion control is chosen before there is a subflow."""

from __future__ import annotations

import errno
import socket

from ends import Ends, main, new_socket
from hand import Check


def choose(name: bytes) -> tuple[int, bytes]:
    """The error, and what is chosen afterwards."""
    with new_socket() as conn:
        try:
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
            error = 0
        except OSError as failed:
            error = failed.errno or -1
        return error, conn.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0")


def check(_: Ends) -> Check:
    got = choose(b"reno")
    yield got == (0, b"reno"), "one that there is is taken", f"{got}"
    got = choose(b"nonesuch")
    yield got[0] == errno.ENOENT, "one that there is not is refused", f"{got}"
    yield got[1] not in (b"nonesuch", b""), "and not used", f"{got}"


if __name__ == "__main__":
    main(check)
