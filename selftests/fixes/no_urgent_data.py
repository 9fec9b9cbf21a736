# SPDX-License-Identifier: GPL-2.0
"""MSG_OOB on MPTCP sockets, also after a fallback."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable

from ends import Ends, main, number
from hand import Check

SIOCATMARK = 0x8905


def error_of(call: Callable[[], object]) -> str:
    try:
        return f"{call()!r}"
    except OSError as failed:
        return errno.errorcode[failed.errno or 0]


def check(ends: Ends) -> Check:
    waiting = ends.listener()
    for name, (conn, peer) in {"MPTCP": ends.connection(waiting), "after a fallback": ends.plain()}.items():
        peer.send(b"data")
        said = error_of(lambda of=conn: of.recv(1, socket.MSG_OOB))
        yield said == "EINVAL", f"{name}: nothing urgent is read", said
        got = conn.recv(10)
        yield got == b"data", "and no data is lost by it", f"{got!r}"
        said = error_of(lambda of=conn: number(of, SIOCATMARK))
        yield said == "0", "the mark is not reached", said


if __name__ == "__main__":
    main(check)
