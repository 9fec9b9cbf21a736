#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Socket options of TCP on MPTCP sockets.

options.py parity         each option on a TCP and on an MPTCP socket, new, connected, and disconnected
                          after a fallback: lines of TAP
options.py table          the differences that are left, as rows of Markdown
options.py serve PORT     take connections and what they send
options.py send ADDRESS PORT SECONDS [LEVEL:OPTION:VALUE[:late]]...
                          connect, send a little each 100 ms; prints how it ended, and after how long.
                          "tcp": over TCP; "idle": send nothing but at the start; "again": disconnect
                          first, and connect once more
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable

from control import disconnect

MPTCP = 262
TCP, IP, IPV6, SOCKET = 6, 0, 41, 1
ACCEPT_ALL = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xFFFFFFFF))
GET = "get"  # instead of a value: the option can only be read
ODD = (-1, 0, 2**31 - 1)  # what many options refuse

Value = int | bytes | str
Option = tuple[int, str, int, Value]

OPTIONS: list[Option] = [
    (SOCKET, "SO_DEBUG", 1, 0),
    (SOCKET, "SO_REUSEADDR", 2, 1),
    (SOCKET, "SO_TYPE", 3, GET),
    (SOCKET, "SO_ERROR", 4, GET),
    (SOCKET, "SO_DONTROUTE", 5, 0),
    (SOCKET, "SO_SNDBUF", 7, 65536),
    (SOCKET, "SO_RCVBUF", 8, 65536),
    (SOCKET, "SO_KEEPALIVE", 9, 1),
    (SOCKET, "SO_OOBINLINE", 10, 1),
    (SOCKET, "SO_PRIORITY", 12, 3),
    (SOCKET, "SO_LINGER", 13, struct.pack("ii", 0, 0)),
    (SOCKET, "SO_REUSEPORT", 15, 1),
    (SOCKET, "SO_RCVLOWAT", 18, 2),
    (SOCKET, "SO_RCVTIMEO", 20, struct.pack("ll", 5, 0)),
    (SOCKET, "SO_SNDTIMEO", 21, struct.pack("ll", 5, 0)),
    (SOCKET, "SO_BINDTODEVICE", 25, b"lo\0"),
    (SOCKET, "SO_ATTACH_FILTER", 26, struct.pack("HxxxxxxP", 1, ctypes.addressof(ACCEPT_ALL))),
    (SOCKET, "SO_TIMESTAMP", 29, 1),
    (SOCKET, "SO_ACCEPTCONN", 30, GET),
    (SOCKET, "SO_MARK", 36, 7),
    (SOCKET, "SO_TIMESTAMPING", 37, 0),
    (SOCKET, "SO_DOMAIN", 39, GET),
    (SOCKET, "SO_PEEK_OFF", 42, 0),
    (SOCKET, "SO_BUSY_POLL", 46, 0),
    (SOCKET, "SO_MAX_PACING_RATE", 47, 10**9),
    (SOCKET, "SO_INCOMING_CPU", 49, 0),
    (SOCKET, "SO_MEMINFO", 55, GET),
    (SOCKET, "SO_INCOMING_NAPI_ID", 56, GET),
    (SOCKET, "SO_COOKIE", 57, GET),
    (SOCKET, "SO_ZEROCOPY", 60, 1),
    (SOCKET, "SO_TXTIME", 61, struct.pack("iI", 11, 0)),
    (SOCKET, "SO_BINDTOIFINDEX", 62, 1),
    (SOCKET, "SO_TXREHASH", 74, 1),
    (TCP, "TCP_NODELAY", 1, 1),
    (TCP, "TCP_MAXSEG", 2, 1000),
    (TCP, "TCP_CORK", 3, 1),
    (TCP, "TCP_KEEPIDLE", 4, 60),
    (TCP, "TCP_KEEPINTVL", 5, 10),
    (TCP, "TCP_KEEPCNT", 6, 3),
    (TCP, "TCP_SYNCNT", 7, 3),
    (TCP, "TCP_LINGER2", 8, 20),
    (TCP, "TCP_WINDOW_CLAMP", 10, 60000),
    (TCP, "TCP_INFO", 11, GET),
    (TCP, "TCP_QUICKACK", 12, 1),
    (TCP, "TCP_CONGESTION", 13, b"reno"),
    (TCP, "TCP_THIN_LINEAR_TIMEOUTS", 16, 1),
    (TCP, "TCP_USER_TIMEOUT", 18, 10000),
    (TCP, "TCP_REPAIR", 19, 0),
    (TCP, "TCP_NOTSENT_LOWAT", 25, 16384),
    (TCP, "TCP_CC_INFO", 26, GET),
    (TCP, "TCP_SAVE_SYN", 27, 1),
    (TCP, "TCP_SAVED_SYN", 28, GET),
    (TCP, "TCP_ZEROCOPY_RECEIVE", 35, GET),
    (TCP, "TCP_INQ", 36, 1),
    (TCP, "TCP_TX_DELAY", 37, 0),
    (IP, "IP_TOS", 1, 16),
    (IP, "IP_TTL", 2, 60),
    (IP, "IP_OPTIONS", 4, b""),
    (IP, "IP_RECVOPTS", 6, 1),
    (IP, "IP_PKTINFO", 8, 1),
    (IP, "IP_MTU_DISCOVER", 10, 2),
    (IP, "IP_RECVERR", 11, 1),
    (IP, "IP_RECVTTL", 12, 1),
    (IP, "IP_RECVTOS", 13, 1),
    (IP, "IP_MTU", 14, GET),
    (IP, "IP_RECVORIGDSTADDR", 20, 1),
    (IP, "IP_MINTTL", 21, 1),
    (IP, "IP_UNICAST_IF", 50, 0),
    (IPV6, "IPV6_UNICAST_HOPS", 16, 60),
    (IPV6, "IPV6_MTU_DISCOVER", 23, 2),
    (IPV6, "IPV6_RECVERR", 25, 1),
    (IPV6, "IPV6_RECVPKTINFO", 49, 1),
    (IPV6, "IPV6_RECVHOPLIMIT", 51, 1),
    (IPV6, "IPV6_DONTFRAG", 62, 1),
    (IPV6, "IPV6_RECVTCLASS", 66, 1),
    (IPV6, "IPV6_TCLASS", 67, 16),
    (IPV6, "IPV6_AUTOFLOWLABEL", 70, 1),
    (IPV6, "IPV6_ADDR_PREFERENCES", 72, 2),
    (IPV6, "IPV6_MINHOPCOUNT", 73, 1),
]

# What a socket keeps for its next connection, and all later subflows are given.
KEPT = (
    "TCP_SYNCNT",
    "TCP_USER_TIMEOUT",
    "IP_TTL",
    "IP_MTU_DISCOVER",
    "IP_MINTTL",
    "IPV6_UNICAST_HOPS",
    "IPV6_MTU_DISCOVER",
    "IPV6_TCLASS",
    "IPV6_MINHOPCOUNT",
)

# What MPTCP sockets do otherwise than TCP's, and why.
FIRST = "before the connection only"
DIFFERENT = {
    "SO_REUSEADDR": FIRST,
    "SO_REUSEPORT": FIRST,
    "SO_BINDTODEVICE": FIRST,
    "SO_BINDTOIFINDEX": FIRST,
    "SO_DONTROUTE": "taken, without effect: subflows are routed by their addresses",
    "SO_OOBINLINE": "refused: there is no urgent data",
    "SO_ATTACH_FILTER": "refused: a filter could take subflows from each other's data",
    "SO_PEEK_OFF": "refused",
    "SO_MAX_PACING_RATE": "refused: each subflow paces for itself",
    "SO_ZEROCOPY": "refused: data is copied",
    "SO_TXTIME": "refused",
    "SO_TXREHASH": "refused",
    "TCP_SAVE_SYN": FIRST,
    "TCP_LINGER2": "refused: net.mptcp.close_timeout is what ends connections",
    "TCP_WINDOW_CLAMP": "refused: use SO_RCVBUF",
    "TCP_THIN_LINEAR_TIMEOUTS": "refused",
    "TCP_REPAIR": "refused: a subflow's state is not the connection's",
    "TCP_ZEROCOPY_RECEIVE": "refused",
    "TCP_TX_DELAY": "refused",
    "IP_OPTIONS": "refused: TCP's options need the room",
    "IP_RECVERR": "refused: an ICMP error is one subflow's",
    "IPV6_RECVERR": "refused: an ICMP error is one subflow's",
    "IP_UNICAST_IF": "refused: subflows have interfaces of their own",
    "IPV6_ADDR_PREFERENCES": "refused: subflows have addresses of their own",
}


def attempt(call: Callable[..., bytes | None], *arguments: int | bytes) -> tuple[str, bytes]:
    """What a system call comes to: "ok" or the error's name, and its answer."""
    try:
        return "ok", call(*arguments) or b""
    except OSError as error:
        return errno.errorcode[error.errno or 0], b""


def connection(family: int, protocol: int, peer: int | None = None) -> list[socket.socket]:
    """Listener, client and server, with data moved both ways so that it is no handshake any more."""
    listener = socket.socket(family, socket.SOCK_STREAM, peer or protocol)
    listener.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
    listener.listen()
    client = socket.socket(family, socket.SOCK_STREAM, protocol)
    client.connect(listener.getsockname())
    server, _ = listener.accept()
    for sender, receiver in ((client, server), (server, client)):
        sender.send(b"x")
        receiver.recv(1)
    return [client, listener, server]


def try_option(option: Option, protocol: int, connected: bool) -> str:
    """Set it and read it back, in words that can be compared."""
    level, _, number, value = option
    family = socket.AF_INET6 if level == IPV6 else socket.AF_INET
    if connected:
        sockets = connection(family, protocol)
    else:
        sockets = [socket.socket(family, socket.SOCK_STREAM, protocol)]
    subject = sockets[0]
    if isinstance(value, str):
        said = attempt(subject.getsockopt, level, number, 256)[0]
    else:
        raw = value if isinstance(value, bytes) else struct.pack("i", value)
        said, _ = attempt(subject.setsockopt, level, number, raw)
        got, answer = attempt(subject.getsockopt, level, number, 64)
        # a congestion window or a segment size that is in force differs; that there is one does not
        if got == "ok" and isinstance(value, int) and not connected:
            got = str(struct.unpack("i", answer[:4])[0]) if len(answer) >= 4 else got
        said += f", reads {got}"
    for one in sockets:
        one.close()
    return said


def compare(option: Option) -> list[str]:
    """The states in which TCP and MPTCP differ, and how."""
    level, name, number, value = option
    found = []
    for one in (value, *(ODD if isinstance(value, int) else ())):
        for connected in (False, True):
            tried = (level, name, number, one)
            tcp, mptcp = (try_option(tried, protocol, connected) for protocol in (TCP, MPTCP))
            if tcp != mptcp:
                state = "connected" if connected else "new"
                found.append(f"{state}, {one!r}: TCP {tcp}; MPTCP {mptcp}")
    return found


def kept(option: Option, protocol: int) -> str:
    """Set it on a connection to a TCP server, and read it when that has ended."""
    level, _, number, value = option
    family = socket.AF_INET6 if level == IPV6 else socket.AF_INET
    sockets = connection(family, protocol, TCP)
    said, _ = attempt(sockets[0].setsockopt, level, number, struct.pack("i", value))
    disconnect(sockets[0])
    got, answer = attempt(sockets[0].getsockopt, level, number, 4)
    for one in sockets:
        one.close()
    return f"{said}, reads {struct.unpack('i', answer)[0] if got == 'ok' else got}"


def parity() -> None:
    """One line of TAP for each option."""
    for option in OPTIONS:
        found, name = compare(option), option[1]
        expected = DIFFERENT.get(name)
        good = bool(found) == bool(expected)
        print(f"{'ok' if good else 'not ok'} {name}: {expected or 'as with TCP'}")
        if not good:
            print("\n".join(f"# {line}" for line in found or ["it is as with TCP now"]))


def after_fallback() -> None:
    """One line of TAP for each that the socket's next connection has, too."""
    for option in OPTIONS:
        if option[1] in KEPT:
            tcp, mptcp = kept(option, TCP), kept(option, MPTCP)
            said = "ok" if tcp == mptcp else "not ok"
            print(f"{said} {option[1]}: what is set after a fallback is for the next connection, too")
            if tcp != mptcp:
                print(f"# TCP {tcp}; MPTCP {mptcp}")


def table() -> None:
    """The differences, for people."""
    for name, why in DIFFERENT.items():
        print(f"| `{name}` | {why} |")


def swallow(one: socket.socket) -> None:
    """All that comes, until it ends."""
    with one, contextlib.suppress(OSError):
        while one.recv(65536):
            pass


def serve(port: int) -> None:
    """Take what comes, for ever; from TCP, too."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("", port))
    listener.listen()
    while True:
        accepted, _ = listener.accept()
        threading.Thread(target=swallow, args=(accepted,), daemon=True).start()


def send(address: str, port: int, seconds: float, options: list[str]) -> None:
    """A little data each 100 ms, so long."""
    protocol = TCP if "tcp" in options else MPTCP
    late = [o for o in options if o.endswith(":late")]
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as one:

        def put(which: list[str]) -> None:
            for option in which:
                level, number, value = map(int, option.split(":")[:3])
                one.setsockopt(level, number, value)

        put([o for o in options if ":" in o and o not in late])
        one.connect((address, port))
        if "again" in options:
            disconnect(one)
            one.connect((address, port))
        begin, ended = time.monotonic(), "sent"
        try:
            while time.monotonic() < begin + seconds:
                if "idle" not in options or time.monotonic() < begin + 1:
                    one.send(bytes(1000))
                time.sleep(0.1)
                if late and time.monotonic() > begin + 1:
                    put(late)
                    late = []
        except OSError as error:
            ended = errno.errorcode[error.errno or 0]
        print(ended, int(time.monotonic() - begin))


def main() -> None:
    """See the module's docstring."""
    match sys.argv[1:]:
        case ["parity"]:
            parity()
            after_fallback()
        case ["table"]:
            table()
        case ["serve", port]:
            serve(int(port))
        case ["send", address, port, seconds, *options]:
            send(address, int(port), float(seconds), options)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
