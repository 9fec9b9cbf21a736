# SPDX-License-Identifier: GPL-2.0
"""A reset connection after its error was told: MPTCP that fell back beside TCP."""

from __future__ import annotations

import select
import socket
import threading
import time

from ends import Ends, main, reset
from hand import Check

ENDED = select.POLLIN | select.POLLRDHUP


def outcome(conn: socket.socket) -> str:
    try:
        return f"{conn.recv(1)!r}"
    except OSError as failed:
        return type(failed).__name__


def check(ends: Ends) -> Check:
    waiting = ends.listener()
    for name, (conn, peer) in {
        "TCP": ends.connection(waiting, socket.IPPROTO_TCP),
        "after a fallback": ends.plain(),
    }.items():
        # one thread writes more than the peer takes, the other one reads first when the reset comes
        writer = threading.Thread(target=write, args=(conn,), daemon=True)
        told: list[str] = []
        reader = threading.Thread(target=lambda to=told, of=conn: to.append(outcome(of)), daemon=True)
        reader.start()
        writer.start()
        time.sleep(1)
        reset(peer)
        reader.join(2)
        writer.join(2)
        yield not writer.is_alive(), f"{name}: the writer is woken", "it still waits"
        again = [outcome(conn), outcome(conn)]
        yield again[-1] == "b''", "recv() says that this is the end", f"{told}, then {again}"
        poll = select.poll()
        poll.register(conn, ENDED)
        events = dict(poll.poll(0)).get(conn.fileno(), 0)
        yield events & ENDED == ENDED, "and so does poll()", f"{events:#x}"


def write(conn: socket.socket) -> None:
    try:
        while True:
            conn.send(bytes(1 << 20))
    except OSError:
        pass


if __name__ == "__main__":
    main(check)
