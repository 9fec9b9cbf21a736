# SPDX-License-Identifier: GPL-2.0
"""Both ends of writer-woken.sh: write until there is an error, and once more."""

import errno
import socket
import sys

MPTCP = 262


def error_of(connection: socket.socket) -> str:
    """The name of the error with which writing ends."""
    try:
        while True:
            connection.sendall(bytes(65536))
    except OSError as error:
        return errno.errorcode[error.errno or 0]


def main() -> None:
    """serve, or write ADDRESS"""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP) as one:
        if sys.argv[1] == "serve":
            one.bind(("", 7000))
            one.listen()
            accepted, _ = one.accept()
            while accepted.recv(65536):
                pass
        else:
            one.connect((sys.argv[2], 7000))
            print(error_of(one), error_of(one))


main()
