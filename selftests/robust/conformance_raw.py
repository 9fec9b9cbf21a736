#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What does the server answer to an MP_JOIN that is wrong (RFC 8684, section 3.2)?

usage: conformance_raw.py SERVER SOURCE

Opens an MPTCP connection to port 5000 of SERVER, reads the keys off the wire, and joins it by
hand from SOURCE: an IPv4 address that the server reaches here, but that this host does not have.
Prints "ok WHAT" or "not ok WHAT" as conformance.py does.
"""

from __future__ import annotations

import hashlib
import hmac
import socket
import struct
import sys
import time
from collections.abc import Callable

import dpkt

PORT, IPPROTO_MPTCP, ETH_P_ALL = 5000, 262, 3
SYN, RST, ACK = 2, 4, 16
JOIN, TCPRST, CAPABLE = 1, 8, 0
MPTCP_ERROR = 1


def options(segment: dpkt.tcp.TCP) -> dict[int, bytes]:
    found = {}
    for kind, body in dpkt.tcp.parse_opts(segment.opts):
        if kind == 30:
            found[body[0] >> 4] = body
    return found


class Wire:
    """Sends segments from the address, and sees what is on the wire."""

    def __init__(self, server: str, source: str) -> None:
        self.server, self.source = server, source
        self.sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        self.sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)

    def send(self, port: int, flags: int, seq: int, ack: int, opts: bytes) -> None:
        opts += b"\x01" * (-len(opts) % 4)
        tcp = dpkt.tcp.TCP(sport=port, dport=PORT, seq=seq, ack=ack, flags=flags, win=65000)
        tcp.opts, tcp.off = opts, 5 + len(opts) // 4
        addresses = {"src": socket.inet_aton(self.source), "dst": socket.inet_aton(self.server)}
        ip = dpkt.ip.IP(**addresses, p=socket.IPPROTO_TCP, ttl=64, data=tcp)
        ip.len = 20 + 20 + len(opts)
        self.sender.sendto(bytes(ip), (self.server, 0))

    def wait(self, wanted: Callable[[dpkt.ip.IP], bool]) -> dpkt.tcp.TCP | None:
        """The next segment that is."""
        end = time.monotonic() + 3
        while (left := end - time.monotonic()) > 0:
            self.sniffer.settimeout(left)
            try:
                frame, (_, kind, *_) = self.sniffer.recvfrom(65536)
            except TimeoutError:
                return None
            if kind != dpkt.ethernet.ETH_TYPE_IP:
                continue
            ip = dpkt.ip.IP(frame)
            if isinstance(ip.data, dpkt.tcp.TCP) and wanted(ip):
                return ip.data
        return None

    def answer(self, port: int) -> dpkt.tcp.TCP | None:
        source = socket.inet_aton(self.source)
        return self.wait(lambda ip: ip.dst == source and ip.data.dport == port)

    def keys(self) -> tuple[bytes, bytes]:
        """The client's and the server's, of the third ACK."""
        third = self.wait(
            lambda ip: ip.data.dport == PORT and ip.data.flags == ACK and CAPABLE in options(ip.data)
        )
        assert third is not None, "no third ACK"
        return options(third)[CAPABLE][2:10], options(third)[CAPABLE][10:18]


def join_syn(token: bytes, nonce: bytes) -> bytes:
    return struct.pack("!BBBB", 30, 12, JOIN << 4, 5) + token + nonce


def join_ack(first: bytes, second: bytes, message: bytes) -> bytes:
    mac = hmac.new(first + second, message, hashlib.sha256).digest()[:20]
    return struct.pack("!BBBB", 30, 24, JOIN << 4, 0) + mac


def describe(segment: dpkt.tcp.TCP | None) -> str:
    if segment is None:
        return "nothing"
    found = {k: v.hex() for k, v in options(segment).items()}
    return f"flags {segment.flags:#x}, options of MPTCP {found}"


def report(good: bool, what: str, segment: dpkt.tcp.TCP | None) -> bool:
    print(f"{'ok' if good else 'not ok'} {what}")
    if not good:
        print(f"# the answer: {describe(segment)}")
    return good


def is_reset(segment: dpkt.tcp.TCP | None) -> bool:
    return segment is not None and bool(segment.flags & RST)


def reason(segment: dpkt.tcp.TCP | None) -> int | None:
    option = options(segment).get(TCPRST) if segment else None
    return option[1] if option else None


def wrong_token(wire: Wire, token: bytes) -> bool:
    wire.send(6001, SYN, 1000, 0, join_syn(bytes([token[0] ^ 1]) + token[1:], b"abcd"))
    got = wire.answer(6001)
    good = report(is_reset(got), "MP_JOIN with a token of nobody: RST", got)
    return report(reason(got) == MPTCP_ERROR, "and MP_TCPRST with reason 1", got) and good


def joined(wire: Wire, port: int, keys: tuple[bytes, bytes], flip: int) -> dpkt.tcp.TCP | None:
    """The answer to the third ACK, whose HMAC has bits inverted."""
    nonce = b"wxyz"
    wire.send(port, SYN, 1000, 0, join_syn(hashlib.sha256(keys[1]).digest()[:4], nonce))
    synack = wire.answer(port)
    if synack is None or JOIN not in options(synack):
        return synack
    option = join_ack(keys[0], keys[1], nonce + options(synack)[JOIN][10:14])
    wire.send(port, ACK, 1001, synack.seq + 1, option[:-1] + bytes([option[-1] ^ flip]))
    return wire.answer(port)


def wrong_hmac(wire: Wire, keys: tuple[bytes, bytes]) -> bool:
    got = joined(wire, 6002, keys, 0)
    good = report(got is not None and got.flags == ACK, "MP_JOIN with the right HMAC: a fourth ACK", got)
    got = joined(wire, 6003, keys, 1)
    good &= report(is_reset(got), "MP_JOIN with a wrong HMAC: RST", got)
    return report(reason(got) == MPTCP_ERROR, "and MP_TCPRST with reason 1", got) and good


def wrong_version(wire: Wire) -> bool:
    wire.send(6004, SYN, 1000, 0, struct.pack("!BBBB", 30, 4, CAPABLE << 4, 1))
    got = wire.answer(6004)
    good = got is not None and got.flags == SYN | ACK and CAPABLE not in options(got)
    return report(good, "MP_CAPABLE of version 0: a SYN/ACK without", got)


def main() -> int:
    server, source = sys.argv[1:]
    wire = Wire(server, source)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP) as connection:
        connection.connect((server, PORT))
        connection.sendall(bytes(1000))
        keys = wire.keys()
        time.sleep(1)
        results = [wrong_token(wire, hashlib.sha256(keys[1]).digest()[:4]), wrong_hmac(wire, keys)]
        results.append(wrong_version(wire))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
