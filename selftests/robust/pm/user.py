#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A path manager in user space: one order to a connection whose net.mptcp.pm_type is 1.

user.py TOKEN join LOCAL[%DEVICE] ID REMOTE RPORT
user.py TOKEN close LOCAL LPORT REMOTE RPORT
user.py TOKEN backup|regular LOCAL LPORT REMOTE RPORT
user.py TOKEN announce LOCAL ID
user.py TOKEN withdraw ID

TOKEN is hexadecimal, as "ip mptcp monitor" shows it. A refused order prints the error's name.
"""

import errno
import ipaddress
import os
import socket
import struct
import sys

NETLINK_GENERIC = 16
NLMSG_ERROR, NLM_F_REQUEST, NLM_F_ACK = 2, 1, 4
NLA_F_NESTED = 0x8000
GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 16, 3, 1, 2
SET_FLAGS, ANNOUNCE, REMOVE, SUBFLOW_CREATE, SUBFLOW_DESTROY = 7, 8, 9, 10, 11
PM_ADDR, PM_TOKEN, PM_LOC_ID, PM_ADDR_REMOTE = 1, 4, 5, 6
ADDR_FAMILY, ADDR_ID, ADDR_4, ADDR_6, ADDR_PORT, ADDR_FLAGS, ADDR_IF_IDX = 1, 2, 3, 4, 5, 6, 7
FLAG_SIGNAL, FLAG_SUBFLOW, FLAG_BACKUP = 1, 2, 4


def attribute(kind: int, value: bytes) -> bytes:
    """A netlink attribute, padded."""
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def address(kind: int, text: str, **more: int) -> bytes:
    """A nested address, with "identifier", "port" or "flags" where they are given."""
    text, _, device = text.partition("%")
    ip = ipaddress.ip_address(text)
    family, holder = (socket.AF_INET, ADDR_4) if ip.version == 4 else (socket.AF_INET6, ADDR_6)
    nested = attribute(ADDR_FAMILY, struct.pack("=H", family)) + attribute(holder, ip.packed)
    if device:
        nested += attribute(ADDR_IF_IDX, struct.pack("=i", socket.if_nametoindex(device)))
    for key, number, form in (
        ("identifier", ADDR_ID, "=B"),
        ("port", ADDR_PORT, "=H"),
        ("flags", ADDR_FLAGS, "=I"),
    ):
        if key in more:
            nested += attribute(number, struct.pack(form, more[key]))
    return attribute(kind | NLA_F_NESTED, nested)


def request(link: socket.socket, family: int, command: int, attributes: bytes) -> bytes:
    """Send a request; the attributes of what is answered, if anything but an acknowledgement."""
    body = struct.pack("=BBH", command, 1, 0) + attributes
    link.send(struct.pack("=IHHII", 16 + len(body), family, NLM_F_REQUEST | NLM_F_ACK, 1, 0) + body)
    answer = b""
    while True:
        message = link.recv(65536)
        while message:
            length, kind = struct.unpack_from("=IH", message)
            if kind == NLMSG_ERROR:
                error = -struct.unpack_from("=i", message, 16)[0]
                if error:
                    raise OSError(error, os.strerror(error))
                return answer
            answer, message = message[20:length], message[length + -length % 4 :]


def family_of(link: socket.socket, name: str) -> int:
    """The number under which a generic netlink family is known."""
    answer = request(
        link, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, attribute(CTRL_ATTR_FAMILY_NAME, name.encode() + b"\0")
    )
    while answer:
        length, kind = struct.unpack_from("=HH", answer)
        if kind == CTRL_ATTR_FAMILY_ID:
            return struct.unpack_from("=H", answer, 4)[0]
        answer = answer[length + -length % 4 :]
    raise OSError(errno.ENOENT, f"no family {name}")


def order(what: str, args: list[str]) -> tuple[int, bytes]:
    """The command and its attributes, but for the token."""
    if what == "withdraw":
        return REMOVE, attribute(PM_LOC_ID, struct.pack("=B", int(args[0])))
    if what == "announce":
        return ANNOUNCE, address(PM_ADDR, args[0], identifier=int(args[1]), flags=FLAG_SIGNAL)
    local, number, remote, port = args[0], int(args[1]), args[2], int(args[3])
    peer = address(PM_ADDR_REMOTE, remote, port=port)
    if what == "join":
        return SUBFLOW_CREATE, address(PM_ADDR, local, identifier=number, flags=FLAG_SUBFLOW) + peer
    if what == "close":
        return SUBFLOW_DESTROY, address(PM_ADDR, local, port=number) + peer
    flags = {"backup": FLAG_BACKUP, "regular": 0}[what]
    return SET_FLAGS, address(PM_ADDR, local, port=number, flags=flags) + peer


def main() -> int:
    """Give the order."""
    token, what, *args = sys.argv[1:]
    command, attributes = order(what, args)
    attributes += attribute(PM_TOKEN, struct.pack("=I", int(token, 16)))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC) as link:
        link.bind((0, 0))
        try:
            request(link, family_of(link, "mptcp_pm"), command, attributes)
        except OSError as error:
            print(errno.errorcode.get(error.errno or 0, error))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
