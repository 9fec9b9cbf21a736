#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Connects by Multipath TCP with a scheduler of the caller's choice, sends a little, and says which subflows
there are. The same as subflows.c, subflows.go and subflows.rs; README.md explains it once for all."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import socket
import struct
import sys
from collections.abc import Iterator

IPPROTO_MPTCP = 262  # socket.IPPROTO_MPTCP from Python 3.10 on
SOL_MPTCP = 284
MPTCP_TCPINFO, MPTCP_SUBFLOW_ADDRS, MPTCP_FULL_INFO, MPTCP_SCHEDULER = 2, 3, 4, 43

MOST = 9  # subflows: the first, and eight that join
NAME = 40  # of a scheduler with all its extensions, and the NUL behind it
BYTES = 1_000_000
HEAD = struct.Struct("4I")  # struct mptcp_subflow_data: its size, subflows, sizes of an entry there and here
FULL = struct.Struct("6I2Q")  # how struct mptcp_full_info begins: sizes, subflows, where the arrays are
TCP_INFO, ADDRESSES = 128, 256  # as much of struct tcp_info as is read here; struct mptcp_subflow_addrs
REMOTE = 128  # where the second address begins
RTT, WINDOW, ACKED = 68, 80, 120  # in struct tcp_info


def connect(host: str, port: int, scheduler: str | None) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    if scheduler:
        try:
            sock.setsockopt(SOL_MPTCP, MPTCP_SCHEDULER, scheduler.encode())
        except OSError as error:
            sys.exit(f"{scheduler}: {error.strerror}")
    sock.connect((host, port))
    return sock


def entries(sock: socket.socket, option: int, size: int) -> list[bytes]:
    """What one of the two options gives: for each subflow so many bytes, or fewer by an older kernel."""
    head = HEAD.pack(HEAD.size, 0, 0, size)
    # getsockopt() of Python gives the kernel an empty buffer, and these options read it first
    got = getsockopt_inout(sock, option, head.ljust(HEAD.size + MOST * size, b"\0"))
    _, count, _, step = HEAD.unpack_from(got)
    return [got[HEAD.size + i * step : HEAD.size + (i + 1) * step] for i in range(min(count, MOST))]


def getsockopt_inout(sock: socket.socket, option: int, value: bytes) -> bytes:
    libc = ctypes.CDLL(None, use_errno=True)
    buffer, length = ctypes.create_string_buffer(value, len(value)), ctypes.c_uint(len(value))
    if libc.getsockopt(sock.fileno(), SOL_MPTCP, option, buffer, ctypes.byref(length)):
        error = ctypes.get_errno()
        raise OSError(error, errno.errorcode[error])
    return buffer.raw


def address(entry: bytes, at: int) -> str:
    (port,) = struct.unpack_from("!H", entry, at + 2)
    return f"{socket.inet_ntoa(entry[at + 4 : at + 8])}:{port}"


def subflows(sock: socket.socket) -> Iterator[str]:
    """A line for each. OSError with EOPNOTSUPP: the connection fell back to TCP."""
    infos = entries(sock, MPTCP_TCPINFO, TCP_INFO)
    for info, addresses in zip(infos, entries(sock, MPTCP_SUBFLOW_ADDRS, ADDRESSES), strict=False):
        (rtt,), (window,) = (struct.unpack_from("I", info, at) for at in (RTT, WINDOW))
        (acked,) = struct.unpack_from("Q", info, ACKED)
        yield (
            f"{address(addresses, 0)} to {address(addresses, REMOTE)}: RTT {rtt / 1e3:.1f} ms, "
            f"window {window} segments, {acked} bytes acknowledged"
        )


def numbers(sock: socket.socket) -> list[int]:
    """Of each subflow: no other gets it while the connection lasts. It is what the entries of the first array
    begin with. They could have the addresses, too, and a second array what MPTCP_TCPINFO gives."""
    found = (ctypes.c_uint * MOST)()
    full = FULL.pack(0, 0, 0, ctypes.sizeof(ctypes.c_uint), 0, MOST, ctypes.addressof(found), 0)
    count = FULL.unpack(getsockopt_inout(sock, MPTCP_FULL_INFO, full))[4]
    return found[: min(count, MOST)]


def scheduler_of(sock: socket.socket) -> str:
    try:
        name = sock.getsockopt(SOL_MPTCP, MPTCP_SCHEDULER, NAME)
    except OSError:
        return "scheduler: this kernel does not tell"
    return f"scheduler {name.rstrip(bytes(1)).decode()}"


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} HOST PORT [SCHEDULER]")
    host, port = sys.argv[1:3]
    if not port.isdecimal() or not 0 < int(port) < 65536:
        sys.exit(f"{port}: write a port from 1 to 65535")
    try:
        sock = connect(host, int(port), sys.argv[3] if len(sys.argv) > 3 else None)
    except OSError as error:
        sys.exit(f"{host}: {error.strerror}")
    sock.sendall(bytes(BYTES))
    try:
        lines = list(subflows(sock))
    except OSError as error:
        if error.errno != errno.EOPNOTSUPP:
            raise
        print("TCP: the peer, or something on the way, knows no Multipath TCP")
        return
    print(scheduler_of(sock), *lines, sep="\n")
    with contextlib.suppress(OSError):  # Linux tells since 6.5
        print(len(found := numbers(sock)), "subflows, numbers", *found)


if __name__ == "__main__":
    main()
