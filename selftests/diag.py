#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What inet_diag tells of established TCP sockets, a line each: the congestion control, then the
types of all attributes."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, NLMSG_DONE = 4, 20, 3
NLM_F_REQUEST_DUMP = 0x301
INET_DIAG_VEGASINFO, INET_DIAG_CONG = 3, 4
ESTABLISHED = 1 << 1
HEADER, MESSAGE = 16, 72  # of struct nlmsghdr and struct inet_diag_msg
TYPE_MASK = 0x3FFF


def records(data: bytes, layout: str) -> Iterator[tuple[int, bytes]]:
    """Type and content of what begins with its length: messages, or attributes."""
    head = struct.calcsize(layout)
    while len(data) >= head:
        length, kind = struct.unpack_from(layout, data)[:2]
        yield kind, data[head:length]
        data = data[max(head, length + 3 & ~3) :]


def dump() -> Iterator[dict[int, bytes]]:
    """The attributes of each socket."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as netlink:
        wanted = 1 << INET_DIAG_VEGASINFO - 1 | 1 << INET_DIAG_CONG - 1
        request = struct.pack("=BBBxI48x", socket.AF_INET, socket.IPPROTO_TCP, wanted, ESTABLISHED)
        header = (HEADER + len(request), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST_DUMP, 0, 0)
        netlink.send(struct.pack("=IHHII", *header) + request)
        while True:
            for kind, content in records(netlink.recv(1 << 16), "=IHHII"):
                if kind == NLMSG_DONE:
                    return
                yield {kind & TYPE_MASK: value for kind, value in records(content[MESSAGE:], "=HH")}


for attributes in dump():
    name = attributes[INET_DIAG_CONG].rstrip(b"\0").decode()
    print(name, *sorted(attributes))
