# SPDX-License-Identifier: MIT
"""Many idle connections, and others that come and go, over the loopback device."""

from __future__ import annotations

import resource
import socket
from pathlib import Path

from .connections import Config, protocol

FILES = 100_000  # that a process may have open
SETTINGS = {"net/ipv4/ip_local_port_range": "1024 65000", "fs/nr_open": str(FILES)}
PORT, ADDRESSES = 5001, 200  # of the server: TIME-WAIT keeps ports, and there are not enough of one


def _available() -> int:
    """Bytes of memory."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) * 1024


def _plain() -> int:
    """Connections that are plain TCP, as tokens were short."""
    lines = [line.split() for line in Path("/proc/net/netstat").read_text(encoding="ascii").splitlines()]
    names, values = (line for line in lines if line[0] == "MPTcpExt:")
    return int(values[names.index("MPFallbackTokenInit")])


def crowd(c: Config) -> Config:
    """present: connections that stay; times: connections that come and go."""
    for name, value in SETTINGS.items():
        Path("/proc/sys", name).write_text(value, encoding="ascii")
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol(c))
    listener.bind(("", PORT))
    listener.listen()

    def connection(n: int) -> tuple[socket.socket, socket.socket]:
        """Both ends, after the first byte."""
        near = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol(c))
        near.connect((f"127.0.0.{1 + n % ADDRESSES}", PORT))
        far, _ = listener.accept()
        near.sendall(b"x")
        far.recv(1)
        return near, far

    connection(0)  # what is loaded and allocated once
    before = _available()
    # as numbers: objects would be most of the memory
    kept = [end.detach() for n in range(c["present"]) for end in connection(n)]
    taken, plain = before - _available(), _plain()
    for n in range(c["times"]):
        for end in connection(n):
            end.close()
    return {"bytes": taken / max(1, len(kept) // 2), "plain": plain}
