# SPDX-License-Identifier: GPL-2.0
"""One end of an MPTCP connection that ends in a chosen way.

usage: python3 -m conformance.peer listen|connect ADDRESS HOW [SECONDS]
       python3 -m conformance.peer sink ADDRESS
       python3 -m conformance.peer wrap ADDRESS BYTES

listen, connect: both ends send the first BYTES of sched_sock's pattern, wait until the peer's have
come and SECONDS later (so that other subflows can join before) end as HOW says: first (close, then
wait for the peer's end), last (the other way around), at=T (close at the time T), linger (abort
with SO_LINGER 0), unread (close and leave unread what the peer sent), victim (whom that happens to).

sink: take any number of connections and read from them, until it is killed.

wrap: connect until the low 32 bits of the data sequence numbers begin again in the middle of BYTES,
then send them.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import threading
import time

from .case import pattern

PORT, BYTES = 5000, 30000
IPPROTO_MPTCP, SOL_MPTCP, MPTCP_INFO = 262, 284, 1
# struct mptcp_info: where mptcpi_write_seq is
WRITE_SEQ = 16
TRIES = 10000


def new_socket(address: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.socket(family, socket.SOCK_STREAM, IPPROTO_MPTCP)


def listener(address: str) -> socket.socket:
    new = new_socket(address)
    new.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    new.bind((address, PORT))
    new.listen(100)
    print("listening", flush=True)
    return new


def connected(role: str, address: str) -> tuple[socket.socket, socket.socket | None]:
    """And the listener, which must stay: Linux refuses to join without."""
    if role == "connect":
        new = new_socket(address)
        new.connect((address, PORT))
        return new, None
    new = listener(address)
    return new.accept()[0], new


def receive(connection: socket.socket, length: int) -> None:
    while length and (data := connection.recv(length)):
        length -= len(data)


def to_the_end(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def end(connection: socket.socket, how: str) -> None:
    if how == "linger":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif how == "victim":
        with contextlib.suppress(ConnectionError):
            to_the_end(connection)
    elif how != "unread":
        if how == "last":
            to_the_end(connection)
        elif how.startswith("at="):
            time.sleep(max(0, float(how[3:]) - time.time()))
        connection.shutdown(socket.SHUT_WR)
        to_the_end(connection)
    connection.close()


def exchange(role: str, address: str, how: str, seconds: float) -> None:
    connection, _listener = connected(role, address)
    with connection:
        connection.sendall(pattern(BYTES))
        if how != "unread":
            receive(connection, BYTES)
        time.sleep(seconds)
        end(connection, how)


def swallow(connection: socket.socket) -> None:
    with connection, contextlib.suppress(ConnectionError):
        to_the_end(connection)


def sink(address: str) -> None:
    waiting = listener(address)
    while True:
        threading.Thread(target=swallow, args=(waiting.accept()[0],), daemon=True).start()


def until_wrap(connection: socket.socket) -> int:
    """How many bytes can be sent before the low 32 bits begin again."""
    info = connection.getsockopt(SOL_MPTCP, MPTCP_INFO, 128)
    return (1 << 32) - (struct.unpack_from("=Q", info, WRITE_SEQ)[0] & 0xFFFFFFFF)


def wrap(address: str, length: int) -> None:
    for tries in range(TRIES):
        with new_socket(address) as connection:
            connection.connect((address, PORT))
            if length // 10 < until_wrap(connection) < length * 9 // 10:
                print(f"after {tries} others", flush=True)
                # for the second subflow
                time.sleep(1)
                connection.sendall(pattern(length))
                end(connection, "first")
                return
    raise SystemExit(f"none of {TRIES} connections")


def main() -> None:
    role, address, *rest = sys.argv[1:]
    if role == "sink":
        sink(address)
    elif role == "wrap":
        wrap(address, int(rest[0]))
    else:
        exchange(role, address, rest[0], float(rest[1]) if rest[1:] else 0)


if __name__ == "__main__":
    main()
