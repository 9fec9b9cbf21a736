# SPDX-License-Identifier: GPL-2.0
"""A peer that gets an ADD_ADDR and closes at once: what stays of the connection?"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

from conformance.options import ADD_ADDR
from conformance.wire import Wire, options
from hand import Check, accepted, main

from net import inside

COUNT = 10
TIMEOUT = 0.5  # of an ADD_ADDR, and more
ADDRESS = "10.0.2.2"  # the server's other one


def sockets(namespace: str) -> int:
    """That the namespace has, the freed ones apart."""
    with inside(namespace):
        line = Path("/proc/thread-self/net/sockstat").read_text().splitlines()[0]
    return int(line.split()[-1])


def announce(namespace: str) -> None:
    subprocess.run(["ip", "-n", namespace, "mptcp", "endpoint", "add", ADDRESS, "signal"], check=True)


def closed(wire: Wire, waiting: socket.socket) -> bool:
    """One more; was an address announced?"""
    peer, program = accepted(wire, waiting)
    announced = any(ADD_ADDR in options(tcp) for _, tcp in peer.stream.segments)
    peer.fastclose(0)
    time.sleep(TIMEOUT)
    program.close()
    return announced


def check(wire: Wire, waiting: socket.socket) -> Check:
    namespace = sys.argv[3]
    announce(namespace)
    before = sockets(namespace)
    announced = sum(closed(wire, waiting) for _ in range(COUNT))
    yield (
        announced == COUNT,
        "an address is announced to each",
        f"to {announced} of {COUNT}",
    )
    time.sleep(2 * TIMEOUT)
    left = sockets(namespace) - before
    yield left <= 0, "nothing of them stays", f"{left} sockets"


if __name__ == "__main__":
    main(check)
