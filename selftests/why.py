#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What limits connections, by the socket option MPTCP_LIMITS.

why.py serve PORT [--tcp]       take connections, and all that comes
why.py values ADDRESS PORT      what the option tells before, while and after there is a connection
why.py connect ADDRESS PORT [--message BYTES --pause MS] [--sndbuf BYTES] [--scheduler NAME] [--poll]
                            [--after S] [--for S]
                                send; the state that lasted longest, its share in percent, and all shares
"""

from __future__ import annotations

import argparse
import ctypes
import select
import socket
import struct
import threading
import time

MPTCP = 262
SOL_MPTCP = 284
SCHEDULER, LIMITS = 43, 55
STATES = ("idle", "sndbuf", "window", "sched", "cwnd", "loss", "dark")
LAYOUT = f"={len(STATES)}QII"


def limits(end: socket.socket) -> tuple[list[int], str]:
    """Microseconds in each state, and the state now."""
    told = struct.unpack(LAYOUT, end.getsockopt(SOL_MPTCP, LIMITS, 100))
    return list(told[: len(STATES)]), STATES[told[len(STATES)]]


def serve(args: argparse.Namespace) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0 if args.tcp else MPTCP) as waiting:
        waiting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        waiting.bind(("", args.port))
        waiting.listen(16)
        while True:
            threading.Thread(target=drain, args=(waiting.accept()[0],), daemon=True).start()


def drain(end: socket.socket) -> None:
    with end:
        while end.recv(1 << 18):
            pass


def connected(args: argparse.Namespace) -> socket.socket:
    end = socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP)
    if args.scheduler:
        end.setsockopt(SOL_MPTCP, SCHEDULER, args.scheduler.encode())
    if args.sndbuf:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, args.sndbuf)
    end.connect((args.address, args.port))
    return end


def send(end: socket.socket, args: argparse.Namespace) -> None:
    data = bytes(args.message)
    if args.poll:
        end.setblocking(False)
    try:
        while True:
            if args.poll:
                select.select([], [end], [])
            end.send(data)
            time.sleep(args.pause / 1000)
    except OSError:
        pass


def connect(args: argparse.Namespace) -> None:
    end = connected(args)
    threading.Thread(target=send, args=(end, args), daemon=True).start()
    time.sleep(args.after)
    early, _ = limits(end)
    time.sleep(args.duration)
    late, _ = limits(end)
    spent = {state: late[i] - early[i] for i, state in enumerate(STATES)}
    whole = sum(spent.values())
    first = max(spent, key=lambda state: spent[state])
    shares = " ".join(f"{state}={100 * us / whole:.1f}" for state, us in spent.items())
    print(f"{first} {100 * spent[first] // whole} {shares}", flush=True)


def values(args: argparse.Namespace) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP) as fresh:
        print("fresh", *limits(fresh))
    with connected(args) as end:
        end.send(b"x")
        began = time.monotonic()
        early = sum(limits(end)[0])
        time.sleep(0.5)
        told = sum(limits(end)[0]) - early
        print("state", limits(end)[1])
        print("sum", abs(told / 1e6 - (time.monotonic() - began)) < 0.1)
        print("length", *(len(end.getsockopt(SOL_MPTCP, LIMITS, n)) for n in (8, 60, 64, 100)))
        # to AF_UNSPEC, which socket.connect() does not know
        ctypes.CDLL(None).connect(end.fileno(), bytes(16), 16)
        print("ended", *limits(end))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=("serve", "values", "connect"))
    parser.add_argument("address", nargs="?")
    parser.add_argument("port", type=int)
    parser.add_argument("--message", type=int, default=1 << 16)
    parser.add_argument("--pause", type=float, default=0)
    parser.add_argument("--sndbuf", type=int)
    parser.add_argument("--scheduler")
    parser.add_argument("--tcp", action="store_true")
    parser.add_argument("--poll", action="store_true")
    parser.add_argument("--after", type=float, default=3)
    parser.add_argument("--for", type=float, default=3, dest="duration")
    args = parser.parse_args()
    if args.command == "serve":
        serve(args)
    elif args.command == "values":
        values(args)
    else:
        connect(args)


if __name__ == "__main__":
    main()
