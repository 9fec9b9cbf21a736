# SPDX-License-Identifier: GPL-2.0
"""A socket whose first connect() was refused connects again. Then its only path goes dark, and it writes.

usage: connect_again.py ADDRESS SCHEDULER; the server listens at 5000, nobody at 9. The path goes dark between
"connected" and the line that is read.
"""

from __future__ import annotations

import socket
import sys
import time

IPPROTO_MPTCP, SOL_MPTCP, MPTCP_SCHEDULER = 262, 284, 43


def main() -> None:
    address, scheduler = sys.argv[1:]
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP) as sock:
        if not sock.connect_ex((address, 9)):
            raise SystemExit("somebody listens there")
        sock.connect((address, 5000))
        sock.setsockopt(SOL_MPTCP, MPTCP_SCHEDULER, scheduler.encode())
        sock.sendall(bytes(1000))
        time.sleep(0.5)
        print("connected", flush=True)
        sys.stdin.readline()
        # in flight when TCP gives up; nothing is to be decided until then
        for _ in range(2):
            sock.sendall(bytes(1000))
            time.sleep(5)
    print("goes on")


if __name__ == "__main__":
    main()
