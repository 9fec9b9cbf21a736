# SPDX-License-Identifier: GPL-2.0
"""How many sockets there are, says the kernel, when a listener's backlog is changed."""

from __future__ import annotations

from pathlib import Path

from ends import Ends, main, new_socket
from hand import Check


def sockets() -> int:
    for line in Path("/proc/net/protocols").read_text().splitlines():
        name, _, count, *_ = line.split()
        if name == "MPTCP":
            return int(count)
    raise LookupError("no MPTCP in /proc/net/protocols")


def check(_: Ends) -> Check:
    before = sockets()
    with new_socket() as listener:
        listener.bind(("0.0.0.0", 0))
        for backlog in (1, 10, 100):
            listener.listen(backlog)
            yield sockets() == before + 1, f"backlog {backlog}: one more socket", f"{sockets() - before}"
    yield sockets() == before, "and none when it is closed", f"{sockets() - before} more"


if __name__ == "__main__":
    main(check)
