# SPDX-License-Identifier: GPL-2.0
"""A subflow joins a listener with TCP_DEFER_ACCEPT."""

from __future__ import annotations

import socket
import time

from ends import SOL_MPTCP, Ends, main
from hand import Check

MPTCP_INFO = 1
# seconds, longer than the test takes
PATIENCE = 30


def joined(conn: socket.socket) -> int:
    """Subflows beside the first one."""
    return conn.getsockopt(SOL_MPTCP, MPTCP_INFO, 1)[0]


def check(ends: Ends) -> Check:
    waiting = ends.listener()
    waiting.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, PATIENCE)
    ends.in_server("ip", "mptcp", "endpoint", "add", "10.0.2.2", "dev", "s2", "signal")
    waiting.settimeout(1)
    silent, talking = ends.connecting(), ends.connecting()
    talking.send(b"x")
    conn = waiting.accept()[0]
    yield conn.recv(10) == b"x", "it accepts who has sent something", ""
    time.sleep(1)
    yield joined(conn) == 1, "and the second subflow joins", f"{joined(conn)} joined"
    try:
        waiting.accept()
        accepted = True
    except TimeoutError:
        accepted = False
    yield not accepted, "but not who has sent nothing", ""
    silent.close()


if __name__ == "__main__":
    main(check)
