# SPDX-License-Identifier: GPL-2.0
"""Programs that ask for the low-overhead handshake.

usage: low_overhead.py options ADDRESS		what MPTCP_LOW_OVERHEAD takes and tells; to a server
       low_overhead.py serve OPTION CONNECTIONS
       low_overhead.py transfer ADDRESS OPTION	"1 1" (of both ends: established so), if all bytes came
       low_overhead.py again ADDRESS		connect, disconnect, connect with the option
       low_overhead.py fastopen ADDRESS		as transfer, with data in the SYN

OPTION: what the socket is set to, or "-": as the sysctl says.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import random
import socket
import struct
import sys
import threading
import time

IPPROTO_MPTCP, SOL_MPTCP, LOW_OVERHEAD = 262, 284, 48
PORT, SIZE = 5001, 2_000_000


def new(option: str = "-") -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    if option != "-":
        made.setsockopt(SOL_MPTCP, LOW_OVERHEAD, int(option))
    return made


def low(sock: socket.socket) -> int:
    return sock.getsockopt(SOL_MPTCP, LOW_OVERHEAD)


def listen(option: str) -> socket.socket:
    made = new(option)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with contextlib.suppress(OSError):
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 5)
    made.bind(("", PORT))
    made.listen()
    return made


def data(seed: int) -> bytes:
    return random.Random(seed).randbytes(SIZE)


def send(connection: socket.socket, content: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        connection.sendall(content)


def answer(connection: socket.socket) -> None:
    """Bytes both ways at a time; then what came, and how it is established here."""
    sender = threading.Thread(target=send, args=(connection, data(2)))
    sender.start()
    digest = hashlib.sha256()
    while some := connection.recv(1 << 16):
        digest.update(some)
    sender.join()
    connection.sendall(digest.digest() + bytes([low(connection)]))
    connection.close()


def serve(option: str, connections: str) -> None:
    with listen(option) as listener:
        print("listening", flush=True)
        for _ in range(int(connections)):
            with contextlib.suppress(ConnectionError):  # the first one of again()
                answer(listener.accept()[0])


def exchange(connection: socket.socket, begun: int = 0) -> str:
    """The peer of answer(); begun: bytes that were sent."""

    def later() -> None:
        time.sleep(0.1)  # the second subflow joins
        send(connection, data(1)[begun:])
        connection.shutdown(socket.SHUT_WR)

    here = low(connection)  # before its end, after which it could connect again
    sender = threading.Thread(target=later)
    sender.start()
    came = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    sender.join()
    connection.close()
    if came[:-1] != data(2) + hashlib.sha256(data(1)).digest():
        return f"wrong bytes, {len(came)} of them"
    return f"{here} {came[-1]}"


def transfer(address: str, option: str) -> None:
    connection = new(option)
    connection.connect((address, PORT))
    print(exchange(connection))


def fastopen(address: str) -> None:
    connection = new("1")
    begun = connection.sendto(data(1)[:1000], socket.MSG_FASTOPEN, (address, PORT))
    print(exchange(connection, begun))


def again(address: str) -> None:
    """The first of the two connections is without, the second one with it."""
    connection = new("0")
    connection.connect((address, PORT))
    before = low(connection)
    libc_disconnect(connection)
    connection.setsockopt(SOL_MPTCP, LOW_OVERHEAD, 1)
    connection.connect((address, PORT))
    print(before, exchange(connection))


def libc_disconnect(connection: socket.socket) -> None:
    """connect() to AF_UNSPEC, which Python's sockets do not know."""
    import ctypes  # noqa: PLC0415 (slow to load, and needed here only)

    unspecified = struct.pack("H14x", socket.AF_UNSPEC)
    if ctypes.CDLL(None).connect(connection.fileno(), unspecified, len(unspecified)):
        raise OSError("disconnect")


def check(what: str, wanted: object, found: object) -> None:
    print(f"ok {what}" if wanted == found else f"not ok {what}\n# want {wanted}, got {found}", flush=True)


def refusal(sock: socket.socket, value: bytes) -> str:
    try:
        sock.setsockopt(SOL_MPTCP, LOW_OVERHEAD, value)
    except OSError as e:
        return errno.errorcode[e.errno or 0]
    return "taken"


def options(address: str) -> None:
    sock = new()
    check("MPTCP_LOW_OVERHEAD is 0 at first", 0, low(sock))
    for value in 1, 0, 1:
        sock.setsockopt(SOL_MPTCP, LOW_OVERHEAD, value)
        check(f"{value} is read back", value, low(sock))
    for value in 2, -1, 1 << 30:
        check(f"{value} is refused", "EINVAL", refusal(sock, struct.pack("i", value)))
    check("three bytes are refused", "EINVAL", refusal(sock, bytes(3)))
    check("and nothing changed", 1, low(sock))
    check("a short buffer gets its first bytes", b"\1\0", sock.getsockopt(SOL_MPTCP, LOW_OVERHEAD, 2))
    sock.bind(("", 0))
    sock.listen()
    check("not when it listens", "EBUSY", refusal(sock, struct.pack("i", 0)))
    check("a listener tells what it accepts", 1, low(sock))
    sock = new("1")
    sock.connect((address, PORT))
    check("not when it is connected", "EBUSY", refusal(sock, struct.pack("i", 0)))
    check("a connection tells how it was established", 1, low(sock))
    sock.close()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
