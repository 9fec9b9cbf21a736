# SPDX-License-Identifier: GPL-2.0
"""Two ends of a connection with a control stream, each in its network namespace.

usage: control.py CLIENT SERVER WHAT [ARGUMENT]

mix SECONDS     data and TLVs both ways all along, each byte compared
options         socket options and their errors
removed         connect, write a byte each way, open the stream if there is one, print "ready"; at a
                line on standard input, print how many more subflows both ends have
first WHO       how long the first TLV of "near" or "far" takes, where no byte of data was sent
memory          TLVs that nobody reads: who pays for them, and what comes when memory is short
unread          data beside a TLV that nobody reads: when it is acknowledged
hold            connect, write, and wait for the end of standard input
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import random
import select
import socket
import statistics
import struct
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

MPTCP, SOL_MPTCP = 262, 284
INFO, CONTROL, SEND, RECV = 1, 51, 52, 53
KEY, OWN = 4, 0x8000
AGREED, OPEN = 3, 4
PORT, ADDRESS = 5000, "10.0.1.2"
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def new_socket(namespace: str) -> socket.socket:
    """Of that network namespace."""
    with Path("/proc/self/ns/net").open() as home, Path("/run/netns", namespace).open() as there:
        libc.setns(there.fileno(), CLONE_NEWNET)
        try:
            return socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP)
        finally:
            libc.setns(home.fileno(), CLONE_NEWNET)


def waiting(namespace: str, control: int | None = None) -> socket.socket:
    new = new_socket(namespace)
    new.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if control is not None:
        new.setsockopt(SOL_MPTCP, CONTROL, control)
    new.bind(("0.0.0.0", PORT))
    new.listen(10)
    return new


def pair(client: str, server: str, **wanted: int) -> tuple[socket.socket, socket.socket]:
    """Both ends of a new connection; control: MPTCP_CONTROL of both."""
    for old in kept:
        old.close()
    kept.clear()
    listening = waiting(server, wanted.get("control"))
    near = new_socket(client)
    if "control" in wanted:
        near.setsockopt(SOL_MPTCP, CONTROL, wanted["control"])
    near.connect((ADDRESS, PORT))
    far = listening.accept()[0]
    kept.append(listening)
    return near, far


kept: list[socket.socket] = []  # Linux refuses to join without the listener


def info(end: socket.socket) -> tuple[int, ...]:
    return struct.unpack("BBBBI6Q", end.getsockopt(SOL_MPTCP, CONTROL, 100))


def state(end: socket.socket) -> int:
    return info(end)[0]


def send(end: socket.socket, kind: int, value: bytes) -> None:
    end.setsockopt(SOL_MPTCP, SEND, struct.pack("HH", kind, len(value)) + value)


def receive(end: socket.socket, room: int = 2048) -> tuple[int, bytes]:
    """Python's own does not take as much."""
    buffer, size = ctypes.create_string_buffer(max(room, 1)), ctypes.c_int(room)
    if libc.getsockopt(end.fileno(), SOL_MPTCP, RECV, buffer, ctypes.byref(size)):
        raise OSError(ctypes.get_errno(), "getsockopt")
    kind, length = struct.unpack_from("HH", buffer.raw)
    return kind, buffer.raw[4 : 4 + length]


def values(seed: int) -> Iterator[tuple[int, bytes]]:
    draw = random.Random(seed)
    while True:
        yield draw.choice([KEY, OWN, 0xFFFF]), draw.randbytes(draw.choice([0, 1, 30, 600, 1024]))


def tell(end: socket.socket, seed: int, until: float, told: list[int]) -> None:
    """One TLV after the other."""
    for kind, value in values(seed):
        while time.monotonic() < until:
            try:
                send(end, kind, value)
                told[0] += 1
                break
            except BlockingIOError:
                time.sleep(0.002)
        else:
            return


def hear(end: socket.socket, seed: int, until: float, heard: list[int]) -> None:
    """All of them, in order; heard: how many, and how many were wrong."""
    for wanted in values(seed):
        while True:
            try:
                got = receive(end)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    return
                time.sleep(0.005)
        heard[0] += 1
        heard[1] += got != wanted


def write(end: socket.socket, seed: int, until: float, sent: list[int]) -> None:
    draw = random.Random(seed)
    while time.monotonic() < until:
        end.sendall(draw.randbytes(4096))
        sent[0] += 4096
    end.shutdown(socket.SHUT_WR)


def read(end: socket.socket, seed: int, got: list[int]) -> None:
    draw, rest = random.Random(seed), b""
    while data := end.recv(65536):
        while len(rest) < len(data):
            rest += draw.randbytes(4096)
        got[0] += len(data)
        got[1] += data != rest[: len(data)]
        rest = rest[len(data) :]


def mix(client: str, server: str, seconds: str) -> Iterator[tuple[bool, str]]:
    near, far = pair(client, server)
    until = time.monotonic() + float(seconds)
    counts = [[0, 0] for _ in range(8)]
    threads = [
        threading.Thread(target=t, args=a)
        for t, a in (
            (tell, (near, 1, until, counts[0])),
            (hear, (far, 1, until + 60, counts[1])),
            (tell, (far, 2, until, counts[2])),
            (hear, (near, 2, until + 60, counts[3])),
            (write, (near, 3, until + 5, counts[4])),
            (read, (far, 3, counts[5])),
            (write, (far, 4, until + 5, counts[6])),
            (read, (near, 4, counts[7])),
        )
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"# {counts}")
    for sent, got, what in ((0, 1, "TLVs up"), (2, 3, "TLVs down"), (4, 5, "bytes up"), (6, 7, "bytes down")):
        right = counts[sent][0] == counts[got][0] and not counts[got][1]
        yield right and counts[got][0] > 0, f"{what}: all of them, as they were"


def error_of(call: object, *arguments: object) -> str:
    try:
        call(*arguments)  # type: ignore[operator]
    except OSError as error:
        return {errno.EOPNOTSUPP: "EOPNOTSUPP"}.get(error.errno or 0) or errno.errorcode[error.errno or 0]
    return "none"


def set_raw(end: socket.socket, option: int, value: bytes) -> None:
    end.setsockopt(SOL_MPTCP, option, value)


def options(client: str, server: str) -> Iterator[tuple[bool, str]]:
    def is_(want: str, got: str, what: str) -> tuple[bool, str]:
        return want == got, f"{what}: {want}" + ("" if want == got else f", not {got}")

    new = new_socket(client)
    yield is_("EINVAL", error_of(set_raw, new, CONTROL, struct.pack("i", 2)), "MPTCP_CONTROL 2")
    yield is_("EINVAL", error_of(set_raw, new, CONTROL, struct.pack("i", -1)), "MPTCP_CONTROL -1")
    yield is_("EINVAL", error_of(set_raw, new, CONTROL, b"\1"), "MPTCP_CONTROL of a byte")
    yield is_("ENOTCONN", error_of(send, new, OWN, b"x"), "MPTCP_CONTROL_SEND before connect()")
    yield is_("EOPNOTSUPP", error_of(receive, new), "MPTCP_CONTROL_RECV before connect()")
    new.setsockopt(SOL_MPTCP, CONTROL, 0)
    yield info(new)[:2] == (0, 0), "MPTCP_CONTROL 0 is read back"
    new.setsockopt(SOL_MPTCP, CONTROL, 1)
    yield info(new)[:2] == (0, 1), "MPTCP_CONTROL 1 is read back"
    yield len(new.getsockopt(SOL_MPTCP, CONTROL, 3)) == 3, "a short buffer gets the first bytes"
    new.close()

    near, far = pair(client, server, control=1)
    yield is_("EISCONN", error_of(near.setsockopt, SOL_MPTCP, CONTROL, 0), "MPTCP_CONTROL when connected")
    yield is_("EINVAL", error_of(send, near, 1, b"x"), "MPTCP_CONTROL_SEND of the kernel's type 1")
    yield is_("EINVAL", error_of(send, near, 0x7FFF, b"x"), "of the type 0x7fff")
    yield is_("EINVAL", error_of(set_raw, near, SEND, b"abc"), "of 3 bytes")
    short = struct.pack("HH", OWN, 5) + b"abcd"
    yield is_("EINVAL", error_of(set_raw, near, SEND, short), "of another length than it says")
    yield is_("EMSGSIZE", error_of(send, near, OWN, bytes(1025)), "of 1025 bytes")
    bad = libc.setsockopt(near.fileno(), SOL_MPTCP, SEND, ctypes.c_void_p(8), 8)
    yield bad != 0 and ctypes.get_errno() == errno.EFAULT, "of a bad address: EFAULT"
    yield is_("EAGAIN", error_of(receive, far), "MPTCP_CONTROL_RECV of nothing")
    send(near, OWN, b"y" * 1024)
    yield is_("EAGAIN", error_of(send, near, OWN, b"z"), "a second one at once")
    poll = select.poll()
    poll.register(far, select.POLLPRI)
    yield poll.poll(3000) == [(far.fileno(), select.POLLPRI)], "poll() tells of the first byte, without data"
    writable = select.poll()
    writable.register(near, select.POLLWRBAND)
    yield writable.poll(3000) == [(near.fileno(), select.POLLWRBAND)], "and the sender when it has arrived"
    send(near, OWN, b"z")
    yield writable.poll(0) == [], "not before"
    room = ctypes.c_int(2048)
    bad = libc.getsockopt(far.fileno(), SOL_MPTCP, RECV, ctypes.c_void_p(8), ctypes.byref(room))
    yield bad != 0 and ctypes.get_errno() == errno.EFAULT, "MPTCP_CONTROL_RECV to a bad address: EFAULT"
    yield is_("EMSGSIZE", error_of(receive, far, 1027), "MPTCP_CONTROL_RECV into too little")
    yield receive(far, 1028) == (OWN, b"y" * 1024), "1024 bytes arrive"
    yield poll.poll(3000) != [] and receive(far) == (OWN, b"z"), "as they were sent"
    yield poll.poll(0) == [], "then poll() tells nothing"
    time.sleep(0.2)
    yield info(near)[5:8] == (2, 0, 2) and state(near) == OPEN, "the counters tell: sent, again, arrived"
    yield info(far)[8:] == (2, 0, 0), "received, dropped, unknown"
    near.close()
    far.recv(1)
    send(far, OWN, b"half closed")
    far.close()

    near, far = pair(client, server, control=0)
    yield is_("EOPNOTSUPP", error_of(send, near, OWN, b"x"), "MPTCP_CONTROL_SEND without the stream")
    yield is_("EOPNOTSUPP", error_of(receive, near), "MPTCP_CONTROL_RECV without")
    near.connect_ex(("0.0.0.0", 0))
    near.close()
    far.close()

    near, far = pair(client, server, control=1)
    send(near, OWN, b"before")
    poll = select.poll()
    poll.register(far, select.POLLPRI)
    poll.poll(3000)
    disconnect(near)
    yield state(near) == 0 and info(near)[5] == 0, "disconnect() ends the stream"
    near.connect((ADDRESS, PORT))
    again = kept[-1].accept()[0]
    send(near, OWN, b"after")
    poll = select.poll()
    poll.register(again, select.POLLPRI)
    poll.poll(3000)
    yield receive(again) == (OWN, b"after"), "the next connection of the socket has its own"
    yield from changed_its_mind(client)


def changed_its_mind(client: str) -> Iterator[tuple[bool, str]]:
    """After connect() has failed at once, as there is no route."""
    near = new_socket(client)
    near.setsockopt(SOL_MPTCP, CONTROL, 1)
    failed = near.connect_ex(("192.0.2.1", PORT))
    near.setsockopt(SOL_MPTCP, CONTROL, 0)
    near.connect((ADDRESS, PORT))
    far = kept[-1].accept()[0]
    greet(near, far)
    right = failed == errno.ENETUNREACH and state(near) == state(far) == 0
    yield right, "what a connect() that failed has asked for is not asked for again"
    near.close()
    far.close()


def disconnect(end: socket.socket) -> None:
    """AF_UNSPEC"""
    libc.connect(end.fileno(), struct.pack("H14x", 0), 16)


def subflows(end: socket.socket) -> int:
    return end.getsockopt(SOL_MPTCP, INFO, 100)[0]


def greet(near: socket.socket, far: socket.socket) -> None:
    near.sendall(b"x")
    far.recv(1)
    far.sendall(b"y")
    near.recv(1)


def open_(near: socket.socket, far: socket.socket) -> None:
    send(far, OWN, b"open it")
    poll = select.poll()
    poll.register(near, select.POLLPRI)
    poll.poll(3000)
    receive(near)
    time.sleep(0.2)


def removed(client: str, server: str) -> Iterator[tuple[bool, str]]:
    near, far = pair(client, server)
    greet(near, far)
    for _ in range(50):
        if subflows(near) == subflows(far) == 1:
            break
        time.sleep(0.1)
    yield subflows(near) == subflows(far) == 1, f"there are two subflows ({subflows(near)}, {subflows(far)})"
    if state(far) == AGREED:
        open_(near, far)
    print("ready", flush=True)
    sys.stdin.readline()
    print(f"subflows={subflows(near)} {subflows(far)}", flush=True)
    near.close()
    far.close()


def first(client: str, server: str, who: str) -> Iterator[tuple[bool, str]]:
    near, far = pair(client, server)
    sender, receiver = (near, far) if who == "near" else (far, near)
    poll = select.poll()
    poll.register(receiver, select.POLLPRI)
    begin = time.monotonic()
    send(sender, OWN, b"first")
    poll.poll(20000)
    ms = round(1000 * (time.monotonic() - begin))
    yield receive(receiver) == (OWN, b"first"), "the first TLV arrives"
    if os.environ.get("KSFT_MACHINE_SLOW") != "yes":
        yield ms < 150, f"before a timeout: after {ms} ms, at a round-trip time of 20"


def charged(end: socket.socket) -> int:
    """Bytes of memory for what it received, as SO_MEMINFO tells."""
    return struct.unpack("9I", end.getsockopt(socket.SOL_SOCKET, 55, 36))[0]


def fill(near: socket.socket, count: int, patience_ms: int) -> int:
    """TLVs of the most bytes, one after the other: how many arrive."""
    writable = select.poll()
    writable.register(near, select.POLLWRBAND)
    writable.poll(patience_ms)
    for n in range(count):
        send(near, OWN + n, bytes([n]) * 1024)
        if not writable.poll(patience_ms):
            return n
    return count


def read_all(far: socket.socket, count: int) -> bool:
    """They come within a minute, in order."""
    poll = select.poll()
    poll.register(far, select.POLLPRI)
    return all(poll.poll(60000) and receive(far) == (OWN + n, bytes([n]) * 1024) for n in range(count))


def ballast(client: str, server: str) -> list[socket.socket]:
    """Connections whose buffers are full: what each CPU may keep in reserve, 1 MB, is no help any more."""
    listener, ends = waiting(server), []
    for _ in range(12):
        ends.append(new_socket(client))
        ends[-1].connect((ADDRESS, PORT))
        ends.append(listener.accept()[0])
        ends[-2].setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while ends[-2].send(bytes(65536)):
                pass
    listener.close()
    return ends


def memory(client: str, server: str) -> Iterator[tuple[bool, str]]:
    full = ballast(client, server)
    near, far = pair(client, server, control=1)
    greet(near, far)
    before = charged(far)
    came = fill(near, 8, 3000)
    paid = charged(far) - before
    yield came == 8 and paid >= 8 * 1024, f"8 TLVs that nobody reads are charged: {paid} bytes"
    yield read_all(far, 8), "they are read"
    yield charged(far) == before, "and their memory is given back"
    limit = Path("/proc/sys/net/ipv4/tcp_mem")
    usual = limit.read_text()
    limit.write_text("1 1 1")
    came = fill(near, 8, 3000)
    limit.write_text(usual)
    yield came == 0, f"without memory {came} of 8 come"
    for end in full:
        end.close()
    yield read_all(far, came + 1), "with it, what was dropped comes again"
    fill(near, 8, 3000)
    paid = charged(far)
    far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    far.close()
    yield paid > 8 * 1024, "the rest goes with the connection"


def unacknowledged(end: socket.socket) -> int:
    """Bytes of data, as SIOCOUTQ tells."""
    return struct.unpack("i", fcntl.ioctl(end, termios.TIOCOUTQ, bytes(4)))[0]


def answer_ms(near: socket.socket, far: socket.socket) -> float:
    """How long the acknowledgment of data takes that is read at once. Median of 20, after the segments
    that TCP acknowledges at once in any case"""
    times = []
    for _ in range(45):
        time.sleep(0.05)
        begin = time.monotonic()
        near.sendall(bytes(100))
        far.recv(100)
        while unacknowledged(near):
            time.sleep(0.001)
        times.append(1000 * (time.monotonic() - begin))
    return statistics.median(times[25:])


def unread(client: str, server: str) -> Iterator[tuple[bool, str]]:
    near, far = pair(client, server, control=1)
    greet(near, far)
    alone = answer_ms(near, far)
    fill(near, 1, 3000)
    beside = answer_ms(near, far)
    right = beside < alone + 20 or os.environ.get("KSFT_MACHINE_SLOW") == "yes"
    yield right, f"a TLV that nobody reads delays no acknowledgment: {alone:.0f} ms, {beside:.0f} ms"


def hold(client: str, server: str) -> Iterator[tuple[bool, str]]:
    near, far = pair(client, server)
    greet(near, far)
    print(f"states={state(near)} {state(far)}", flush=True)
    sys.stdin.readline()
    yield True, "held"


def main() -> None:
    client, server, what, *arguments = sys.argv[1:]
    tests = {test.__name__: test for test in (mix, options, removed, first, memory, unread, hold)}
    for good, line in tests[what](client, server, *arguments):
        print(f"{'ok' if good else 'not ok'} {line}", flush=True)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
