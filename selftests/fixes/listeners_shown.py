# SPDX-License-Identifier: GPL-2.0
"""What ss shows of listeners that share a port."""

from __future__ import annotations

import socket

from conformance.wire import PORT
from ends import Ends, main, new_socket, output
from hand import Check

LISTENERS = 8


def listener() -> socket.socket:
    new = new_socket()
    new.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    new.bind(("0.0.0.0", PORT))
    new.listen()
    return new


def check(_: Ends) -> Check:
    listeners = [listener() for _ in range(LISTENERS)]
    shown = len(output("ss", "-HMln", f"sport = :{PORT}").splitlines())
    yield shown == len(listeners), f"{LISTENERS} listeners of one port are shown", f"{shown} are"


if __name__ == "__main__":
    main(check)
