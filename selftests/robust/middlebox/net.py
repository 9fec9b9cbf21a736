# SPDX-License-Identifier: GPL-2.0
"""Two paths between two hosts, with boxes on them."""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from boxes import Box
from kinds import POSITIONS, Kind
from packet import Segment, decode

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
CLONE_NEWNET = 0x40000000
LINK = "netem rate 20mbit delay 5ms limit 1000"

libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    """What is opened here is of that network namespace, and stays so."""
    with Path("/proc/self/ns/net").open() as home, Path("/run/netns", namespace).open() as there:
        enter(there.fileno())
        try:
            yield
        finally:
            enter(home.fileno())


def enter(fd: int) -> None:
    if libc.setns(fd, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def ip(namespace: str, commands: list[str]) -> None:
    """All in one program: in the guest, starting one takes longer than what it does."""
    words = ("ip", "-n", namespace, "-batch", "-")
    subprocess.run(words, input="\n".join(commands), check=True, text=True)


def set_sysctl(namespace: str, name: str, value: object) -> None:
    with inside(namespace):
        Path("/proc/sys/net", name).write_text(str(value))


def counters(namespace: str) -> dict[str, int]:
    """Those of MPTCP."""
    with inside(namespace):
        lines = Path("/proc/thread-self/net/netstat").read_text().splitlines()
    names, values = (line.split()[1:] for line in lines if line.startswith("MPTcpExt:"))
    return dict(zip(names, map(int, values), strict=True))


def sockets(namespace: str) -> int:
    """TCP's, also closed ones that still have something to send."""
    with inside(namespace):
        lines = Path("/proc/thread-self/net/sockstat").read_text().splitlines()
    return next(int(line.split()[2]) for line in lines if line.startswith("TCP: inuse "))


@dataclass
class Hosts:
    """Their network namespaces."""

    client: str
    server: str
    router: str


def tun(namespace: str, name: str, link: str = LINK) -> int:
    """link: what delays that which the host sends there."""
    with inside(namespace):
        fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    ip(namespace, [f"link set {name} up"])
    if link:
        subprocess.run(f"tc -n {namespace} qdisc add dev {name} root {link}".split(), check=True)
    return fd


class Wire:
    """A path through a box of this process, between TUN devices, instead of the router."""

    def __init__(self, hosts: Hosts, number: int) -> None:
        self.hosts, self.number, self.box = hosts, number, Box()
        self.client = tun(hosts.client, f"tc{number}")
        self.server = tun(hosts.server, f"ts{number}")

    def routes(self, advmss: int | None) -> tuple[list[str], list[str]]:
        """Those of the client and of the server through the box."""
        n, mss = self.number, f" advmss {advmss}" if advmss else ""
        return (
            [f"10.1.{n}.2 dev tc{n} src 10.0.{n}.1{mss}"],
            [f"10.0.{n}.1 dev ts{n} src 10.1.{n}.2{mss}"],
        )

    def step(self, fd: int) -> None:
        """One packet, so that the directions take turns."""
        try:
            packet = os.read(fd, 65536)
        except BlockingIOError:
            return
        up = fd == self.client
        segment = decode(packet, up)
        if segment:
            self.send(self.box.handle(segment, time.monotonic()))
        else:
            os.write(self.server if up else self.client, packet)

    def tick(self) -> None:
        now = time.monotonic()
        due = self.box.deadline()
        if due is not None and due <= now:
            self.send(self.box.tick(now))

    def send(self, segments: list[Segment]) -> None:
        for segment in segments:
            os.write(self.server if segment.up else self.client, segment.encode())


class Router:
    """Boxes of nftables."""

    def __init__(self, hosts: Hosts) -> None:
        self.name = hosts.router

    def nft(self, *words: str, script: str | None = None) -> str:
        command = ("ip", "netns", "exec", self.name, "nft", *words)
        return subprocess.run(command, input=script, check=True, stdout=subprocess.PIPE, text=True).stdout

    def plug(self, script: str, paths: tuple[int, ...]) -> None:
        for word, prefix in ("NEAR", "rc"), ("FAR", "rs"):
            script = script.replace(word, ", ".join(f"{prefix}{n}" for n in paths))
        self.nft("-f", "-", script=script)

    def unplug(self) -> None:
        self.nft("delete", "table", "ip", "box")

    def acted(self) -> int:
        words = self.nft("reset", "counter", "ip", "box", "acted").split()
        return int(words[words.index("packets") + 1])


class Network:
    def __init__(self, hosts: Hosts) -> None:
        self.hosts = hosts
        self.wires = {n: Wire(hosts, n) for n in (1, 2)}
        self.router = Router(hosts)
        self.kind: Kind | None = None
        self.paths: tuple[int, ...] = ()

    def plug(self, kind: Kind, position: str) -> None:
        """Instead of what was there."""
        self.unplug()
        self.kind, self.paths = kind, POSITIONS[position]
        client, server = [], ["mptcp endpoint flush"]
        if position != "alone":
            server.append("mptcp endpoint add 10.1.2.2 signal")
        if kind.make:
            for n in self.paths:
                near, far = self.wires[n].routes(kind.make().advmss)
                client += [f"route replace {r}" for r in near]
                server += [f"route replace {r}" for r in far]
        else:
            self.router.plug(kind.nft, self.paths)
        ip(self.hosts.client, client)
        ip(self.hosts.server, server)

    def unplug(self) -> None:
        if self.kind and self.kind.make:
            ip(self.hosts.client, [f"route del 10.1.{n}.2" for n in self.paths])
            ip(self.hosts.server, [f"route del 10.0.{n}.1" for n in self.paths])
        elif self.kind:
            self.router.unplug()

    def fresh(self) -> None:
        """Boxes that have seen nothing."""
        if self.kind and self.kind.make:
            for n in self.paths:
                self.wires[n].box = self.kind.make()
        else:
            self.router.acted()

    def acted(self) -> int:
        """How many segments the boxes have changed since they are fresh."""
        if self.kind and self.kind.make:
            return sum(self.wires[n].box.acted for n in self.paths)
        return self.router.acted()

    def deadline(self) -> float | None:
        """When the next box has something to do without a segment."""
        return min((d for w in self.wires.values() if (d := w.box.deadline()) is not None), default=None)

    def tick(self) -> None:
        for wire in self.wires.values():
            wire.tick()
