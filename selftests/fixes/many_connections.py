# SPDX-License-Identifier: GPL-2.0
"""Connections from this machine to itself, all open at a time; how many of them are MPTCP.

usage: many_connections.py COUNT
"""

import resource
import socket
import struct
import sys

MPTCP, SOL_MPTCP, MPTCP_INFO = 262, 284, 1
FALLBACK = 1 << 0
FLAGS_AT = 8  # in struct mptcp_info


def is_mptcp(end: socket.socket) -> bool:
    try:
        info = end.getsockopt(SOL_MPTCP, MPTCP_INFO, 48)
    except OSError:
        return False
    return not struct.unpack_from("I", info, FLAGS_AT)[0] & FALLBACK


def main() -> None:
    count = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * count + 100, 2 * count + 100))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP)
    listener.bind(("127.0.0.1", 7000))
    listener.listen()
    ends = []
    for _ in range(count):
        near = socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP)
        near.connect(listener.getsockname())
        near.sendall(b"x")
        far, _ = listener.accept()
        far.recv(1)
        ends += [near, far]
    print(sum(map(is_mptcp, ends)))


main()
