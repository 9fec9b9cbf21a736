# SPDX-License-Identifier: GPL-2.0
"""What a program sees of a port where nobody listens: connect(), poll(), send() and SO_ERROR.

usage: refused.py ADDRESS tcp|mptcp
"""

from __future__ import annotations

import errno
import select
import socket
import sys

PORT = 9


def name(error: int) -> str:
    return errno.errorcode.get(error, str(error))


def outcome(sock: socket.socket) -> str:
    """Of a connect() that does not wait, in the order in which programs ask."""
    poll = select.poll()
    poll.register(sock, select.POLLIN | select.POLLOUT)
    # Linux' MPTCP has no POLLIN there, which TCP has
    events = [event & ~select.POLLIN for _, event in poll.poll(5000)]
    found = [f"poll {events}"]
    for what in "send", "send":
        try:
            found.append(f"{what} {sock.send(b'x', socket.MSG_NOSIGNAL)}")
        except OSError as e:
            found.append(f"{what} {name(e.errno or 0)}")
    found.append(f"SO_ERROR {name(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))}")
    return ", ".join(found)


def main() -> None:
    address, protocol = sys.argv[1:]
    number = {"tcp": socket.IPPROTO_TCP, "mptcp": 262}[protocol]
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, number) as sock:
        print(f"connect {name(sock.connect_ex((address, PORT)))}")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, number) as sock:
        sock.setblocking(False)
        print(f"connect {name(sock.connect_ex((address, PORT)))}, {outcome(sock)}")


if __name__ == "__main__":
    main()
