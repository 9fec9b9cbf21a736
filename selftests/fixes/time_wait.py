# SPDX-License-Identifier: GPL-2.0
"""Connections, one after the other, whose server closes first and whose client closes some time later.

usage: time_wait.py serve (tcp|mptcp) | connect (tcp|mptcp) ADDRESS COUNT [SECONDS [linger]]

With "linger" close() waits until the peer has all; it prints how many milliseconds the last one took.
"""

import socket
import struct
import sys
import time

PROTOCOLS = {"tcp": socket.IPPROTO_TCP, "mptcp": 262}
PORT, BYTES, LATER = 5000, 3_000_000, 0.3


def serve(protocol: int) -> None:
    """The active closer: it answers, and closes."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", PORT))
    listener.listen(16)
    print("listening", flush=True)
    while True:
        peer, _ = listener.accept()
        with peer:
            peer.recv(1)
            peer.sendall(bytes(BYTES))


def connect(protocol: int, address: str, count: int, later: float = LATER, linger: bool = False) -> None:
    """The passive closer: it reads to the end, and closes when its peer has long done so."""
    begin = 0.0
    for _ in range(count):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as own:
            own.connect((address, PORT))
            own.sendall(b"?")
            got = 0
            while data := own.recv(65536):
                got += len(data)
            if got != BYTES:
                sys.exit(f"{got} bytes of {BYTES} arrived")
            if linger:
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 10))
            time.sleep(later)
            begin = time.monotonic()
    if linger:
        print(round((time.monotonic() - begin) * 1000))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(PROTOCOLS[sys.argv[2]])
    else:
        hold = map(float, sys.argv[5:6])
        linger = "linger" in sys.argv
        connect(PROTOCOLS[sys.argv[2]], sys.argv[3], int(sys.argv[4]), *hold, linger=linger)
