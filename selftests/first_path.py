#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Connections that begin, and how.

first_path.py serve PORT        take connections, say how much came
first_path.py connect ADDRESS PORT [--count N] [--bytes N] [--option N] [--bind ADDRESS] [--then ADDRESS]
              [--tcp] [--at-once] [--deferred]
                                a line for each: ms until connect() was through, the address it had then, and
                                what the server says; with an error that in place of the last. --then:
                                of the next connection of the same socket, to there; --deferred: the first
                                data goes with the SYN (TCP_FASTOPEN_CONNECT), ms until the server said it
"""

from __future__ import annotations

import argparse
import ctypes
import socket
import threading
import time

MPTCP = 262
SOL_MPTCP = 284
FIRST_PATH = 54
FASTOPEN_CONNECT = 30  # Python 3.11 has no name for it


def family_of(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def answer(end: socket.socket) -> None:
    with end:
        count = 0
        while got := end.recv(1 << 16):
            count += len(got)
        end.sendall(str(count).encode())


def serve(port: int) -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM, MPTCP) as waiting:
        waiting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        waiting.bind(("::", port))
        waiting.listen(64)
        while True:
            threading.Thread(target=answer, args=(waiting.accept()[0],), daemon=True).start()


def use(end: socket.socket, args: argparse.Namespace, address: str) -> tuple[float, str, str]:
    """Connect, and send: how long connect() took, s, the address it had then, what the server says."""
    began = time.monotonic()
    took, name = 0.0, "-"
    try:
        end.connect((address, args.port))
        took, name = time.monotonic() - began, end.getsockname()[0]
        end.sendall(bytes(args.bytes))
        end.shutdown(socket.SHUT_WR)
        said = b""
        while got := end.recv(100):
            said += got
        if args.deferred:
            took, name = time.monotonic() - began, end.getsockname()[0]
        return took, name, said.decode()
    except OSError as error:
        return took or time.monotonic() - began, name, str(error).replace(" ", "_")


def disconnect(end: socket.socket) -> None:
    """By connect() to AF_UNSPEC, which Python's does not know."""
    ctypes.CDLL(None).connect(end.fileno(), bytes(16), 16)


def one(args: argparse.Namespace) -> str:
    with socket.socket(family_of(args.address), socket.SOCK_STREAM, 0 if args.tcp else MPTCP) as end:
        end.settimeout(None if args.deferred else 150)
        try:
            if args.option:
                end.setsockopt(SOL_MPTCP, FIRST_PATH, args.option)
            if args.deferred:
                end.setsockopt(socket.IPPROTO_TCP, FASTOPEN_CONNECT, 1)
            if args.bind:
                end.bind((args.bind, 0))
        except OSError as error:
            return f"0 - {str(error).replace(' ', '_')}"
        took, name, what = use(end, args, args.address)
        if args.then:
            disconnect(end)
            took, name, what = use(end, args, args.then)
    return f"{1000 * took:.0f} {name} {what}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Connections that begin, and how.")
    parser.add_argument("what", choices=["serve", "connect"])
    parser.add_argument("address", nargs="?", default="")
    parser.add_argument("port", type=int)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--bytes", type=int, default=1000)
    parser.add_argument("--option", type=int, default=0)
    parser.add_argument("--bind", default="")
    parser.add_argument("--then", default="")
    parser.add_argument("--tcp", action="store_true")
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--deferred", action="store_true")
    args = parser.parse_args()
    if args.what == "serve":
        serve(args.port)
    if args.at_once:
        many = [threading.Thread(target=lambda: print(one(args), flush=True)) for _ in range(args.count)]
        for thread in many:
            thread.start()
        for thread in many:
            thread.join()
    else:
        for _ in range(args.count):
            print(one(args), flush=True)


if __name__ == "__main__":
    main()
