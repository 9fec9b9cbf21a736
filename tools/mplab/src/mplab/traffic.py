# SPDX-License-Identifier: MIT
"""Both ends of a connection. Runs inside the guest, alone: the standard library only.

usage: traffic.py JSON, with what to do:
    role       one of ROLES below
    protocol   tcp or mptcp
    listen     true: wait for the peer; else connect to it
    address, port, family
    out        file for what came of it, as JSON
and what the role needs (seconds, bytes, bytes per second). Times are the guest's monotonic clock,
which both ends share.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import random
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

IPPROTO_MPTCP, SOL_MPTCP = 262, 284
MPTCP_INFO, MPTCP_TCPINFO, MPTCP_SUBFLOW_ADDRS = 1, 2, 3
SO_MEMINFO = 55
TICK = 0.1  # seconds between samples
TCP_INFO_SIZE, ADDRS_SIZE, MOST_SUBFLOWS = 232, 256, 9
BARRIER = "/run/barrier"  # of all processes of a guest, whatever their network namespace
SETTLE = 0.5  # seconds for a connection's subflows to come up
LENGTH = struct.Struct("=I")
STAMP = struct.Struct("=Q")  # a block begins with the time it was due, in ns
LIBC = ctypes.CDLL(None)

Config = dict[str, Any]


LISTENERS: list[socket.socket] = []  # open to the end: further subflows come to them, too


def _socket(c: Config) -> socket.socket:
    family = socket.AF_INET6 if c["family"] == 6 else socket.AF_INET
    protocol = IPPROTO_MPTCP if c["protocol"] == "mptcp" else socket.IPPROTO_TCP
    return socket.socket(family, socket.SOCK_STREAM, protocol)


def _listener(c: Config) -> socket.socket:
    listener = _socket(c)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("", c["port"]))
    listener.listen()
    LISTENERS.append(listener)
    return listener


def _connection(c: Config) -> socket.socket:
    if c["listen"]:
        return _listener(c).accept()[0]
    time.sleep(c.get("delay", 0) + random.uniform(0, c.get("stagger", 0)))
    connection = _socket(c)
    connection.connect((c["address"], c["port"]))
    return connection


def _tcp_info(raw: bytes) -> dict[str, int]:
    """What of struct tcp_info is of use: window in segments, times in us."""
    rtt, cwnd = struct.unpack_from("=I", raw, 68)[0], struct.unpack_from("=I", raw, 80)[0]
    sent, retrans = struct.unpack_from("=QQ", raw, 200)
    return {"cwnd": cwnd, "srtt_us": rtt, "sent": sent, "retrans": retrans}


def _route(raw: bytes) -> int:
    """The number of the route in a client's address: 10.n.1.1 or fd00:n:1::1."""
    if struct.unpack_from("=H", raw)[0] == socket.AF_INET:
        return raw[5]
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


def _subflows(connection: socket.socket, c: Config) -> list[dict[str, int]]:
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


def _every_tick(sample: Callable[[], None]) -> None:
    signal.signal(signal.SIGALRM, lambda *_: sample())
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)


def _stop_ticks() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)


def _trace_subflows(connection: socket.socket, c: Config, trace: list[Any]) -> None:
    def sample() -> None:
        with contextlib.suppress(OSError):
            trace.append([time.monotonic(), _subflows(connection, c)])

    _every_tick(sample)


def _totals(connection: socket.socket, c: Config) -> dict[str, int]:
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


def send_bulk(c: Config) -> Config:
    """Send as much as goes for `seconds`, or until the receiver has enough."""
    connection, trace, block = _connection(c), [], bytes(1 << 18)
    start = time.monotonic()
    _trace_subflows(connection, c, trace)
    with contextlib.suppress(ConnectionError):
        while time.monotonic() < start + c["seconds"]:
            connection.sendall(block)
    _stop_ticks()
    return {"start": start, "trace": trace, "totals": _totals(connection, c)}


def receive_bulk(c: Config) -> Config:
    """Receive for `seconds`; a sample is time, bytes so far, memory in use, its limit."""
    connection = _connection(c)
    start, got, samples = time.monotonic(), 0, []

    def sample() -> None:
        memory = struct.unpack("=9I", connection.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))
        samples.append([time.monotonic(), got, memory[0], memory[1]])
        if samples[-1][0] >= start + c["seconds"]:
            raise TimeoutError

    _every_tick(sample)
    buffer = bytearray(1 << 17)
    with contextlib.suppress(TimeoutError, ConnectionError):
        while count := connection.recv_into(buffer):
            got += count
    _stop_ticks()
    return {"start": start, "samples": samples}


def send_blocks(c: Config) -> Config:
    """`size` bytes at a constant rate, stamped with the time they were due.

    Rate 0 is as fast as it goes, stamped when the socket takes them.
    """
    connection, trace, rest = _connection(c), [], bytes(c["size"] - STAMP.size)
    start, sent = time.monotonic(), 0
    _trace_subflows(connection, c, trace)
    interval = c["size"] / c["rate"] if c["rate"] else 0.0
    while (due := start + sent * interval if interval else time.monotonic()) < start + c["seconds"]:
        time.sleep(max(due - time.monotonic(), 0))
        connection.sendall(STAMP.pack(int(due * 1e9)) + rest)
        sent += 1
    _stop_ticks()
    connection.shutdown(socket.SHUT_WR)
    return {"start": start, "sent": sent, "trace": trace, "totals": _totals(connection, c)}


def receive_blocks(c: Config) -> Config:
    """Per block, when it was due and how long it took, in us."""
    connection, buffer = _connection(c), bytearray(c["size"])
    start, due, delay = time.monotonic(), [], []
    connection.settimeout(c["patience"])
    with contextlib.suppress(TimeoutError, ConnectionError):
        while _receive_whole(connection, buffer):
            stamp = STAMP.unpack_from(buffer)[0]
            due.append(round(stamp / 1e3 - start * 1e6))
            delay.append(round((time.monotonic_ns() - stamp) / 1e3))
    return {"start": start, "due_us": due, "delay_us": delay}


def _receive_whole(connection: socket.socket, buffer: bytearray) -> bool:
    """Fill the buffer. A socket with a time limit does not wait for all of it by itself."""
    view, got = memoryview(buffer), 0
    while got < len(buffer):
        count = connection.recv_into(view[got:])
        if not count:
            return False
        got += count
    return True


def respond(c: Config) -> Config:
    """Answer each connection with `size` bytes."""
    listener, answer = _listener(c), bytes(c["size"])
    for _ in range(c["count"]):
        connection = listener.accept()[0]
        connection.recv(1)
        with contextlib.suppress(ConnectionError):
            connection.sendall(answer)
        connection.close()
    return {}


def request(c: Config) -> Config:
    """Time from connect() to the last byte of the answer, `count` times, a pause after each."""
    took = []
    for _ in range(c["count"]):
        start, got = time.monotonic(), 0
        with _connection(c) as connection:
            connection.send(b"?")
            while count := len(connection.recv(1 << 16)):
                got += count
        if got == c["size"]:
            took.append(time.monotonic() - start)
        time.sleep(c["pause"])
    return {"took": took}


def answer(c: Config) -> Config:
    """Answer each request with as many bytes as it asks for, over one connection."""
    trace, request = [], bytearray(LENGTH.size)
    with _connection(c) as connection:
        while _receive_whole(connection, request):
            connection.sendall(bytes(LENGTH.unpack(request)[0]))
            trace = [[time.monotonic(), _subflows(connection, c)]]
        return {"trace": trace, "totals": _totals(connection, c)}


def ask(c: Config) -> Config:
    """Ask for `size` bytes together with all others, `rounds` times.

    When each round began, and the last one ended; how long the own answer took.
    """
    rounds, took = [], []

    def receive(size: int) -> bool:
        connection.send(LENGTH.pack(size))
        return _receive_whole(connection, bytearray(size))

    def wait_for_all() -> None:
        barrier.send(b"!")
        barrier.recv(1)
        rounds.append(time.monotonic())

    with _connection(c) as connection, socket.socket(socket.AF_UNIX) as barrier:
        barrier.connect(BARRIER)
        receive(1)  # what the peer needs before it lets further subflows join
        time.sleep(SETTLE)
        wait_for_all()
        for _ in range(c["rounds"]):
            if receive(c["size"]):
                took.append(time.monotonic() - rounds[-1])
            wait_for_all()
    return {"rounds": rounds, "took": took}


def barrier(c: Config) -> Config:
    """Let `count` processes go on together, as often as they want."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(BARRIER)
        listener.listen(c["count"])
        peers = [listener.accept()[0] for _ in range(c["count"])]
    while all([peer.recv(1) for peer in peers]):
        for peer in peers:
            peer.send(b"!")
    for peer in peers:
        peer.close()
    return {}


ROLES = {
    role.__name__: role
    for role in (
        *(send_bulk, receive_bulk, send_blocks, receive_blocks),
        *(respond, request, answer, ask, barrier),
    )
}


def main() -> None:
    config = json.loads(sys.argv[1])
    result = ROLES[config["role"]](config)
    with open(config["out"], "w", encoding="utf-8") as file:  # noqa: PTH123 (no pathlib: slow)
        json.dump(result, file)


if __name__ == "__main__":
    main()
