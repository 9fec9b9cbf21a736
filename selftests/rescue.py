# SPDX-License-Identifier: GPL-2.0
"""What the rescue of silent subflows must not disturb, on connections between two network namespaces.

usage: rescue.py CLIENT SERVER WHAT

corked     the client holds back a part of a segment for half a second, on paths that answer
thin       the client writes 400 bytes each 15 ms for 6 s, and leaves it to TCP when to send them; late: how
           many of these came more than 100 ms after they were written
dying      the same, and the first path becomes dark after a second
steady     the client writes 5000 bytes every 13 ms for 6 s; late likewise
fading     the same, and after a second the first path is slower than that: 1 Mbit/s
unlike     the client writes 8000 bytes every 8 ms for 6 s; late: how many of these came more than 50 ms after
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
from collections.abc import Callable

from control import INFO, SOL_MPTCP, pair

PIECE = bytes(4 * 1448)  # an ACK of two segments is not delayed
STREAM_FOR = 6  # in s
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


def stream(
    near: socket.socket,
    far: socket.socket,
    size: int,
    pause: float,
    then: Callable[[], None],
    in_time: float = 0.1,
) -> None:
    """So many bytes each so many seconds, and after one of these something happens."""
    written: list[float] = []
    late = received = 0
    end = time.monotonic() + STREAM_FOR
    while received < size * len(written) or time.monotonic() < end:
        if time.monotonic() < end and time.monotonic() >= (written[-1] + pause if written else 0):
            written.append(time.monotonic())
            near.sendall(bytes(size))
        if select.select([far], [], [], 0.005)[0]:
            received += len(far.recv(size - received % size))
            late += received % size == 0 and time.monotonic() > written[received // size - 1] + in_time
        if time.monotonic() > end - STREAM_FOR + 1:
            then()
            then = nothing
    print(f"late={late}")


def nothing() -> None:
    pass


def thin(near: socket.socket, far: socket.socket, *_: str, then: Callable[[], None] = nothing) -> None:
    near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
    stream(near, far, 400, 0.015, then)


def dying(near: socket.socket, far: socket.socket, client: str, server: str) -> None:
    thin(near, far, then=lambda: dark(client, server))


def steady(near: socket.socket, far: socket.socket, *_: str, then: Callable[[], None] = nothing) -> None:
    stream(near, far, 5000, 0.013, then)


def fading(near: socket.socket, far: socket.socket, client: str, _server: str) -> None:
    steady(near, far, then=lambda: netem(client, "c1", "rate", "1mbit", "delay", "20ms"))


def unlike(near: socket.socket, far: socket.socket, *_: str) -> None:
    stream(near, far, 8000, 0.008, nothing, 0.05)


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
    those = (corked, thin, dying, steady, fading, unlike, closing)
    {one.__name__: one for one in those}[what](near, far, client, server)
    return 0


if __name__ == "__main__":
    sys.exit(main())
