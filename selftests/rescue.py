# SPDX-License-Identifier: GPL-2.0
"""What the rescue of silent subflows must not disturb, on connections between two network namespaces.

usage: rescue.py CLIENT SERVER WHAT

corked     the client holds back a part of a segment for half a second, on paths that answer
thin       the client writes 400 bytes each 15 ms for 6 s, and leaves it to TCP when to send them; late: how
           many of these came more than 100 ms after they were written
dying      the same, and the first path becomes dark after a second
closing    the first path becomes dark, and stays so; 30 s later the client has sent all and closes its
           direction, and the acknowledgment of just that is lost on the other path

Prints what it saw, a "key=value" per line.
"""

from __future__ import annotations

import select
import socket
import struct
import subprocess
import sys
import time

from control import INFO, SOL_MPTCP, pair

PIECE = bytes(4 * 1448)  # an ACK of two segments is not delayed
THIN_FOR = 6  # in s
CLOSES = 60  # the longest that closing may take, in s


def netem(namespace: str, device: str, *how: str) -> None:
    command = ("tc", "-n", namespace, "qdisc", "change", "dev", device, "root", "netem", "limit", "1000")
    subprocess.run([*command, *how], check=True)


def dark(client: str, server: str) -> None:
    """The first path, both ways."""
    for namespace, device in (client, "c1"), (server, "s1"):
        netem(namespace, device, "loss", "100%")


def echo(near: socket.socket, far: socket.socket, data: bytes) -> None:
    for start, end in (near, far), (far, near):
        start.sendall(data)
        received = 0
        while received < len(data):
            received += len(end.recv(65536))


def unacknowledged(end: socket.socket) -> int:
    """Bytes of the stream, its end among them."""
    info = end.getsockopt(SOL_MPTCP, INFO, 256)
    written, acknowledged = struct.unpack_from("QQ", info, 16)
    return written - acknowledged


def corked(near: socket.socket, far: socket.socket, *_: str) -> None:
    for _number in range(30):
        echo(near, far, bytes(300))
    near.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    near.sendall(bytes(300))
    time.sleep(0.5)
    near.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
    print(f"came={len(far.recv(1000))}")


def thin(near: socket.socket, far: socket.socket, *namespaces: str, dies: bool = False) -> None:
    written: list[float] = []
    late = received = 0
    near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
    end = time.monotonic() + THIN_FOR
    while received < 400 * len(written) or time.monotonic() < end:
        if time.monotonic() < end and time.monotonic() >= (written[-1] + 0.015 if written else 0):
            written.append(time.monotonic())
            near.sendall(bytes(400))
        if select.select([far], [], [], 0.005)[0]:
            received += len(far.recv(400 - received % 400))
            late += received % 400 == 0 and time.monotonic() > written[received // 400 - 1] + 0.1
        if dies and time.monotonic() > end - THIN_FOR + 1:
            dark(*namespaces)
            dies = False
    print(f"late={late}")


def dying(near: socket.socket, far: socket.socket, *namespaces: str) -> None:
    thin(near, far, *namespaces, dies=True)


def closing(near: socket.socket, far: socket.socket, client: str, server: str) -> None:
    for name, device in (client, "c2"), (server, "s2"):
        netem(name, device, "rate", "8mbit", "delay", "100ms", "loss", "0%")
    for second in range(32):
        if second == 2:
            dark(client, server)
        for _ in range(10):
            near.sendall(PIECE)
            far.recv(1 << 20)
            time.sleep(0.1)
    near.sendall(PIECE)
    time.sleep(0.06)
    near.shutdown(socket.SHUT_WR)
    start = time.monotonic()
    time.sleep(0.07)  # the data was acknowledged there, and the end has not come yet
    netem(server, "s2", "loss", "100%")
    time.sleep(0.15)
    netem(server, "s2", "rate", "8mbit", "delay", "100ms", "loss", "0%")
    while unacknowledged(near) and time.monotonic() < start + CLOSES:
        time.sleep(0.01)
    print(f"left={unacknowledged(near)}\nclosed_ms={round((time.monotonic() - start) * 1000)}")


def main() -> int:
    client, server, what = sys.argv[1:4]
    near, far = pair(client, server)
    echo(near, far, bytes(1))
    time.sleep(1)  # the second subflow joins
    {"corked": corked, "thin": thin, "dying": dying, "closing": closing}[what](near, far, client, server)
    return 0


if __name__ == "__main__":
    sys.exit(main())
