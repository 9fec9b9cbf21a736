# SPDX-License-Identifier: GPL-2.0
"""How late messages come over an MPTCP connection between two network namespaces.

usage: early.py CLIENT SERVER COUNT SIZE INTERVAL_MS LATE_MS

The client sends COUNT messages, one each INTERVAL_MS. Prints how many came, in how many of them bytes are
wrong, the delays from when each was due to when its last byte was there: median, 99th percentile and the
worst, in microseconds, and how many took longer than LATE_MS, a "key=value" per line.
"""

from __future__ import annotations

import socket
import sys
import threading
import time

from control import ADDRESS, PORT, new_socket

WARM_UP = 10  # messages that do not count: the second subflow joins meanwhile
PATTERN = bytes(i * 167 & 0xFF for i in range(256)) * 260


def message(number: int, size: int) -> bytes:
    return PATTERN[number % 251 :][:size]


def send(end: socket.socket, start: float, count: int, size: int, interval: float) -> None:
    for number in range(count):
        time.sleep(max(0.0, start + number * interval - time.monotonic()))
        end.sendall(message(number, size))
    end.shutdown(socket.SHUT_WR)


def receive(end: socket.socket, size: int) -> tuple[list[float], int]:
    """When each message was complete, and in how many bytes are wrong."""
    times: list[float] = []
    wrong, data = 0, b""
    while part := end.recv(65536):
        now = time.monotonic()
        data += part
        while len(data) >= size:
            wrong += data[:size] != message(len(times), size)
            times.append(now)
            data = data[size:]
    return times, wrong


def main() -> int:
    client, server = sys.argv[1:3]
    count, size, interval = int(sys.argv[3]) + WARM_UP, int(sys.argv[4]), float(sys.argv[5]) / 1000
    waiting = new_socket(server)
    waiting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    waiting.bind(("0.0.0.0", PORT))
    waiting.listen(1)
    near = new_socket(client)
    near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    near.connect((ADDRESS, PORT))
    far = waiting.accept()[0]
    near.sendall(bytes(1))
    far.recv(1)
    time.sleep(1)

    start = time.monotonic()
    sending = threading.Thread(target=send, args=(near, start, count, size, interval), daemon=True)
    sending.start()
    times, wrong = receive(far, size)
    delays = sorted(at - start - n * interval for n, at in enumerate(times) if n >= WARM_UP)
    print(f"came={len(delays)}\nwrong={wrong}")
    for name, part in ("p50", 0.5), ("p99", 0.99), ("worst", 1):
        print(f"{name}={round(delays[min(len(delays) - 1, int(part * len(delays)))] * 1e6)}")
    print(f"late={sum(delay > float(sys.argv[6]) / 1000 for delay in delays)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
