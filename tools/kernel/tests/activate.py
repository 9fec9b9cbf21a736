#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What systemd does with a socket unit and its service, for programs-test.sh: a guest has no systemd.

usage: activate.py ROOT NAME    with ROOT/etc/systemd/system/NAME.socket and NAME.service
"""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

PROTOCOLS = {"": socket.IPPROTO_TCP, "mptcp": 262}
FIRST = 3  # descriptor that a service gets


def settings(unit: Path) -> dict[str, str]:
    lines = (line.partition("=") for line in unit.read_text().splitlines() if not line.startswith("["))
    return {key.strip(): value.strip() for key, _, value in lines}


def main() -> None:
    root, name = sys.argv[1:]
    units = Path(root, "etc/systemd/system")
    of_socket, of_service = (settings(units / f"{name}.{kind}") for kind in ("socket", "service"))
    address, _, port = of_socket["ListenStream"].rpartition(":")
    listener = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, PROTOCOLS[of_socket.get("SocketProtocol", "")]
    )
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, int(port)))
    listener.listen(128)
    os.chroot(root)
    os.chdir("/")
    if after := of_socket.get("ExecStartPost"):
        subprocess.run(shlex.split(after), check=True)
    os.dup2(listener.fileno(), FIRST)
    os.set_inheritable(FIRST, True)  # it may have had that number before
    program = shlex.split(of_service["ExecStart"])
    os.execve(program[0], program, {**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())})


if __name__ == "__main__":
    main()
