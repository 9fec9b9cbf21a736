#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What UDP pays for a tunnel: datagrams at a constant rate to the server, as they
are over the first path, through one TCP connection there, and through one MPTCP
connection over all paths. Prints a table.

    mplab shell --virtual-time --path PATH --path PATH -- \\
        tools/mplab/udp_tunnel.py [RATE...]

The tunnel is as good as one over TCP can be: it writes each datagram at once,
without Nagle's algorithm, and has no queue of its own: what comes while TCP has
more than --room to send is lost, as at a router.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))

from mplab.lab import topology

IPPROTO_MPTCP, SOL_MPTCP, MPTCP_SCHEDULER = 262, 284, 43
TCP_NOTSENT_LOWAT, SO_RCVBUFFORCE = 25, 33
PORT = 4000
SIZE = 1200  # bytes of payload
STAMP = struct.Struct("=QQ")  # number, and when it was due in ns; no number: the end
END = 2**64 - 1
WARM, COUNTS, LATE = 5.0, 30.0, 3.0  # seconds: before it counts, while it does, for what is under way
RATES = [1.0, 5.0, 10.0]
ROOM = 16_000  # bytes
SCHEDULERS = ("default", "inorder")
Arrivals = list[tuple[int, int]]  # number, and how long it took in ns


def socket_of(way: str, room: int = ROOM) -> socket.socket:
    if way == "udp":
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
    else:
        protocol = socket.IPPROTO_TCP if way == "tcp" else IPPROTO_MPTCP
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, room)
    return made


def whole(stream: socket.socket) -> Iterator[bytes]:
    """Datagrams out of a stream; all are of one size."""
    pending = b""
    while got := stream.recv(1 << 16):
        pending += got
        count = len(pending) // SIZE
        yield from (pending[n * SIZE : (n + 1) * SIZE] for n in range(count))
        pending = pending[count * SIZE :]


def receive(way: str) -> None:
    """The server: what arrived, as JSON."""
    with socket_of(way) as waiting:
        waiting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        waiting.bind(("", PORT))
        if way == "udp":
            datagrams: Iterator[bytes] = iter(lambda: waiting.recv(SIZE), b"")
        else:
            waiting.listen()
        print("ready", flush=True)
        if way != "udp":
            datagrams = whole(waiting.accept()[0])
        arrived: Arrivals = []
        for datagram in datagrams:
            number, due = STAMP.unpack_from(datagram)
            if number == END:
                break
            arrived.append((number, time.monotonic_ns() - due))
    json.dump(arrived, sys.stdout)


def send(out: socket.socket, way: str, rate: float) -> int:
    """How many there were."""
    ready = select.poll()
    ready.register(out, select.POLLOUT)
    out.setblocking(way != "udp")
    interval = SIZE * 8 / rate / 1e6
    count, start = round((WARM + COUNTS) / interval), time.monotonic()
    for number in range(count):
        due = start + number * interval
        time.sleep(max(0.0, due - time.monotonic()))
        if ready.poll(0):
            out.sendall(STAMP.pack(number, int(due * 1e9)).ljust(SIZE, b"\0"))
    time.sleep(LATE)
    out.setblocking(True)
    out.sendall(STAMP.pack(END, 0).ljust(SIZE, b"\0"))
    return count


def once(way: str, scheduler: str, rate: float, room: int) -> tuple[int, Arrivals]:
    """How many datagrams there were, and those that arrived."""
    command = ["ip", "netns", "exec", topology.SERVER, sys.executable, __file__, "--receive", way]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, socket_of(way, room) as out:
        if server.stdout is None or server.stdout.readline() != "ready\n":
            sys.exit("udp_tunnel.py: the server did not start; this is for 'mplab shell', see --help")
        if way == "mptcp":
            out.setsockopt(SOL_MPTCP, MPTCP_SCHEDULER, scheduler.encode())
        out.connect((topology.address(topology.SERVER, 1), PORT))
        time.sleep(1)  # for the other subflows
        count = send(out, way, rate)
        arrived = [(number, took) for number, took in json.loads(server.stdout.read())]
    return count, arrived


def row(label: str, rate: float, count: int, arrived: Arrivals) -> str:
    """Of what was due after the warm-up."""
    first = round(count * WARM / (WARM + COUNTS))
    delays = sorted(took / 1e6 for number, took in arrived if number >= first)
    due = count - first
    goodput = len(delays) * SIZE * 8 / COUNTS / 1e6
    at = (delays[min(int(len(delays) * share), len(delays) - 1)] for share in (0.5, 0.95, 0.99))
    lost = 100 * (1 - len(delays) / due)
    return (
        f"| {rate:g} | {label} | {goodput:.2f} | {lost:.1f} | " + " | ".join(f"{ms:.0f}" for ms in at) + " |"
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rates", metavar="RATE", nargs="*", type=float, help="of payload, Mbit/s (1 5 10)")
    parser.add_argument("--room", metavar="BYTES", type=int, default=ROOM, help="(%(default)s)")
    parser.add_argument("--receive", choices=("udp", "tcp", "mptcp"), help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    if args.receive:
        receive(args.receive)
        return
    tunnels = [(f"MPTCP tunnel, `{name}`", "mptcp", name) for name in SCHEDULERS]
    print("| Mbit/s | how | goodput | lost % | delay ms: median | 95 % | 99 % |", flush=True)
    print("|---:|---|---:|---:|---:|---:|---:|", flush=True)
    for rate in args.rates or RATES:
        for label, way, scheduler in (
            ("UDP, path 1", "udp", ""),
            ("TCP tunnel, path 1", "tcp", ""),
            *tunnels,
        ):
            print(row(label, rate, *once(way, scheduler, rate, args.room)), flush=True)


if __name__ == "__main__":
    main()
