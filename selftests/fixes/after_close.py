# SPDX-License-Identifier: GPL-2.0
"""At close() there is more in the send buffer than goes in 60 s."""

from __future__ import annotations

import socket

from conformance.wire import PORT
from ends import Ends, main, new_socket, output
from hand import Check

SO_SNDBUFFORCE = 32
SIZE = 4_000_000
BUFFER = 8_000_000


def check(ends: Ends) -> Check:
    shaped = "rate", "200kbit", "delay", "5ms", "limit", "20"
    output("tc", "qdisc", "replace", "dev", "c1", "root", "netem", *shaped)
    conn, waiting = new_socket(), ends.listener()
    conn.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER)
    conn.connect((ends.server, PORT))
    program = waiting.accept()[0]
    conn.sendall(bytes(SIZE))
    conn.close()
    got, error = 0, ""
    try:
        while data := program.recv(1 << 20):
            got += len(data)
    except OSError as failed:
        error = str(failed)
    yield (
        got == SIZE and not error,
        "all arrives, and then the end",
        f"{got} bytes, then {error or 'the end'}",
    )


if __name__ == "__main__":
    main(check)
