# SPDX-License-Identifier: MIT
"""What all programs inside the guest share: sockets, and what the kernel says of them."""

from __future__ import annotations

import contextlib
import ctypes
import random
import select
import signal
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

IPPROTO_MPTCP, SOL_MPTCP = 262, 284
MPTCP_INFO, MPTCP_TCPINFO, MPTCP_SUBFLOW_ADDRS = 1, 2, 3
TCP_NOTSENT_LOWAT = 25
TICK = 0.1  # seconds between samples
TCP_INFO_SIZE, ADDRS_SIZE, MOST_SUBFLOWS = 232, 256, 9
LIBC = ctypes.CDLL(None)

Config = dict[str, Any]


LISTENERS: list[socket.socket] = []  # open to the end: further subflows come to them, too


class Enough(Exception):
    """The main flows are done: say what came of it so far."""


def stop(*_: object) -> None:
    """Of signals."""
    raise Enough


def protocol(c: Config) -> int:
    return IPPROTO_MPTCP if c["protocol"] == "mptcp" else socket.IPPROTO_TCP


def _socket(c: Config) -> socket.socket:
    family = socket.AF_INET6 if c["family"] == 6 else socket.AF_INET
    return socket.socket(family, socket.SOCK_STREAM, protocol(c))


def _with_options(made: socket.socket, c: Config) -> socket.socket:
    if c.get("notsent"):
        made.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, c["notsent"])
    if c.get("nodelay"):
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def listener(c: Config) -> socket.socket:
    made = _socket(c)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("", c["port"]))
    made.listen(128)
    LISTENERS.append(made)
    return made


def wait(c: Config) -> None:
    """Until it is time to begin: flows that share a network do not begin at the same instant."""
    time.sleep(c.get("delay", 0) + random.uniform(0, c.get("stagger", 0)))


def connect(c: Config) -> socket.socket:
    made = _with_options(_socket(c), c)
    made.connect((c["address"], c["port"]))
    return made


def connection(c: Config) -> socket.socket:
    if c["listen"]:
        return _with_options(listener(c).accept()[0], c)
    wait(c)
    return connect(c)


def _tcp_info(raw: bytes) -> dict[str, int]:
    """What of struct tcp_info is of use: window in segments, times in us."""
    rtt, cwnd = struct.unpack_from("=I", raw, 68)[0], struct.unpack_from("=I", raw, 80)[0]
    sent, retrans = struct.unpack_from("=QQ", raw, 200)
    return {"cwnd": cwnd, "srtt_us": rtt, "sent": sent, "retrans": retrans}


def _route(raw: bytes) -> int:
    """The number of the route in a client's address: 10.n.1.1, 10.n.3.1 for 256 + n, or fd00:n:1::1."""
    if struct.unpack_from("=H", raw)[0] == socket.AF_INET:
        return raw[5] + (raw[6] - 1) // 2 * 256
    mapped = raw[8:20] == bytes(10) + b"\xff\xff"
    return raw[21] if mapped else struct.unpack_from("!H", raw, 10)[0]


def _subflow_option(connection: socket.socket, option: int, size: int) -> list[bytes]:
    """An array with an entry per subflow."""
    head = struct.pack("=IIII", 16, 0, 0, size)
    raw = bytearray(head + bytes(size * MOST_SUBFLOWS))
    got = _getsockopt_in_out(connection, option, raw)
    count, per_entry = struct.unpack_from("=I", got, 4)[0], min(size, len(got))
    return [bytes(got[16 + i * per_entry : 16 + (i + 1) * per_entry]) for i in range(count)]


def _getsockopt_in_out(connection: socket.socket, option: int, raw: bytearray) -> bytes:
    """getsockopt() whose buffer is read by the kernel too, which Python's own cannot do."""
    buffer = (ctypes.c_char * len(raw)).from_buffer(raw)
    length = ctypes.c_uint32(len(raw))
    status = LIBC.getsockopt(connection.fileno(), SOL_MPTCP, option, buffer, ctypes.byref(length))
    return bytes(raw[: length.value]) if status == 0 else bytes(16)


def subflows(connection: socket.socket, c: Config) -> list[dict[str, int]]:
    """State of each subflow, with the number of its route; plain TCP has one."""
    if c["protocol"] == "tcp":
        raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_SIZE)
        return [{"route": c["route"], **_tcp_info(raw)}]
    infos = _subflow_option(connection, MPTCP_TCPINFO, TCP_INFO_SIZE)
    ends = _subflow_option(connection, MPTCP_SUBFLOW_ADDRS, ADDRS_SIZE)
    # not the server's address: a subflow that comes later may go to its first one
    client = 128 if c["listen"] else 0
    pairs = zip(infos, ends, strict=False)
    return [{"route": _route(end[client:]), **_tcp_info(info)} for info, end in pairs]


def every_tick(sample: Callable[[], None], tick: float = TICK) -> None:
    signal.signal(signal.SIGALRM, lambda *_: sample())
    signal.setitimer(signal.ITIMER_REAL, tick, tick)


def stop_ticks() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)


def trace_subflows(connection: socket.socket, c: Config, trace: list[Any]) -> None:
    """Their state at each tick."""

    def sample() -> None:
        with contextlib.suppress(OSError):
            trace.append([time.monotonic(), subflows(connection, c)])

    every_tick(sample)


def totals(connection: socket.socket, c: Config) -> dict[str, int]:
    """The connection's own counters, in bytes."""
    if c["protocol"] == "tcp":
        return {}
    try:
        raw = connection.getsockopt(SOL_MPTCP, MPTCP_INFO, 104)
    except OSError:  # it fell back to TCP
        return {}
    if len(raw) < 80:
        return {}
    retransmitted, sent = struct.unpack_from("=QQ", raw, 48)
    return {"connection_bytes_sent": sent, "connection_bytes_retransmitted": retransmitted}


def receive_whole(connection: socket.socket, buffer: bytearray) -> bool:
    """Fill the buffer. A socket with a time limit does not wait for all of it by itself."""
    view, got = memoryview(buffer), 0
    while got < len(buffer):
        count = connection.recv_into(view[got:])
        if not count:
            return False
        got += count
    return True


class Writer:
    """Writes as much as the socket takes; with TCP_NOTSENT_LOWAT as programs use it: the socket
    says when it wants more."""

    def __init__(self, connection: socket.socket, c: Config) -> None:
        self._connection, self._asks = connection, None
        if c.get("notsent"):
            self._asks = select.poll()
            self._asks.register(connection, select.POLLOUT)
            connection.setblocking(False)

    def wait(self) -> None:
        if self._asks:
            self._asks.poll()

    def write(self, data: bytes) -> None:
        if not self._asks:
            self._connection.sendall(data)
            return
        rest = memoryview(data)
        while rest:
            self.wait()
            with contextlib.suppress(BlockingIOError):
                rest = rest[self._connection.send(rest) :]
