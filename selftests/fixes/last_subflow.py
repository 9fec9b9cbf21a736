# SPDX-License-Identifier: GPL-2.0
"""The first subflow is deleted, and there is no other one."""

from __future__ import annotations

import socket
import time

from ends import Ends, connections, is_closed, main, output, soon
from hand import Check

# net.mptcp.close_timeout, and some more
PATIENCE = 80
OTHER = "10.0.1.11"


def endpoint(*what: str) -> None:
    output("ip", "mptcp", "endpoint", *what)
    time.sleep(1)


def established(ends: Ends, waiting: socket.socket) -> Check:
    """It may get another subflow, for net.mptcp.close_timeout."""
    conn, program = ends.connection(waiting)
    conn.send(b"data")
    program.recv(4)
    endpoint("delete", "id", "0", conn.getsockname()[0])
    yield soon(lambda: is_closed(conn), PATIENCE), "established, the connection ends", "it stays"
    program.close()
    conn.close()


def after_close(ends: Ends, waiting: socket.socket) -> Check:
    """The application has closed it, the peer has not."""
    conn, program = ends.connection(waiting)
    conn.send(b"data")
    program.recv(4)
    time.sleep(1)
    output("ip", "addr", "add", OTHER, "dev", "c1")
    endpoint("add", OTHER, "dev", "c1", "id", "7", "subflow")
    endpoint("delete", "id", "0", conn.getsockname()[0])
    conn.close()
    endpoint("delete", "id", "7")
    gone = soon(lambda: connections() == 0, PATIENCE)
    yield gone, "closed by the application, it goes", output("ss", "-HMna")
    program.close()


def check(ends: Ends) -> Check:
    waiting = ends.listener()
    yield from after_close(ends, waiting)
    yield from established(ends, waiting)


if __name__ == "__main__":
    main(check)
