# SPDX-License-Identifier: GPL-2.0
"""Keepalive's values are set before there is a subflow."""

from __future__ import annotations

import errno
import socket

from ends import Ends, main, new_socket
from hand import Check

# TCP's largest ones, see tcp(7)
OPTIONS = {"TCP_KEEPIDLE": 32767, "TCP_KEEPINTVL": 32767, "TCP_KEEPCNT": 127}


def error_of(conn: socket.socket, option: int, value: int) -> int:
    try:
        conn.setsockopt(socket.IPPROTO_TCP, option, value)
    except OSError as failed:
        return failed.errno or -1
    return 0


def check(_: Ends) -> Check:
    for name, most in OPTIONS.items():
        option = getattr(socket, name)
        with new_socket() as conn:
            usual = conn.getsockopt(socket.IPPROTO_TCP, option)
            for value in (-1, 0, most + 1):
                yield error_of(conn, option, value) == errno.EINVAL, f"{name} {value} is refused", ""
            got = conn.getsockopt(socket.IPPROTO_TCP, option)
            yield got == usual, "and not kept", f"{got}, not {usual}"
            taken = error_of(conn, option, most) == 0
            yield taken and conn.getsockopt(socket.IPPROTO_TCP, option) == most, f"{most} is taken", ""


if __name__ == "__main__":
    main(check)
