# SPDX-License-Identifier: GPL-2.0
"""A socket that is connected once more, and a listener that is asked to connect."""

from __future__ import annotations

import ctypes
import errno
import select
import socket
import struct
import time

from conformance.wire import PORT
from ends import Ends, main, new_socket, output, reset
from hand import Check

# nobody has it: there is no route
NOWHERE = "192.0.2.1"
AF_UNSPEC = struct.pack("H14x", socket.AF_UNSPEC)


def disconnect(conn: socket.socket) -> None:
    ctypes.CDLL(None).connect(conn.fileno(), AF_UNSPEC, len(AF_UNSPEC))


def error_of_second(ends: Ends, waiting: socket.socket) -> int:
    """SO_ERROR of a connection, after one that was reset, which nobody asked about."""
    conn, far = ends.connection(waiting)
    reset(far)
    time.sleep(0.5)
    disconnect(conn)
    conn.setblocking(False)
    conn.connect_ex((ends.server, PORT))
    poll = select.poll()
    poll.register(conn, select.POLLOUT)
    poll.poll(3000)
    with conn, waiting.accept()[0]:
        return conn.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)


def endpoints_after_retry(ends: Ends, waiting: socket.socket) -> tuple[int, str]:
    """connect() fails, as there is no route, and is called again: the endpoints there are then"""
    with new_socket() as conn:
        failed = conn.connect_ex((NOWHERE, PORT))
        conn.connect((ends.server, PORT))
        with waiting.accept()[0]:
            return failed, output("ip", "mptcp", "endpoint", "show")


def fastopen_on_listener(ends: Ends, waiting: socket.socket) -> int:
    waiting.settimeout(None)
    try:
        waiting.sendto(b"x", socket.MSG_FASTOPEN, (ends.server, PORT))
    except OSError as error:
        return error.errno or -1
    finally:
        waiting.settimeout(5)
    return 0


def check(ends: Ends) -> Check:
    waiting = ends.listener()
    waiting.settimeout(5)
    got = error_of_second(ends, waiting)
    yield got == 0, "the error of the last connection is forgotten", errno.errorcode.get(got, str(got))
    failed, endpoints = endpoints_after_retry(ends, waiting)
    yield failed == errno.ENETUNREACH and not endpoints, "a retry adds no endpoint", f"{failed}: {endpoints}"
    got = fastopen_on_listener(ends, waiting)
    yield got in (errno.EISCONN, errno.EOPNOTSUPP), "a listener does not connect", f"{got}"
    try:
        conn, far = ends.connection(waiting)
        good, seen = True, ""
        conn.close()
        far.close()
    except OSError as error:
        good, seen = False, f"{error}"
    yield good, "and goes on to listen", seen


if __name__ == "__main__":
    main(check)
