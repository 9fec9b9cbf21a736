#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The two ends of a connection that joins with a key from the application.

usage: app_key.py serve ADDRESS MODE DELAY KEY
       app_key.py connect ADDRESS MODE DELAY KEY [SECONDS]
       app_key.py errors
       app_key.py watch PORT

MODE: MPTCP_ENABLE_APP_KEY, "-": it is not set. KEY: in hex, "-": none; it is given so many seconds after
the connection stands. The client sends for some seconds. Both print "name=value". watch says when
the first SYN with MP_JOIN goes out, in ms from the first SYN.
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
from collections.abc import Iterator

IPPROTO_MPTCP, SOL_MPTCP, MPTCP_INFO, MPTCP_TCPINFO = 262, 284, 1, 2
ESTABLISHED, ETH_P_ALL, ETH_P_IP = 1, 3, 0x800
MP_JOIN_SYN = b"\x1e\x0c"
ENABLE, KEY = 49, 50
PORT = 5000


def enable(sock: socket.socket, mode: str) -> None:
    if mode != "-":
        sock.setsockopt(SOL_MPTCP, ENABLE, int(mode))


def report(name: str, value: object) -> None:
    print(f"{name}={value}", flush=True)


def state(sock: socket.socket) -> int:
    """Of the key; -1: it is no socket of MPTCP."""
    with contextlib.suppress(OSError):
        return sock.getsockopt(SOL_MPTCP, KEY)
    return -1


def name_of(number: int) -> str:
    return "EOPNOTSUPP" if number == errno.EOPNOTSUPP else errno.errorcode.get(number, "taken")


def give(sock: socket.socket, delay: str, key: str) -> None:
    report("state", state(sock))
    if key != "-":
        time.sleep(float(delay))
        try:
            sock.setsockopt(SOL_MPTCP, KEY, bytes.fromhex(key))
        except OSError as e:
            report("key", name_of(e.errno or 0))
    report("state", state(sock))


def subflows(sock: socket.socket) -> int:
    """Those beside the first one that are established."""
    with contextlib.suppress(OSError):
        buffer = struct.pack("4I", 16, 0, 0, 8) + bytes(8 * 8)
        found = getsockopt(sock, MPTCP_TCPINFO, buffer)
        number = struct.unpack_from("I", found, 4)[0]
        return sum(found[16 + 8 * n] == ESTABLISHED for n in range(number)) - 1
    return 0


def getsockopt(sock: socket.socket, option: int, buffer: bytes) -> bytes:
    """One that reads its buffer."""
    libc = ctypes.CDLL(None, use_errno=True)
    value, length = ctypes.create_string_buffer(buffer, len(buffer)), ctypes.c_uint32(len(buffer))
    if libc.getsockopt(sock.fileno(), SOL_MPTCP, option, value, ctypes.byref(length)):
        raise OSError(ctypes.get_errno(), "getsockopt")
    return value.raw


def is_mptcp(sock: socket.socket) -> bool:
    with contextlib.suppress(OSError):
        found = sock.getsockopt(SOL_MPTCP, MPTCP_INFO, 96)
        return not struct.unpack_from("I", found, 8)[0] & 1
    return False


def new_socket(address: str) -> socket.socket:
    return socket.socket(
        socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP
    )


def serve(address: str, mode: str, delay: str, key: str) -> None:
    listener = new_socket(address)
    enable(listener, mode)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, PORT))
    listener.listen()
    report("listening", 1)
    sock = listener.accept()[0]
    giving = threading.Thread(target=give, args=(sock, delay, key))
    giving.start()
    total = 0
    while data := sock.recv(1 << 16):
        total += data.count(0x5A)
    giving.join()
    report("received", total)
    sock.sendall(str(total).encode())
    sock.close()


def connect(address: str, mode: str, delay: str, key: str, seconds: str = "4") -> None:
    sock = new_socket(address)
    enable(sock, mode)
    sock.connect((address, PORT))
    threading.Thread(target=give, args=(sock, delay, key)).start()
    sent, start, joined = 0, time.monotonic(), ""
    while time.monotonic() < start + float(seconds):
        sock.sendall(bytes([0x5A]) * 10000)
        sent += 10000
        if not joined and subflows(sock) > 0:
            joined = f"{time.monotonic() - start:.1f}"
        time.sleep(0.02)
    report("subflows", subflows(sock))
    report("mptcp", int(is_mptcp(sock)))
    report("joined", joined)
    sock.shutdown(socket.SHUT_WR)
    report("complete", int(sock.recv(100) == str(sent).encode()))


def refused(what: str, want: int, sock: socket.socket, option: int, value: int | bytes) -> None:
    try:
        sock.setsockopt(SOL_MPTCP, option, value)
        got = 0
    except OSError as e:
        got = e.errno or -1
    same = "ok" if got == want else "not ok"
    print(f"{same} {what}: {name_of(want)}", flush=True)
    if got != want:
        print(f"# {name_of(got)}")


def errors_unconnected() -> None:
    sock = new_socket("")
    for value in 0, 1, 2:
        refused(f"MPTCP_ENABLE_APP_KEY {value}", 0, sock, ENABLE, value)
        print("ok" if sock.getsockopt(SOL_MPTCP, ENABLE) == value else "not ok", "and it is read back")
    for value in -1, 3, b"", b"\1\0\0":
        refused(f"MPTCP_ENABLE_APP_KEY {value!r}", errno.EINVAL, sock, ENABLE, value)
    print("ok" if sock.getsockopt(SOL_MPTCP, ENABLE) == 2 else "not ok", "and it is as before")
    refused("MPTCP_KEY before connect()", errno.ENOTCONN, sock, KEY, bytes(16))


def errors() -> None:
    errors_unconnected()
    listener = new_socket("")
    enable(listener, "1")
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    refused("MPTCP_ENABLE_APP_KEY of a listener", errno.EINVAL, listener, ENABLE, 1)
    refused("MPTCP_KEY of a listener", errno.ENOTCONN, listener, KEY, bytes(16))
    for mode, want in ("1", 0), ("0", errno.EOPNOTSUPP):
        client = new_socket("")
        enable(client, mode)
        client.connect(listener.getsockname())
        peer = listener.accept()[0]
        client.sendall(b"x")
        peer.recv(1)
        refused("MPTCP_ENABLE_APP_KEY of a connection", errno.EISCONN, client, ENABLE, 1)
        for length in 0, 15, 65:
            refused(f"MPTCP_KEY of {length} bytes", errno.EINVAL, client, KEY, bytes(length))
        for end, sock in ("client", client), ("server", peer):
            refused(
                f"MPTCP_KEY, the client asks: {mode}, {end}",
                want,
                sock,
                KEY,
                bytes(64 if end == "client" else 16),
            )
        if mode == "1":
            refused("MPTCP_KEY a second time", errno.EALREADY, client, KEY, bytes(64))
        client.close()
        peer.close()


def syns(sniffer: socket.socket, port: int) -> Iterator[tuple[float, bool]]:
    """When one goes out to that port, and whether it joins."""
    while True:
        packet, (_, protocol, kind, *_) = sniffer.recvfrom(200)
        now = time.monotonic()
        if (protocol, kind) != (ETH_P_IP, socket.PACKET_OUTGOING) or packet[9] != socket.IPPROTO_TCP:
            continue
        tcp = packet[4 * (packet[0] & 15) :]
        if struct.unpack_from("!H", tcp, 2)[0] == port and tcp[13] & 0x12 == 2:
            yield now, MP_JOIN_SYN in tcp[20:]


def watch(port: str) -> None:
    sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    report("watching", 1)
    first = 0.0
    for at, joins in syns(sniffer, int(port)):
        first = first or at
        if joins:
            report("join", f"{1000 * (at - first):.2f}")
            return


def main() -> None:
    {"serve": serve, "connect": connect, "errors": errors, "watch": watch}[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
