# SPDX-License-Identifier: GPL-2.0
"""Requests over a connection whose regular path dies, between two network namespaces.

usage: backup.py CLIENT SERVER

The second subflow is a backup. The client sends a request, waits until it has arrived and was acknowledged,
and sends the next one: nothing is on its way then.

Prints "arrived=REQUESTS" and "worst_ms=MS".
"""

from __future__ import annotations

import sys
import time

from control import pair
from rescue import dark, echo

REQUESTS, SIZE = 8, 2000
PATIENCE = 60  # for each, in s
ACKNOWLEDGED = 0.1  # after so many s


def main() -> int:
    client, server = sys.argv[1:3]
    near, far = pair(client, server)
    echo(near, far, bytes(1))
    time.sleep(1)  # the second subflow joins
    echo(near, far, bytes(SIZE))
    dark(client, server)
    far.settimeout(PATIENCE)
    worst = arrived = 0
    while arrived < REQUESTS:
        start, left = time.monotonic(), SIZE
        near.sendall(bytes(SIZE))
        try:
            while left:
                left -= len(far.recv(left))
        except TimeoutError:
            break
        worst = max(worst, round((time.monotonic() - start) * 1000))
        arrived += 1
        time.sleep(ACKNOWLEDGED)
    print(f"arrived={arrived}\nworst_ms={worst}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
