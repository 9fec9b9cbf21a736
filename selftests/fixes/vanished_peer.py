# SPDX-License-Identifier: GPL-2.0
"""How long a program waits that has said all, and reads, when the peer does not answer any more."""

from __future__ import annotations

import contextlib
import errno
import socket
import subprocess
import threading
import time
from collections.abc import Iterator

from ends import Ends, main, output
from hand import Check

NOTHING_LEAVES = "table ip lost { chain out { type filter hook output priority 0; drop; }; }"
NO_MPTCP_COMES = """table ip lost {
    chain in { type filter hook input priority 0; tcp sport 1-65535 reset tcp option mptcp; };
}"""
# as often as TCP repeats: so long, in seconds, for a DATA_FIN
RETRIES, PATIENCE = 4, 3.0


@contextlib.contextmanager
def network(rules: str, seconds: float) -> Iterator[None]:
    """It has these rules so long."""
    subprocess.run(["nft", "-f", "-"], input=rules, text=True, check=True)
    light = threading.Timer(seconds, output, ("nft", "delete", "table", "ip", "lost"))
    light.start()
    yield
    light.join()


def end_after(ends: Ends, waiting: socket.socket, rules: str, seconds: float) -> tuple[str, float]:
    """shutdown(), and read, with these rules so long: the error, and after how many seconds."""
    conn, far = ends.connection(waiting)
    for sender, receiver in ((conn, far), (far, conn)):
        sender.sendall(b"x")
        receiver.recv(1)
    time.sleep(0.5)
    conn.settimeout(10 * PATIENCE)
    begin, end = time.monotonic(), "data"
    with network(rules, seconds), conn, far:
        try:
            conn.shutdown(socket.SHUT_WR)
            conn.recv(1)
        except OSError as error:
            # the program's own patience has no number
            end = errno.errorcode[error.errno] if error.errno else "waits"
        took = time.monotonic() - begin
    return end, took


def check(ends: Ends) -> Check:
    output("sysctl", "-w", f"net.ipv4.tcp_retries2={RETRIES}")
    waiting = ends.listener()
    got = end_after(ends, waiting, NOTHING_LEAVES, 10 * PATIENCE)
    right = got[0] == "ETIMEDOUT" and PATIENCE <= got[1] < 3 * PATIENCE
    yield right, "a peer that is gone: ETIMEDOUT", f"{got}"
    got = end_after(ends, waiting, NOTHING_LEAVES, PATIENCE / 2)
    yield got[0] == "waits", "one that comes back is waited for", f"{got}"
    got = end_after(ends, waiting, NO_MPTCP_COMES, 10 * PATIENCE)
    yield got[0] == "waits", "and one whose TCP answers", f"{got}"


if __name__ == "__main__":
    main(check)
